/* SPDX-License-Identifier: MIT */
/* The INFO packet: optional facts about the board, as entries that a host can step over. */
#include "../record/task_events.h"
#include "../ring/lane.h"
#include "kymo/core_clock.h"
#include "kymo/version.h"
#include "link.h"

#if KYMO_ENABLE && KYMO_INFO_SENT

/* The head of an entry: its type, and the number of bytes of its value. */
#define HEAD_BYTES 2u
#define KERNEL_NAME_BYTES 24u
/* The entries of one lane. */
#define CORE_CLOCK_BYTES 13u
#define LANE_BYTES (HEAD_BYTES + 5u + (KYMO_CORE_CLOCKS ? HEAD_BYTES + CORE_CLOCK_BYTES : 0u))

/* Facts of the build, as on the wire: entries of text, and of four bytes each. */
#define NUMBER(type, number)                                                                       \
    KYMO_INFO_##type, 4u, (uint8_t)((number)&0xffu), (uint8_t)((number) >> 8 & 0xffu),             \
        (uint8_t)((number) >> 16 & 0xffu), (uint8_t)((number) >> 24 & 0xffu)
static const struct facts {
    uint8_t runtime_head[HEAD_BYTES];
    char runtime[sizeof KYMO_RUNTIME_VERSION - 1u]; /* without the NUL */
    uint8_t arch_head[HEAD_BYTES];
    char arch[sizeof KYMO_ARCH_NAME - 1u];
    uint8_t numbers[8u * (HEAD_BYTES + 4u)];
#if !KYMO_ARCH_MOVES /* else only code knows */
    uint8_t loaded_head[HEAD_BYTES];
    const void *loaded;
#endif
} __attribute__((packed)) facts = {
    {KYMO_INFO_RUNTIME, sizeof KYMO_RUNTIME_VERSION - 1u},
    KYMO_RUNTIME_VERSION,
    {KYMO_INFO_ARCH, sizeof KYMO_ARCH_NAME - 1u},
    KYMO_ARCH_NAME,
    {NUMBER(RING_BYTES, KYMO_RING_BYTES), NUMBER(PACKET_BYTES, KYMO_PACKET_BYTES),
     NUMBER(PAYLOAD_WORDS, KYMO_PAYLOAD_WORDS), NUMBER(DRAIN, KYMO_DRAIN_INSTRUCTIONS),
     NUMBER(LATENCY_MS, KYMO_LATENCY_MS), NUMBER(CHECK, KYMO_CHECK),
     NUMBER(CONTEXTS, KYMO_CONTEXTS), NUMBER(KEEPS_NEWEST, KYMO_KEEP_NEWEST)},
#if !KYMO_ARCH_MOVES
    {KYMO_INFO_LOADED, sizeof(void *)},
    &kymo_layout,
#endif
};

/* The parts of the packet, in order. */
enum info_part { FACTS, DYNAMIC, LARGE, CLOCK, LOADED, KERNEL_FACTS, FIRST_LANE };

/* Puts an entry whose value has so many bytes: these four, then those that the caller adds. */
static uint8_t *put_entry(uint8_t *at, enum kymo_info type, uint32_t bytes, uint32_t value) {
    *at++ = (uint8_t)type;
    *at++ = (uint8_t)bytes;
    return kymo_put_fixed(at, value, 4u);
}

#if KYMO_TASKS
static uint8_t *put_kernel(struct kymo_link *link, uint8_t *at) {
    const char *name = kymo_kernel.name;
    if (name == NULL) {
        return at;
    }
    const uint32_t length = kymo_measure(link, name, 0u, KERNEL_NAME_BYTES);
    *at++ = KYMO_INFO_KERNEL;
    *at++ = (uint8_t)(5u + length);
    *at++ = kymo_kernel.greater_first ? KYMO_KERNEL_GREATER_FIRST : 0u;
    at = kymo_put_fixed(at, kymo_kernel.ticks_hz, 4u);
    kymo_follow(link, name, length);
    return at;
}
#endif

