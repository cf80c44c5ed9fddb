/* SPDX-License-Identifier: MIT */
/* Cortex-M for kymo/counters.h: the cycle counter of the DWT unit, whichever clock events are stamped with. */
#ifndef KYMO_CORTEXM_COUNTERS_H
#define KYMO_CORTEXM_COUNTERS_H

#include <stdint.h>

static inline uint32_t kymo_arch_counters_enable(void) {
    return kymo_cortexm_cycles_start() ? KYMO_COUNTER_CYCLES : 0u;
}

static inline uint32_t kymo_arch_cycles(void) { return kymo_cortexm_get(KYMO_CORTEXM_DWT_CYCCNT); }

#endif
