/* SPDX-License-Identifier: MIT */
/* Cores whose counters differ, as RISC-V's cycle counters do: each lane adds a number to its core's counter, so that
 * all show the time of lane 0's. Two cores find it by exchanged stamps: the counter of lane 0 was read between two
 * readings of the other one. Needs KYMO_CORE_CLOCKS 1, a lane for each core, and an arch port that has
 * kymo_arch_counter64(). */
#ifndef KYMO_CORE_CLOCK_H
#define KYMO_CORE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "kymo/config.h"
#include "kymo/language.h"

KYMO_C_BEGIN

/* The state of one lane, all zero at the start. Private to kymo. */
struct kymo_core_clock {
    uint64_t offset; /* is added to the counter */
    uint64_t ticks;  /* answer of lane 0 */
    uint32_t asked, answered;
    uint32_t error; /* of the offset, ticks; UINT32_MAX: as much or more */
    uint32_t
        most; /* the greatest error since the first setting: each one finds how far the time has drifted */
    uint32_t times; /* it was found so often; 0: never */
};

#if KYMO_ENABLE && KYMO_CORE_CLOCKS
extern struct kymo_core_clock kymo_core_clocks[KYMO_LANES];

static inline uint64_t kymo_core_clock_offset(uintptr_t lane) {
    return lane < (uintptr_t)KYMO_LANES ? kymo_core_clocks[lane].offset : 0u;
}

/* On a core other than lane 0's, before it records its first event and now and then after that, from one context that
 * kymo_core_clock_answer() does not run in. Asks 16 times and waits for each answer as long as 65536 looks take.
 * Returns false if no answer came, or if its counter leapt so far ahead that time would go back: then the offset
 * stays, in the second case with an error as large as the leap. A correction that goes back a little waits, with
 * interrupts masked, until time has caught up. The error is that of the moment: until the next setting the counters'
 * rates, which differ, add to it, and that setting finds how much: call this at the end, too. */
bool kymo_core_clock_set(void) KYMO_NOEXCEPT;
/* On lane 0's core, as often and as promptly as possible while others ask: answers each of them once. */
void kymo_core_clock_answer(void) KYMO_NOEXCEPT;
#else
/* Without KYMO_CORE_CLOCKS both do nothing, and no clock is set. */
KYMO_INLINE_ bool kymo_core_clock_set(void) { return false; }
KYMO_INLINE_ void kymo_core_clock_answer(void) {}
#endif

KYMO_C_END

#endif
