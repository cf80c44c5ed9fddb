/* SPDX-License-Identifier: MIT */
/* The core's hardware counters. Part of the contract of an arch port (arch.h). Its kymo_arch.h defines
 *
 *   KYMO_ARCH_COUNTERS   the counters that it can read: KYMO_COUNTER_CYCLES, KYMO_COUNTER_INSTRUCTIONS or both; 0 or
 *                        not defined: none
 *
 * and if it has any, there is a "kymo_counters.h" beside it with
 *
 *   uint32_t kymo_arch_counters_enable(void)   enables the counters of this core; returns those that can then be
 *                                              read without a fault
 *   uint32_t kymo_arch_cycles(void)            cycles of the core's clock, low 32 bits: use differences
 *   uint32_t kymo_arch_instructions(void)      retired instructions, low 32 bits: use differences
 *
 * all static inline. A port of a core that can count other events also defines in its kymo_arch.h
 *
 *   KYMO_ARCH_EVENTS     1
 *
 * and in its kymo_counters.h
 *
 *   bool kymo_arch_event_start(uint32_t counter, uint32_t event)
 *                        lets counter 0, 1, 2 ... of this core count the event of that number; false if the core has
 *                        no such counter, or says that it does not count the event
 *   uint32_t kymo_arch_event_count(uint32_t counter)
 *                        how often, low 32 bits: use differences. Only of a counter that was started
 *   KYMO_EVENT_...       the numbers of the events below that the architecture has
 *
 * Cycles belong to the core that reads them, stop while it sleeps and change their rate with its
 * clock: they measure costs, not time. */
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
#ifndef KYMO_ARCH_EVENTS
#define KYMO_ARCH_EVENTS 0
#endif

#if KYMO_ARCH_COUNTERS != 0u
#include "kymo_counters.h"
#else
static inline uint32_t kymo_arch_counters_enable(void) { return 0u; }
static inline uint32_t kymo_arch_cycles(void) { return 0u; }
#endif
#if (KYMO_ARCH_COUNTERS & 2u) == 0u
static inline uint32_t kymo_arch_instructions(void) { return 0u; }
#endif

/* The number of events that can be counted at a time, in addition to cycles and instructions. */
#define KYMO_COUNTER_EVENTS 4u

#if !KYMO_ARCH_EVENTS
static inline bool kymo_arch_event_start(uint32_t counter, uint32_t event) {
    (void)counter;
    (void)event;
    return false;
}
static inline uint32_t kymo_arch_event_count(uint32_t counter) {
    (void)counter;
    return 0u;
}
#endif

/* Events by name, where the architecture gives them numbers: such a port defines all seven. Elsewhere the numbers are
 * in the manual of the core. */
#define KYMO_EVENT_UNKNOWN 0xffffffffu
#ifndef KYMO_EVENT_CACHE_MISSES
#define KYMO_EVENT_CACHE_MISSES KYMO_EVENT_UNKNOWN   /* refills of the first data cache */
#define KYMO_EVENT_CACHE_ACCESSES KYMO_EVENT_UNKNOWN /* of the first data cache */
#define KYMO_EVENT_CODE_MISSES KYMO_EVENT_UNKNOWN    /* refills of the first instruction cache */
#define KYMO_EVENT_CACHE2_MISSES KYMO_EVENT_UNKNOWN  /* refills of the second cache */
#define KYMO_EVENT_TLB_MISSES KYMO_EVENT_UNKNOWN     /* refills of the first TLB for data */
/* Branches that the core could predict, those of wrong paths among them; those that it predicted wrongly, or not at
 * all. */
#define KYMO_EVENT_BRANCHES KYMO_EVENT_UNKNOWN
#define KYMO_EVENT_BRANCH_MISSES KYMO_EVENT_UNKNOWN
#endif

/* True if the counter changes within 64 readings, each of which takes several cycles and instructions. */
static inline bool kymo_counter_moves(uint32_t (*counter)(void)) {
    const uint32_t start = counter();
    bool moves = false;
    for (uint32_t looks = 0u; looks < 64u && !moves; looks++) {
        moves = counter() != start;
    }
    return moves;
}

/* Enables the counters of this core and returns those that count. Do not read the others: some trap. Call it once on
 * each core before using them; takes up to some thousand cycles. */
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
