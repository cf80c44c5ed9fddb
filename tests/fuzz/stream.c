/* SPDX-License-Identifier: MIT */
#include "stream.h"

#include <string.h>

#include "fuzz.h"
#include "kymo/kymo.h"
#include "kymo_arch.h"
#include "record/payload.h"
#include "ring/ring.h"

#define OPEN_ZONES 8u

/* The firmware makes no mistake. */
static bool is_right;

bool stream_is_right(uint32_t seed) { return seed % 8u < 4u; }

KYMO_POOL(heap, "heap");
KYMO_CONTEXT(timer, "timer", KYMO_CONTEXT_INTERRUPT);

static struct {
    uint8_t *out;
    size_t size, length;
} sink;

static size_t sink_write(void *context, const uint8_t *bytes, size_t length) {
    (void)context;
    length = length < sink.size - sink.length ? length : sink.size - sink.length;
    memcpy(sink.out + sink.length, bytes, length);
    sink.length += length;
    return length;
}

static size_t sink_read(void *context, uint8_t *bytes, size_t length) {
    (void)context;
    (void)bytes;
    (void)length;
    return 0;
}

/* A network, for the frames that only such a board sends. */
static const struct kymo_transport transport = {
    .write = sink_write, .read = sink_read, .network = true};

static void record_zone(uint32_t value) {
    KYMO_ZONE_NAMED(zone, "work");
    if (value % 3u == 0u) {
        KYMO_ZONE_VALUE(zone, value);
        KYMO_ZONE_TEXT(zone, "note", 4u);
    }
    if (value % 5u == 0u) {
        KYMO_ZONE("inner");
        KYMO_PLOT("level", (int32_t)value);
    }
}

static void record_interrupt(uint32_t value) {
    KYMO_INTERRUPT(timer);
    KYMO_ZONE("tick");
    KYMO_PLOT("load", (float)value);
}

#if KYMO_DYNAMIC_SITES
/* Sites of few names and many lines, so that some find no room. */
static void record_dynamic(uint32_t value) {
    static const char *const names[] = {"matmul", "reduce", "a name that is not short"};
    const char *name = names[value % 3u];
    {
        KYMO_ZONE_DYNAMIC(zone, name, strlen(name) - value % 2u);
        KYMO_PLOT("inside", value);
    }
    kymo_plot_int(KYMO_SITE_DYNAMIC(KYMO_SITE_PLOT, name, 3u), value);
}
#else
static void record_dynamic(uint32_t value) { (void)value; }
#endif

static void record_large(uint32_t value) {
    static uint8_t bytes[1500];
    static struct kymo_large larges[2] = {{.bytes = bytes, .name = "../shot.png"},
                                          {.bytes = bytes, .type = KYMO_LARGE_CRASH}};
    struct kymo_large *large = &larges[value % 2u];
    if (kymo_large_state(large) != KYMO_LARGE_WAITING) {
        large->length = value % sizeof bytes;
        (void)kymo_large_send(large);
    } else if (value % 5u == 0u) {
        kymo_large_cancel(large);
    }
}

static void record_clock(uint32_t value) {
    if (value % 2u == 0u) {
        kymo_clock_rate(1000u + value);
    } else {
        (void)kymo_clock_slept(value, 32768u);
    }
}

/* Also of more frames than it has words. */
static void record_stack(uint32_t value) {
    uint32_t words[1u + 2u * 12u];
    words[0] = value % 14u;
    for (uint32_t i = 1u; i < 25u; i++) {
        words[i] = i < 13u ? 0x8000u + i * (value & 0x3fu) : value % 3u;
    }
    (void)kymo_ring_long(KYMO_KIND_CALLSTACK, 0u, words, value % 2u != 0u ? 13u : 25u);
    if (is_right) {
        KYMO_PLOT("of stacks",
                  value); /* it is of the next event, which what follows may not record */
    }
}

