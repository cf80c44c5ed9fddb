/* SPDX-License-Identifier: MIT */
/* x86 for kymo/counters.h: the fixed counters 0 (instructions) and 1 (cycles) by RDPMC, where the firmware has
 * switched them on and says so by KYMO_COUNTERS 1: SDM volume 3, "Performance Monitoring", IA32_FIXED_CTR_CTRL
 * and IA32_PERF_GLOBAL_CTRL. Not tested: the emulator has no such counters. */
#ifndef KYMO_X86_COUNTERS_H
#define KYMO_X86_COUNTERS_H

#include <stdint.h>

#define KYMO_RDPMC_FIXED 0x40000000u

static inline uint32_t kymo_arch_counters_enable(void) { return KYMO_ARCH_COUNTERS; }

static inline uint32_t kymo_x86_rdpmc(uint32_t counter) {
    uint32_t low, high;
    __asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(counter));
    (void)high;
    return low;
}

static inline uint32_t kymo_arch_cycles(void) { return kymo_x86_rdpmc(KYMO_RDPMC_FIXED | 1u); }

static inline uint32_t kymo_arch_instructions(void) { return kymo_x86_rdpmc(KYMO_RDPMC_FIXED); }

#endif
