/* The events with payload: each is one long record, and the layout of its words is that of WIRE.md. */
#include "ring.h"

#if KYMO_ENABLE

#define PAYLOAD_BYTES (KYMO_PAYLOAD_WORDS * 4u)

_Static_assert(KYMO_PAYLOAD_WORDS >= 4 && KYMO_PAYLOAD_WORDS <= 60,
               "KYMO_PAYLOAD_WORDS must be 4 to 60");

static uint32_t reference_of(const struct kymo_site *site) { return (uint32_t)(uintptr_t)site; }

/* Up to three words; what is 0 behind the last other word does not travel. */
static void record_words(enum kymo_event_kind kind, uint32_t reference, const uint32_t *words,
                         uint32_t count) {
    struct kymo_record record;
    while (count > 1u && words[count - 1u] == 0u) {
        count--;
    }
    if (kymo_ring_reserve(&record, kind, reference, count)) {
        for (uint32_t i = 0u; i < count; i++) {
            kymo_ring_put(&record, words[i]);
        }
        kymo_ring_commit(&record);
    }
}

static void record_u64(enum kymo_event_kind kind, uint32_t reference, uint64_t value) {
    const uint32_t words[2] = {(uint32_t)value, (uint32_t)(value >> 32)};
    record_words(kind, reference, words, 2u);
}

static uint32_t clamp_bytes(size_t length, uint32_t limit) {
    return length < limit ? (uint32_t)length : limit;
}

/* The bytes four a word, low byte first, the rest of the last word 0. */
static void put_bytes(struct kymo_record *record, const char *bytes, uint32_t count) {
    for (uint32_t at = 0u; at < count; at += 4u) {
        uint32_t word = 0u;
        for (uint32_t i = 0u; i < 4u && at + i < count; i++) {
            word |= (uint32_t)(uint8_t)bytes[at + i] << (8u * i);
        }
        kymo_ring_put(record, word);
    }
}

static uint32_t string_words(uint32_t bytes) { return 1u + (bytes + 3u) / 4u; }

static void record_string(enum kymo_event_kind kind, const char *text, size_t length) {
    struct kymo_record record;
    uint32_t bytes = clamp_bytes(length, PAYLOAD_BYTES - 4u);
    if (kymo_ring_reserve(&record, kind, 0u, string_words(bytes))) {
        kymo_ring_put(&record, bytes);
        put_bytes(&record, text, bytes);
        kymo_ring_commit(&record);
    }
}

static uint32_t text_length(const char *text, uint32_t limit) {
    uint32_t length = 0u;
    while (length < limit && text[length] != '\0') {
        length++;
    }
    return length;
}

/* Attributes of a zone that was refused belong to nothing: they are not recorded and not counted. */
void kymo_zone_text(kymo_zone zone, const char *text, size_t length) {
    if (zone != NULL) {
        record_string(KYMO_KIND_ZONE_TEXT, text, length);
    }
}

void kymo_zone_name(kymo_zone zone, const char *name, size_t length) {
    if (zone != NULL) {
        record_string(KYMO_KIND_ZONE_NAME, name, length);
    }
}

void kymo_zone_value(kymo_zone zone, uint64_t value) {
    if (zone != NULL) {
        record_u64(KYMO_KIND_ZONE_VALUE, 0u, value);
    }
}

void kymo_zone_color(kymo_zone zone, uint32_t color) {
    if (zone != NULL) {
        record_words(KYMO_KIND_ZONE_COLOR, 0u, &color, 1u);
    }
}

void kymo_app_info(const char *text, size_t length) {
    record_string(KYMO_KIND_APP_INFO, text, length);
}

void kymo_frame(const struct kymo_site *site) {
    kymo_ring_short(kymo_lane_here(), reference_of(site) | KYMO_TAG_FRAME);
}

static void record_empty(enum kymo_event_kind kind, const struct kymo_site *site) {
    struct kymo_record record;
    if (kymo_ring_reserve(&record, kind, reference_of(site), 0u)) {
        kymo_ring_commit(&record);
    }
}

void kymo_frame_start(const struct kymo_site *site) { record_empty(KYMO_KIND_FRAME_START, site); }

