/* SPDX-License-Identifier: MIT */
/* x86 for kymo/counters.h: the fixed counters 0 (instructions) and 1 (cycles) by RDPMC, where the core has them and the
 * firmware has switched them on. SDM volume 3, "Performance Monitoring", and volume 2, CPUID, leaf 0AH. Reading them is
 * not tested: the emulator has no such counters. */
#ifndef KYMO_X86_COUNTERS_H
#define KYMO_X86_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#define KYMO_RDPMC_FIXED 0x40000000u

#define KYMO_FIXED_CTR_CTRL                                                                        \
    0x38du /* bits 0 and 1: counter 0 counts in some mode; 4 and 5: counter 1 */
#define KYMO_PERF_GLOBAL_CTRL 0x38fu /* bits 32 and 33: they are on */

static inline uint64_t kymo_x86_rdmsr(uint32_t number) {
    uint32_t low, high;
    __asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(number));
    return (uint64_t)high << 32 | low;
}

/* Version 2 brought the two registers. */
static inline bool kymo_x86_has_fixed_counters(void) {
    uint32_t eax = 0u, ebx, ecx = 0u, edx;
    __asm__("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
    if (eax < 0x0au) {
        return false;
    }
    eax = 0x0au;
    ecx = 0u;
    __asm__("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
    return (eax & 0xffu) >= 2u && (edx & 0x1fu) >= 2u;
}

static inline uint32_t kymo_arch_counters_enable(void) {
    if (!kymo_x86_has_fixed_counters()) {
        return 0u;
    }
    const uint64_t modes = kymo_x86_rdmsr(KYMO_FIXED_CTR_CTRL);
    const uint64_t on = kymo_x86_rdmsr(KYMO_PERF_GLOBAL_CTRL) >> 32;
    return ((on & 1u) != 0u && (modes & 0x03u) != 0u ? KYMO_COUNTER_INSTRUCTIONS : 0u) |
           ((on & 2u) != 0u && (modes & 0x30u) != 0u ? KYMO_COUNTER_CYCLES : 0u);
}

static inline uint32_t kymo_x86_rdpmc(uint32_t counter) {
    uint32_t low, high;
    __asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(counter));
    (void)high;
    return low;
}

static inline uint32_t kymo_arch_cycles(void) { return kymo_x86_rdpmc(KYMO_RDPMC_FIXED | 1u); }

static inline uint32_t kymo_arch_instructions(void) { return kymo_x86_rdpmc(KYMO_RDPMC_FIXED); }

#endif
