/* SPDX-License-Identifier: MIT */
/* The static storage of the recorder, and its switch. All of it is valid when it is all zero, so
 * events may be recorded as soon as .bss is cleared. */
#include "../ring/check.h"
#include "../ring/newest.h"

#if KYMO_ENABLE

struct kymo_lane kymo_lanes[KYMO_LANES_ALL];
#ifdef KYMO_ARCH_MAPS_RINGS
uint32_t (*kymo_rings)[KYMO_RING_WORDS];
static uint32_t rings_refused;
#else
#if KYMO_KEEP_NEWEST
KYMO_NOINIT
#endif
uint32_t kymo_rings[KYMO_LANES][KYMO_RING_WORDS];
#endif
bool kymo_stopped = KYMO_ON_DEMAND, kymo_clock_stands;
bool kymo_usage_seen[KYMO_USAGES];

/* So that the sections are there, and their bounds, in an image that has no site. */
#if KYMO_NAMES
__extension__ static const struct kymo_site no_site[0]
    __attribute__((KYMO_KEPT, section("kymo_sites"), aligned(8)));
#else
__extension__ static const struct kymo_site no_site[0]
    __attribute__((KYMO_KEPT, section("kymo_elf_sites"), aligned(8)));
__extension__ static const char no_text[0] __attribute__((KYMO_KEPT, section("kymo_elf_text")));
__extension__ static const struct kymo_param_place no_param[0]
    __attribute__((KYMO_KEPT, section("kymo_params")));
#endif

/* A clock of 32 kHz moves within a thousand looks, and a busy emulator may hold one for tens of milliseconds. */
#define CLOCK_LOOKS 0x100000u

#ifdef KYMO_ARCH_MAPS_RINGS

/* If several contexts map at once, the first one's memory holds. Without memory nothing is recorded. */
bool kymo_map_rings(void) {
    const size_t bytes = sizeof(*kymo_rings) * KYMO_LANES;
    void *none = NULL;
    void *mapped = KYMO_LOAD(rings_refused) == 0u ? kymo_arch_map(bytes) : NULL;
    if (mapped == NULL) {
        KYMO_STORE(rings_refused, 1u);
        kymo_stop();
        return KYMO_RINGS_KNOWN;
    }
    if (!__atomic_compare_exchange_n((void **)&kymo_rings, &none, mapped, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE)) {
        kymo_arch_unmap(mapped, bytes);
    }
    return true;
}

#endif

struct kymo_lane *kymo_lane_of(uintptr_t number) {
    return &kymo_lanes[number < KYMO_LANES ? number : KYMO_LANES_ALL - 1u];
}

#if KYMO_ARCH_ATOMIC
/* The context first: functions are left in the row that they began in. */
void kymo_lane_left(void) {
    struct kymo_lane *lane = kymo_lane_here();
    if (kymo_lane_is_shared(lane)) {
        return;
    }
    if (lane->context != 0u) {
        (void)kymo_ring_switch(0u);
    }
    if (KYMO_FUNCTIONS) {
        kymo_functions_left(lane);
    }
    kymo_check_left(lane);
    kymo_ring_left(lane);
}
#endif

/* A lane may sit between its look at kymo_stopped and its store of the limit: kymo_ring_resume() does
 * these in the opposite order, so one of the two sees the other. */
static void switch_to(bool stopped) {
    KYMO_STORE(kymo_stopped, stopped);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    for (unsigned i = 0u; i < KYMO_LANES; i++) {
        kymo_ring_attention(&kymo_lanes[i]);
    }
}

void kymo_stop(void) { switch_to(true); }

void kymo_start(void) { switch_to(KYMO_LOAD(kymo_clock_stands)); }

#if KYMO_ARCH_CLOCK_BITS == 32

/* After half a wrap the limit may seem to be ahead again: the next event has a clock record all the
 * same, but those that came before this call are decoded by 32 bits. */
static bool was_unseen(struct kymo_lane *lane, uint64_t now) {
    const uint32_t at = (uint32_t)(now >> KYMO_ALIVE_SHIFT) | 1u;
    const uint32_t before = KYMO_LOAD(lane->alive_at);
    const bool unseen = before != 0u && (int32_t)(at - before) > KYMO_ALIVE_STEPS;
    KYMO_STORE(lane->alive_at, at);
    if (unseen) {
        kymo_usage_error(KYMO_USAGE_SILENCE);
    }
    return unseen;
}

#else

static bool was_unseen(struct kymo_lane *lane, uint64_t now) {
    return (void)lane, (void)now, false;
}

#endif

void kymo_ring_keep_alive(struct kymo_lane *lane, uint64_t now) {
    if (was_unseen(lane, now) || kymo_clock_is_past((kymo_clock_t)now, KYMO_LOAD(lane->limit))) {
        kymo_ring_attention(lane);
    }
}

void kymo_keep_all_alive(void) {
    const uint64_t now = kymo_arch_clock64();
    for (unsigned i = 0u; i < KYMO_LANES; i++) {
        kymo_ring_keep_alive(&kymo_lanes[i], now);
    }
}

void kymo_clock_check(void) {
    const kymo_clock_t start = kymo_arch_clock();
    bool stands = true;
    for (uint32_t looks = CLOCK_LOOKS; looks > 0u && stands; looks--) {
        stands = kymo_arch_clock() == start;
    }
    KYMO_STORE(kymo_clock_stands, stands);
    switch_to(KYMO_LOAD(kymo_stopped) || stands);
}

#endif
