/* The core's own counters. Part of the contract of an arch port (arch.h), which defines in its kymo_arch.h
 *
 *   KYMO_ARCH_COUNTERS   the counters that it knows to read, KYMO_COUNTER_CYCLES or KYMO_COUNTER_INSTRUCTIONS or
 *                        both; 0, as if it were not defined: none
 *
 * and if there are any has a "kymo_counters.h" beside it, with
 *
 *   uint32_t kymo_arch_counters_enable(void)   switches on, on this core, what they need, and returns which of
 *                                              them may then be read without a fault
 *   uint32_t kymo_arch_cycles(void)            of the core's clock, low 32 bits: take differences
 *   uint32_t kymo_arch_instructions(void)      retired, likewise
 *
 * all static inline. Cycles are of the one core that reads them, stand still where that sleeps, and change their
 * rate with it: they measure costs, not time. */
#ifndef KYMO_COUNTERS_H
#define KYMO_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#define KYMO_COUNTER_CYCLES 1u
#define KYMO_COUNTER_INSTRUCTIONS 2u

#include "kymo/arch.h"

#ifndef KYMO_ARCH_COUNTERS
#define KYMO_ARCH_COUNTERS 0u
#endif

#if KYMO_ARCH_COUNTERS != 0u
#include "kymo_counters.h"
#else
static inline uint32_t kymo_arch_counters_enable(void) { return 0u; }
#endif
#if (KYMO_ARCH_COUNTERS & 1u) == 0u
static inline uint32_t kymo_arch_cycles(void) { return 0u; }
#endif
#if (KYMO_ARCH_COUNTERS & 2u) == 0u
static inline uint32_t kymo_arch_instructions(void) { return 0u; }
#endif

/* Whether it moves within some looks, of which each takes several cycles and instructions. */
static inline bool kymo_counter_moves(uint32_t (*counter)(void)) {
    const uint32_t start = counter();
    bool moves = false;
    for (uint32_t looks = 0u; looks < 64u && !moves; looks++) {
        moves = counter() != start;
    }
    return moves;
}

/* Switches the counters of this core on, and returns those that were seen to count: the others must not be read, as
 * some trap. Once on each core, before they are used; takes up to some thousand cycles. */
static inline uint32_t kymo_counters_start(void) {
    const uint32_t there = kymo_arch_counters_enable();
    uint32_t counting = 0u;
    if ((there & KYMO_COUNTER_CYCLES) != 0u && kymo_counter_moves(kymo_arch_cycles)) {
        counting |= KYMO_COUNTER_CYCLES;
    }
    if ((there & KYMO_COUNTER_INSTRUCTIONS) != 0u && kymo_counter_moves(kymo_arch_instructions)) {
        counting |= KYMO_COUNTER_INSTRUCTIONS;
    }
    return counting;
}

#endif
