/* SPDX-License-Identifier: MIT */
/* The events with payload. Their words are put together on the stack, in the layout of WIRE.md, and
 * then become one long record. */
#include "../ring/callstack.h"
#include "../ring/check.h"
#include "dynamic.h"
#include "large.h"
#include "payload.h"

#if KYMO_ENABLE

static void record_string(enum kymo_event_kind kind, const char *text, size_t length) {
    struct kymo_payload payload;
    payload.count = 0u;
    kymo_put_string(&payload, text, length);
    (void)kymo_ring_long(kind, 0u, payload.word, payload.count);
}

/* For a kind that has a reference. */
static void record_u64(enum kymo_event_kind kind, uint32_t reference, uint64_t value) {
    if (!KYMO_RING_QUICK) {
        const uint32_t words[2] = {(uint32_t)value, (uint32_t)(value >> 32)};
        (void)kymo_ring_long(kind, reference, words, words[1] != 0u ? 2u : 1u);
    } else if (value >> 32 == 0u) {
        kymo_ring_one(reference, (uint32_t)value, KYMO_ONE_WORD(kind));
    } else {
        kymo_ring_two(reference, value, KYMO_TWO_WORDS(kind));
    }
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
        const uint32_t words[2] = {(uint32_t)value, (uint32_t)(value >> 32)};
        (void)kymo_ring_long(KYMO_KIND_ZONE_VALUE, 0u, words, words[1] != 0u ? 2u : 1u);
    }
}

void kymo_zone_color(kymo_zone zone, uint32_t color) {
    if (kymo_check_attribute(zone)) {
        (void)kymo_ring_long(KYMO_KIND_ZONE_COLOR, 0u, &color, 1u);
    }
}

void kymo_app_info(const char *text, size_t length) {
    record_string(KYMO_KIND_APP_INFO, text, length);
}

void kymo_frame(const struct kymo_site *site) {
    kymo_ring_short(kymo_site_reference(site) | KYMO_TAG_FRAME);
}

void kymo_frame_start(const struct kymo_site *site) {
    (void)kymo_ring_long(KYMO_KIND_FRAME_START, kymo_site_reference(site), NULL, 0u);
}

void kymo_frame_end(const struct kymo_site *site) {
    (void)kymo_ring_long(KYMO_KIND_FRAME_END, kymo_site_reference(site), NULL, 0u);
}

/* The high word of a plot travels as its difference from the sign of the low one, which is mostly
 * 0. */
void kymo_plot_int(const struct kymo_site *site, int64_t value) {
    uint32_t low = (uint32_t)(uint64_t)value;
    uint32_t sign = 0u - (low >> 31);
    const uint32_t high = (uint32_t)((uint64_t)value >> 32) - sign;
    record_u64(KYMO_KIND_PLOT_INT, kymo_site_reference(site), (uint64_t)high << 32 | low);
}

void kymo_plot_float(const struct kymo_site *site, uint32_t bits) {
    (void)kymo_ring_long(KYMO_KIND_PLOT_FLOAT, kymo_site_reference(site), &bits, 1u);
}

/* The high word of a double is rarely 0. */
void kymo_plot_double(const struct kymo_site *site, uint64_t bits) {
    if (KYMO_RING_QUICK) {
        kymo_ring_two(kymo_site_reference(site), bits, KYMO_TWO_WORDS(KYMO_KIND_PLOT_DOUBLE));
    } else {
        record_u64(KYMO_KIND_PLOT_DOUBLE, kymo_site_reference(site), bits);
    }
}

/* The functions that the firmware calls, once by the tracing mode and once by a depth of its own. */
KYMO_INLINE_ void record_alloc(const struct kymo_site *pool, const void *address, size_t bytes,
                               uint32_t depth) {
    uint64_t where = (uint64_t)(uintptr_t)address;
    uint64_t size = (uint64_t)bytes;
    const uint32_t words[4] = {(uint32_t)where, (uint32_t)size, (uint32_t)(where >> 32),
                               (uint32_t)(size >> 32)};
    const uint32_t count = words[3] != 0u ? 4u : words[2] != 0u ? 3u : 2u;
    struct kymo_callstack room;
    const struct kymo_callstack *stack = kymo_callstack_of(&room, depth);
    if (stack != NULL) {
        kymo_record_with(stack, KYMO_KIND_ALLOC, kymo_site_reference(pool), words, count);
    } else {
        (void)kymo_ring_long(KYMO_KIND_ALLOC, kymo_site_reference(pool), words, count);
    }
}

