/* SPDX-License-Identifier: MIT */
/* Common to the two forms of zones with counters. */
#ifndef KYMO_COUNTING_H
#define KYMO_COUNTING_H

#include "../ring/ring.h"
#include "kymo/counters.h"
#include "kymo/zone_counters.h"

/* Which of a lane's core count; 0: not looked yet. */
#define KYMO_LOOKED 0x80u
extern uint8_t kymo_counting[KYMO_LANES];

/* An interrupt that comes meanwhile looks too, and finds the same. */
static inline uint32_t kymo_counting_on(const struct kymo_lane *lane) {
    uint8_t *const known = &kymo_counting[kymo_lane_index(lane)];
    if (KYMO_UNLIKELY(*known == 0u)) {
        *known = (uint8_t)(kymo_counters_start() | KYMO_LOOKED);
    }
    return *known;
}

/* Last at a zone's begin, so that they count little of this; each by itself, as compilers copy structures by
 * memcpy(). */
static inline uint32_t kymo_counting_instructions(uint32_t there) {
    return (there & KYMO_COUNTER_INSTRUCTIONS) != 0u ? kymo_arch_instructions() : 0u;
}
static inline uint32_t kymo_counting_cycles(uint32_t there) {
    return (there & KYMO_COUNTER_CYCLES) != 0u ? kymo_arch_cycles() : 0u;
}

/* First at its end. */
static inline void kymo_counts_record(const struct kymo_counted_zone *counted) {
    const struct kymo_lane *lane = kymo_lane_of_zone(counted->zone);
    if (KYMO_CHECK != 0 && lane == NULL) {
        return;
    }
    const uint32_t there = kymo_counting_on(lane);
    const uint32_t words[2] = {
        (there & KYMO_COUNTER_CYCLES) != 0u ? kymo_arch_cycles() - counted->cycles : 0u,
        (there & KYMO_COUNTER_INSTRUCTIONS) != 0u ? kymo_arch_instructions() - counted->instructions
                                                  : 0u};
    if (there != KYMO_LOOKED && kymo_lane_is_here(lane)) {
        (void)kymo_ring_long(KYMO_KIND_ZONE_COUNTERS, 0u, words, words[1] != 0u ? 2u : 1u);
    }
}

#endif
