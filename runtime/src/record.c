/* The events with payload. Their words are put together on the stack, in the layout of WIRE.md, and
 * then become one long record. */
#include "check.h"
#include "ring.h"

#if KYMO_ENABLE

_Static_assert(KYMO_PAYLOAD_WORDS >= 4 && KYMO_PAYLOAD_WORDS <= 60,
               "KYMO_PAYLOAD_WORDS must be 4 to 60");

struct payload {
    uint32_t count;
    uint32_t word[KYMO_PAYLOAD_WORDS];
};

static uint32_t reference_of(const struct kymo_site *site) { return (uint32_t)(uintptr_t)site; }

/* A byte count, then the bytes four a word, low byte first: as many as fit, up to a NUL. There must
 * be room for the count. */
static void put_string(struct payload *payload, const char *text, size_t length) {
    uint32_t *count = &payload->word[payload->count++];
    uint32_t bytes = 0u;
    while (bytes < length && text[bytes] != '\0') {
        if (bytes % 4u == 0u) {
            if (payload->count == KYMO_PAYLOAD_WORDS) {
                break;
            }
            payload->word[payload->count++] = 0u;
        }
        payload->word[payload->count - 1u] |= (uint32_t)(uint8_t)text[bytes] << (8u * (bytes % 4u));
        bytes++;
    }
    *count = bytes;
}

static void record_string(enum kymo_event_kind kind, const char *text, size_t length) {
    struct payload payload;
    payload.count = 0u;
    put_string(&payload, text, length);
    kymo_ring_long(kind, 0u, payload.word, payload.count);
}

/* Words at the end that are 0 do not travel, but for the first. */
static void record_words(enum kymo_event_kind kind, uint32_t reference, const uint32_t *words,
                         uint32_t count) {
    while (count > 1u && words[count - 1u] == 0u) {
        count--;
    }
    kymo_ring_long(kind, reference, words, count);
}

static void record_u64(enum kymo_event_kind kind, uint32_t reference, uint64_t value) {
    const uint32_t words[2] = {(uint32_t)value, (uint32_t)(value >> 32)};
    record_words(kind, reference, words, 2u);
}

/* Attributes of a zone that was refused belong to nothing: they are not recorded and not
 * counted. */
void kymo_zone_text(kymo_zone zone, const char *text, size_t length) {
    if (kymo_check_attribute(zone)) {
        record_string(KYMO_KIND_ZONE_TEXT, text, length);
    }
}

void kymo_zone_name(kymo_zone zone, const char *name, size_t length) {
    if (kymo_check_attribute(zone)) {
        record_string(KYMO_KIND_ZONE_NAME, name, length);
    }
}

void kymo_zone_value(kymo_zone zone, uint64_t value) {
    if (kymo_check_attribute(zone)) {
        record_u64(KYMO_KIND_ZONE_VALUE, 0u, value);
    }
}

void kymo_zone_color(kymo_zone zone, uint32_t color) {
    if (kymo_check_attribute(zone)) {
        kymo_ring_long(KYMO_KIND_ZONE_COLOR, 0u, &color, 1u);
    }
}

void kymo_app_info(const char *text, size_t length) {
    record_string(KYMO_KIND_APP_INFO, text, length);
}

void kymo_frame(const struct kymo_site *site) {
    kymo_ring_short(reference_of(site) | KYMO_TAG_FRAME);
}

void kymo_frame_start(const struct kymo_site *site) {
    kymo_ring_long(KYMO_KIND_FRAME_START, reference_of(site), NULL, 0u);
}

void kymo_frame_end(const struct kymo_site *site) {
    kymo_ring_long(KYMO_KIND_FRAME_END, reference_of(site), NULL, 0u);
}

/* The high word of a plot travels as its difference from the sign of the low one, which is mostly
 * 0. */
void kymo_plot_int(const struct kymo_site *site, int64_t value) {
    uint32_t low = (uint32_t)(uint64_t)value;
    uint32_t sign = 0u - (low >> 31);
    const uint32_t words[2] = {low, (uint32_t)((uint64_t)value >> 32) - sign};
    record_words(KYMO_KIND_PLOT_INT, reference_of(site), words, 2u);
}

