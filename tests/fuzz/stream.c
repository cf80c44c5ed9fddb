#include "stream.h"

#include <string.h>

#include "kymo/kymo.h"
#include "kymo_arch.h"
#include "ring.h"

#define OPEN_ZONES 8u

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
}

/* The firmware makes no mistake. */
static bool is_right;

bool stream_is_right(uint32_t seed) { return seed % 8u < 4u; }

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

static void record_one(uint32_t value) {
    static uint8_t block[16];
    if (value % 4u == 0u) {
        record_stack(value);
    }
    switch (value % 10u) {
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