/* How far its lane's time may be from lane 0's: a lane that asked and got no answer knows nothing. */
static uint8_t *put_core_clock(uint8_t *at, uint32_t lane) {
#if KYMO_CORE_CLOCKS
    const struct kymo_core_clock *clock = &kymo_core_clocks[lane];
    const uint32_t times = KYMO_ACQUIRE(clock->times);
    const uint32_t error = times != 0u ? KYMO_LOAD(clock->error) : UINT32_MAX;
    const uint32_t most = times != 0u ? KYMO_LOAD(clock->most) : UINT32_MAX;
    if (KYMO_LOAD(clock->asked) != 0u) {
        at = put_entry(at, KYMO_INFO_CORE_CLOCK, CORE_CLOCK_BYTES, lane | error << 8);
        *at++ = (uint8_t)(error >> 24);
        at = kymo_put_fixed(at, times, 4u);
        at = kymo_put_fixed(at, most, 4u);
    }
#else
    (void)lane;
#endif
    return at;
}

/* Without more lanes, or space for them, the packet is complete. */
static uint8_t *put_lane(const struct kymo_link *link, uint8_t *at, uint32_t lane) {
    if (lane >= KYMO_LANES || kymo_out_space(&link->out) < LANE_BYTES) {
        return NULL;
    }
    const uint32_t most = link->most_bytes[lane];
    at = put_entry(at, KYMO_INFO_RING_MOST, 5u, lane | most << 8);
    *at++ = (uint8_t)(most >> 24);
    return put_core_clock(at, lane);
}

uint8_t *kymo_describe_info(struct kymo_link *link, uint8_t *at, uint32_t part) {
    switch ((enum info_part)part) {
    case FACTS:
        kymo_follow(link, &facts, sizeof facts);
        return at;
    case DYNAMIC:
#if KYMO_DYNAMIC_SITES
        at = put_entry(at, KYMO_INFO_DYNAMIC_SITES, 12u, KYMO_DYNAMIC_SITES);
        at = kymo_put_fixed(at, KYMO_LOAD(kymo_dynamic.complete), 4u);
        at = kymo_put_fixed(at, KYMO_LOAD(kymo_dynamic.refused), 4u);
#endif
        return at;
    case LARGE:
#if KYMO_LARGE
        *at++ = KYMO_INFO_LARGE;
        *at++ = 5u;
        *at++ = KYMO_LARGE;
        at = kymo_put_fixed(at, KYMO_LOAD(kymo_larges.refused), 4u);
#endif
        return at;
    case CLOCK: /* of the events, domain 0: as the records say that were sent so far */
#if KYMO_CLOCK_CHANGES
        at = put_entry(at, KYMO_INFO_CLOCK, 12u, link->clock_number << 8);
        at = kymo_put_fixed(at, (uint32_t)link->clock_slept, 4u);
        at = kymo_put_fixed(at, (uint32_t)(link->clock_slept >> 32), 4u);
#endif
        return at;
    case LOADED:
#if KYMO_ARCH_MOVES
        at = put_entry(at, KYMO_INFO_LOADED, 8u, (uint32_t)(uintptr_t)&kymo_layout);
        at = kymo_put_fixed(at, (uint32_t)((uint64_t)(uintptr_t)&kymo_layout >> 32), 4u);
#endif
        return at;
    case KERNEL_FACTS:
#if KYMO_TASKS
        at = put_kernel(link, at);
#endif
        return at;
    default:
        return put_lane(link, at, part - FIRST_LANE);
    }
}

bool kymo_info_clocks_news(struct kymo_link *link) {
#if KYMO_CORE_CLOCKS
    uint32_t asked = 0u;
    for (uint32_t lane = 1u; lane < KYMO_LANES; lane++) {
        asked += KYMO_LOAD(kymo_core_clocks[lane].asked);
    }
    const bool news = asked != link->clocks_asked;
    link->clocks_asked = asked;
    return news;
#else
    return (void)link, false;
#endif
}

bool kymo_info_begin(struct kymo_link *link) {
    if (!link->info_due) {
        return false;
    }
    link->info_due = link->info_news = false;
    link->answered = true;
    kymo_packet_begin(link, KYMO_PACKET_INFO, kymo_describe_info);
    return true;
}

void kymo_info_ring_holds(struct kymo_link *link, uint32_t lane, uint32_t bytes) {
    if (bytes > link->most_bytes[lane]) {
        link->most_bytes[lane] = bytes;
        link->info_news = true;
    }
}

#endif