void kymo_frame_end(const struct kymo_site *site) { record_empty(KYMO_KIND_FRAME_END, site); }

/* The high word of a plot is sent as its difference from the sign of the low one, which is mostly 0. */
void kymo_plot_int(const struct kymo_site *site, int64_t value) {
    uint32_t low = (uint32_t)(uint64_t)value;
    uint32_t sign = (low & 0x80000000u) != 0u ? 0xffffffffu : 0u;
    const uint32_t words[2] = {low, (uint32_t)((uint64_t)value >> 32) - sign};
    record_words(KYMO_KIND_PLOT_INT, reference_of(site), words, 2u);
}

void kymo_plot_float(const struct kymo_site *site, uint32_t bits) {
    record_words(KYMO_KIND_PLOT_FLOAT, reference_of(site), &bits, 1u);
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

/* Cuts a copied string so that the arguments fit; "left" are the words still free. */
static uint32_t argument_words(uint32_t class, uint64_t value, uint32_t left) {
    switch (class) {
    case KYMO_ARG_I64:
    case KYMO_ARG_U64:
    case KYMO_ARG_DOUBLE:
    case KYMO_ARG_ADDRESS:
        return left < 2u ? 0u : 2u;
    case KYMO_ARG_STRING: {
        const char *text = (const char *)(uintptr_t)value;
        if (text == NULL || left == 0u) {
            return left == 0u ? 0u : 1u;
        }
        return string_words(text_length(text, (left - 1u) * 4u));
    }
    default:
        return left < 1u ? 0u : 1u;
    }
}

/* A copied string may have become shorter since it was measured (an interrupt writes into it): the
 * words reserved for it hold, filled up with NUL bytes. */
static void put_argument(struct kymo_record *record, uint32_t class, uint64_t value,
                         uint32_t words) {
    if (class == KYMO_ARG_STRING) {
        const char *text = (const char *)(uintptr_t)value;
        uint32_t bytes = text == NULL ? 0u : text_length(text, (words - 1u) * 4u);
        uint32_t least = words < 2u ? 0u : (words - 2u) * 4u + 1u;
        kymo_ring_put(record, bytes < least ? least : bytes);
        put_bytes(record, text, bytes);
        for (uint32_t put = string_words(bytes); put < words; put++) {
            kymo_ring_put(record, 0u);
        }
        return;
    }
    if (class == KYMO_ARG_SITE) {
        value = (uint64_t)((const struct kymo_site *)(uintptr_t)value - __start_kymo_sites);
    }
    kymo_ring_put(record, (uint32_t)value);
    if (words == 2u) {
        kymo_ring_put(record, (uint32_t)(value >> 32));
    }
}

void kymo_message(const struct kymo_site *site, const uint64_t *args) {
    uint32_t words[8] = {0};
    uint32_t total = 0u;
    uint32_t count = 0u;
    for (uint32_t classes = site->detail; classes != 0u; classes >>= 4) {
        words[count] = argument_words(classes & 15u, args[count], KYMO_PAYLOAD_WORDS - total);
        if (words[count] == 0u) {
            break;
        }
        total += words[count++];
    }
    struct kymo_record record;
    if (!kymo_ring_reserve(&record, KYMO_KIND_MESSAGE, reference_of(site), total)) {
        return;
    }
    for (uint32_t i = 0u; i < count; i++) {
        put_argument(&record, site->detail >> (4u * i) & 15u, args[i], words[i]);
    }
    kymo_ring_commit(&record);
}

void kymo_context_name(kymo_context context, enum kymo_context_kind kind, const char *name) {
    struct kymo_record record;
    uint32_t bytes = text_length(name, PAYLOAD_BYTES - 8u);
    if (kymo_ring_reserve(&record, KYMO_KIND_CONTEXT_NAME, (uint32_t)context,
                          1u + string_words(bytes))) {
        kymo_ring_put(&record, (uint32_t)kind);
        kymo_ring_put(&record, bytes);
        put_bytes(&record, name, bytes);
        kymo_ring_commit(&record);
    }
}

void kymo_lane_name(const char *name) { kymo_lane_here()->name = name; }

#endif