void kymo_plot_float(const struct kymo_site *site, uint32_t bits) {
    kymo_ring_long(KYMO_KIND_PLOT_FLOAT, reference_of(site), &bits, 1u);
}

void kymo_plot_double(const struct kymo_site *site, uint64_t bits) {
    record_u64(KYMO_KIND_PLOT_DOUBLE, reference_of(site), bits);
}

void kymo_alloc(const struct kymo_site *pool, const void *address, size_t bytes) {
    uint64_t where = (uint64_t)(uintptr_t)address;
    uint64_t size = (uint64_t)bytes;
    const uint32_t words[4] = {(uint32_t)where, (uint32_t)size, (uint32_t)(where >> 32),
                               (uint32_t)(size >> 32)};
    record_words(KYMO_KIND_ALLOC, reference_of(pool), words, 4u);
}

void kymo_free(const struct kymo_site *pool, const void *address) {
    record_u64(KYMO_KIND_FREE, reference_of(pool), (uint64_t)(uintptr_t)address);
}

/* Classes of one word: a bit each. Strings are apart; all others have two. */
#define ONE_WORD                                                                                   \
    (1u << KYMO_ARG_I32 | 1u << KYMO_ARG_U32 | 1u << KYMO_ARG_SITE | 1u << KYMO_ARG_FLOAT |        \
     1u << KYMO_ARG_STRING)

/* Arguments that do not fit are left out, a string is cut. */
#if KYMO_NAMES
void kymo_message(const struct kymo_site *site, const uint64_t *args) {
    uint32_t classes = site->detail;
#else
void kymo_message_of(const struct kymo_site *site, uint32_t classes, const uint64_t *args) {
#endif
    struct payload payload;
    payload.count = 0u;
    for (; classes != 0u; classes >>= 4) {
        uint32_t class = classes & 15u;
        uint32_t words = (ONE_WORD >> class & 1u) != 0u ? 1u : 2u;
        uint64_t value = *args++;
        if (payload.count + words > KYMO_PAYLOAD_WORDS) {
            break;
        }
        if (class == KYMO_ARG_STRING) {
            const char *text = (const char *)(uintptr_t)value;
            put_string(&payload, text, text != NULL ? SIZE_MAX : 0u);
            continue;
        }
        if (class == KYMO_ARG_SITE) {
            value = (uint64_t)((const struct kymo_site *)(uintptr_t)value - __start_kymo_sites);
        }
        payload.word[payload.count++] = (uint32_t)value;
        if (words == 2u) {
            payload.word[payload.count++] = (uint32_t)(value >> 32);
        }
    }
    kymo_ring_long(KYMO_KIND_MESSAGE, reference_of(site), payload.word, payload.count);
}

void kymo_context_name(kymo_context context, enum kymo_context_kind kind, const char *name) {
    struct payload payload;
    payload.word[0] = (uint32_t)kind;
    payload.count = 1u;
    put_string(&payload, name, SIZE_MAX);
    kymo_ring_long(KYMO_KIND_CONTEXT_NAME, (uint32_t)context, payload.word, payload.count);
}

void kymo_context_end(kymo_context context) {
    kymo_check_over(context & ~KYMO_CONTEXT_BITS);
    kymo_ring_long(KYMO_KIND_CONTEXT_END, (uint32_t)(context & ~KYMO_CONTEXT_BITS), NULL, 0u);
}

/* One that is not 8-aligned shares the row of the address below. */
static kymo_context aligned(kymo_context context) {
    if (KYMO_UNLIKELY((context & KYMO_CONTEXT_BITS) != 0u)) {
        kymo_check_report(KYMO_USAGE_CONTEXT, NULL);
    }
    return context & ~KYMO_CONTEXT_BITS;
}

kymo_context kymo_context_switch(kymo_context context) {
    return kymo_ring_switch(aligned(context));
}

kymo_context kymo_interrupt_enter(kymo_context context) {
    return kymo_check_entered(kymo_ring_enter(aligned(context)));
}

void kymo_lane_name(const char *name) { kymo_lane_here()->name = name; }

#endif