KYMO_INLINE_ void record_free(const struct kymo_site *pool, const void *address, uint32_t depth) {
    const uint64_t where = (uint64_t)(uintptr_t)address;
    struct kymo_callstack room;
    const struct kymo_callstack *stack = kymo_callstack_of(&room, depth);
    if (stack != NULL) {
        const uint32_t words[2] = {(uint32_t)where, (uint32_t)(where >> 32)};
        kymo_record_with(stack, KYMO_KIND_FREE, kymo_site_reference(pool), words,
                         words[1] != 0u ? 2u : 1u);
    } else {
        record_u64(KYMO_KIND_FREE, kymo_site_reference(pool), where);
    }
}

#if KYMO_TRACING_MODE >= 2
KYMO_STACK_ENTRY void kymo_alloc(const struct kymo_site *pool, const void *address, size_t bytes) {
    record_alloc(pool, address, bytes, KYMO_DEPTH_OF_ALLOC);
}

KYMO_STACK_ENTRY void kymo_free(const struct kymo_site *pool, const void *address) {
    record_free(pool, address, KYMO_DEPTH_OF_ALLOC);
}
#endif

/* Classes of one word: a bit each. Strings are apart; all others have two. */
#define ONE_WORD                                                                                   \
    (1u << KYMO_ARG_I32 | 1u << KYMO_ARG_U32 | 1u << KYMO_ARG_SITE | 1u << KYMO_ARG_FLOAT |        \
     1u << KYMO_ARG_STRING)

/* Arguments that do not fit are left out, a string is cut. */
static inline void put_arguments(struct kymo_payload *payload, uint32_t classes,
                                 const uint64_t *args) {
    payload->count = 0u;
    for (; classes != 0u && args != NULL; classes >>= 4) {
        uint32_t class = classes & 15u;
        uint32_t words = (ONE_WORD >> class & 1u) != 0u ? 1u : 2u;
        uint64_t value = *args++;
        if (payload->count + words > KYMO_PAYLOAD_WORDS) {
            break;
        }
        if (class == KYMO_ARG_STRING) {
            const char *text = (const char *)(uintptr_t)value;
            kymo_put_string(payload, text, SIZE_MAX);
            continue;
        }
        if (class == KYMO_ARG_SITE) {
            value = kymo_number_of_site((const struct kymo_site *)(uintptr_t)value);
        }
        payload->word[payload->count++] = (uint32_t)value;
        if (words == 2u) {
            payload->word[payload->count++] = (uint32_t)(value >> 32);
        }
    }
}

KYMO_INLINE_ void record_message(const struct kymo_site *site, uint32_t classes,
                                 const uint64_t *args, uint32_t depth) {
    struct kymo_payload payload;
    struct kymo_callstack room;
    const struct kymo_callstack *stack = kymo_callstack_of(&room, depth);
    put_arguments(&payload, classes, args);
    kymo_record_with(stack, KYMO_KIND_MESSAGE, kymo_site_reference(site), payload.word,
                     payload.count);
}

#if KYMO_NAMES
KYMO_STACK_ENTRY void kymo_message(const struct kymo_site *site, const uint64_t *args) {
    record_message(site, site != NULL ? site->detail : 0u, args, KYMO_DEPTH_OF_ALL);
}
#else
KYMO_STACK_ENTRY void kymo_message_of(const struct kymo_site *site, uint32_t classes,
                                      const uint64_t *args) {
    record_message(site, classes, args, KYMO_DEPTH_OF_ALL);
}
#endif

#if KYMO_LARGE
void kymo_record_large(uint32_t id, const struct kymo_large *large) {
    struct kymo_payload payload;
    payload.word[0] = id;
    payload.word[1] = large->length;
    payload.word[2] = large->type;
    payload.count = 3u;
    kymo_put_string(&payload, large->name, KYMO_LARGE_NAME_BYTES);
    (void)kymo_ring_long(KYMO_KIND_LARGE, 0u, payload.word, payload.count);
}
#endif