/* Some starts and ends are missing. */
static void record_frame(uint32_t value) {
    if (is_right) {
        KYMO_FRAME_START("turn");
        KYMO_FRAME_END("turn");
    } else if (value % 3u == 0u) {
        KYMO_FRAME();
    } else if (value % 3u == 1u) {
        KYMO_FRAME_START("turn");
    } else {
        KYMO_FRAME_END("turn");
    }
}

/* ---- any event, in any order ---- */

#define KIND_ROW(name, number, reference, payload, role, word)                                     \
    {KYMO_KIND_##name, KYMO_REFERENCE_##reference},
static const struct { uint8_t number, reference; } kinds[] = {KYMO_KINDS(KIND_ROW)};

static uint32_t any_reference(uint8_t reference, uint32_t value) {
    switch (reference) {
    case KYMO_REFERENCE_CONTEXT:
        return value % 8u == 0 ? kymo_site_reference(&timer) : 0x1000u + 8u * (value % 6u);
    case KYMO_REFERENCE_OBJECT:
    case KYMO_REFERENCE_OBJECT_LOCK:
        return 0x4000u + 8u * (value % 5u);
    case KYMO_REFERENCE_CODE:
        return 0x8000u + 4u * (value % 16u);
    default:
        return kymo_site_reference(
            &__start_kymo_sites[value % (uint32_t)(__stop_kymo_sites - __start_kymo_sites)]);
    }
}

static void record_any(uint32_t value) {
    for (uint32_t events = 1u + value % 7u; events > 0; events--) {
        size_t kind = fuzz_next(&value) % (sizeof kinds / sizeof kinds[0]);
        while (kinds[kind].number == KYMO_KIND_LOSS || kinds[kind].number == KYMO_KIND_CLOCK) {
            kind--; /* the runtime relies on what it has recorded itself */
        }
        uint32_t words[4] = {fuzz_next(&value) % 12u, fuzz_next(&value) % 3u,
                             fuzz_next(&value) | 0x20202020u, fuzz_next(&value)};
        const uint32_t count =
            (kinds[kind].number & KYMO_KIND_HAS_WORDS) != 0 ? fuzz_next(&value) % 5u : 0;
        (void)kymo_ring_long(kinds[kind].number,
                             any_reference(kinds[kind].reference, fuzz_next(&value)), words, count);
    }
}

static void record_one(uint32_t value) {
    static uint8_t block[16];
    if (value % 4u == 0u) {
        record_stack(value);
    }
    if (!is_right && value % 3u == 0u) {
        record_any(value / 3u);
        return;
    }
    switch (value / 16u % 10u) {
    case 7:
        record_dynamic(value / 10u);
        break;
    case 8:
        record_large(value / 10u);
        break;
    case 9:
        record_clock(value / 10u);
        break;
    case 0:
        record_interrupt(value);
        break;
    case 1:
        KYMO_MESSAGE("value %u of %s", value, KYMO_STRING("all"));
        break;
    case 2:
        KYMO_ALLOC(heap, block, value & 0xffffu);
        if (is_right || value % 3u != 0u) {
            KYMO_FREE(heap, block);
        }
        break;
    case 3:
        record_frame(value / 10u);
        break;
    default:
        record_zone(value);
        break;
    }
}

size_t stream_make(uint32_t seed, uint8_t *out, size_t size) {
    uint32_t value = seed;
    sink.out = out;
    sink.size = size;
    sink.length = 0;
    is_right = stream_is_right(seed);
    kymo_init(&transport, "fuzz");
    for (uint32_t i = 0; i < 20u + seed % 40u; i++) {
        value = value * 1664525u + 1013904223u;
        fake.lane = value >> 31;
        fake.clock += value >> 20;
        if (seed % 9u == 4u && value % 32u == 5u) {
            fake.clock +=
                (UINT64_C(1) << 32) - (value >> 16); /* a counter of 32 bits was set back */
        }
        record_one(value >> 8);
        if (is_right || value % 16u == 0u) {
            while (kymo_drain(0u)) {}
        }
    }
    fake.lane = 0;
    kymo_finish();
    for (uint32_t i = 0; i < 1000u && kymo_pending(); i++) {
        (void)kymo_drain(0u);
    }
    return sink.length;
}