void kymo_context_name(kymo_context context, enum kymo_context_kind kind, const char *name) {
    struct kymo_payload payload;
    payload.word[0] = (uint32_t)kind;
    payload.count = 1u;
    kymo_put_string(&payload, name, SIZE_MAX);
    (void)kymo_ring_long(KYMO_KIND_CONTEXT_NAME, (uint32_t)context, payload.word, payload.count);
}

void kymo_context_end(kymo_context context) {
    if (KYMO_TASK_OVER) {
        KYMO_STORE(kymo_task_over.context, 0u);
        kymo_task_over.time = kymo_arch_clock64();
        KYMO_PUBLISH(kymo_task_over.context, (uint32_t)(context & ~KYMO_CONTEXT_BITS));
    }
    kymo_check_over(context & ~KYMO_CONTEXT_BITS);
    (void)kymo_ring_long(KYMO_KIND_CONTEXT_END, (uint32_t)(context & ~KYMO_CONTEXT_BITS), NULL, 0u);
    if (KYMO_FUNCTIONS != 0 && KYMO_TASKS != 0) {
        kymo_functions_over(context & ~KYMO_CONTEXT_BITS);
    }
}

void kymo_object(uint64_t identity, enum kymo_object_class of, const char *name,
                 const struct kymo_site *site) {
    struct kymo_payload payload;
    payload.word[0] = (uint32_t)of;
    payload.word[1] = (uint32_t)(identity >> 32);
    payload.word[2] = site != NULL ? kymo_number_of_site(site) + 1u : 0u;
    payload.count = 3u;
    kymo_put_string(&payload, name, SIZE_MAX);
    (void)kymo_ring_long(KYMO_KIND_OBJECT, (uint32_t)identity, payload.word, payload.count);
}

KYMO_INLINE_ void record_object_event(enum kymo_event_kind kind, uint64_t identity,
                                      uint32_t depth) {
    const uint32_t high = (uint32_t)(identity >> 32);
    struct kymo_callstack room;
    const struct kymo_callstack *stack = kymo_callstack_of(&room, depth);
    if (KYMO_RING_QUICK && stack == NULL && high != 0u) {
        kymo_ring_one((uint32_t)identity, high, KYMO_ONE_WORD(kind));
        return;
    }
    kymo_record_with(stack, kind, (uint32_t)identity, &high, high != 0u ? 1u : 0u);
}

/* Waits and obtains have stacks; a release has none, as its code is near that of the obtain. */
static inline uint32_t depth_of(enum kymo_event_kind kind) {
    switch (kind) {
    case KYMO_KIND_LOCK_WAIT:
    case KYMO_KIND_LOCK_OBTAIN:
    case KYMO_KIND_LOCK_WAIT_SHARED:
    case KYMO_KIND_LOCK_OBTAIN_SHARED:
        return KYMO_DEPTH_OF_ALL;
    default:
        return 0u;
    }
}

KYMO_STACK_ENTRY void kymo_object_event(enum kymo_event_kind kind, uint64_t identity) {
    record_object_event(kind, identity, KYMO_DEPTH_OF_ALL != 0 ? depth_of(kind) : 0u);
}

#if KYMO_CALLSTACKS

#if KYMO_TRACING_MODE >= 2
KYMO_STACK_ENTRY void kymo_alloc_stack(const struct kymo_site *pool, const void *address,
                                       size_t bytes, uint32_t depth) {
    record_alloc(pool, address, bytes, depth);
}

KYMO_STACK_ENTRY void kymo_free_stack(const struct kymo_site *pool, const void *address,
                                      uint32_t depth) {
    record_free(pool, address, depth);
}
#endif

KYMO_STACK_ENTRY void kymo_message_stack(const struct kymo_site *site, uint32_t classes,
                                         const uint64_t *args, uint32_t depth) {
    record_message(site, classes, args, depth);
}

KYMO_STACK_ENTRY void kymo_object_event_stack(enum kymo_event_kind kind, uint64_t identity,
                                              uint32_t depth) {
    record_object_event(kind, identity, depth);
}

#endif

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
