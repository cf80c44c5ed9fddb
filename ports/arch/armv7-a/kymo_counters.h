/* SPDX-License-Identifier: MIT */
/* Armv7-A for kymo/counters.h: the cycle counter of the performance monitors, if the core has them ("ARM Architecture
 * Reference Manual ARMv7-A and ARMv7-R edition" (DDI 0406C), chapter C12 and B4.1). Its other counters are reached
 * through a selector that an interrupt could change, so instructions are not counted by themselves: they are an event
 * (8). Events take the counters 0 to 3, each reading of which masks interrupts; their numbers are those of C12.8 or,
 * above these, the core's own, for which it cannot be checked whether the core counts them. */
#ifndef KYMO_ARMV7A_COUNTERS_H
#define KYMO_ARMV7A_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#define KYMO_PMCR_ENABLE 0x1u
#define KYMO_PMCR_DIVIDE 0x8u /* counts every 64th cycle */
#define KYMO_PMCNTEN_CYCLES 0x80000000u
#define KYMO_PMSELR_CYCLES 31u
#define KYMO_PMXEVTYPER_HYP 0x08000000u
#define KYMO_PMU_V3 3u
#define KYMO_PMXEVTYPER_EVENTS 0x400u /* of v8.1 on 0x10000, of which no more is used */

/* Common events. */
#define KYMO_EVENT_CODE_MISSES 0x01u    /* L1I_CACHE_REFILL */
#define KYMO_EVENT_CACHE_MISSES 0x03u   /* L1D_CACHE_REFILL */
#define KYMO_EVENT_CACHE_ACCESSES 0x04u /* L1D_CACHE */
#define KYMO_EVENT_TLB_MISSES 0x05u     /* L1D_TLB_REFILL */
#define KYMO_EVENT_BRANCH_MISSES 0x10u  /* BR_MIS_PRED */
#define KYMO_EVENT_BRANCHES 0x12u       /* BR_PRED */
#define KYMO_EVENT_CACHE2_MISSES 0x17u  /* L2D_CACHE_REFILL */

/* ID_DFR0; 0: no counters. */
static inline uint32_t kymo_pmu_version(void) {
    uint32_t debug;
    __asm__("mrc p15, 0, %0, c0, c1, 2" : "=r"(debug));
    const uint32_t version = debug >> 24 & 15u;
    return version != 15u ? version : 0u;
}

static inline uint32_t kymo_arch_counters_enable(void) {
    uint32_t control;
    if (kymo_pmu_version() == 0u) {
        return 0u;
    }
#if KYMO_PRIVILEGE == 2
    __asm__ volatile(
        "mcr p15, 0, %0, c9, c12, 5\n\tisb\n\tmcr p15, 0, %1, c9, c13, 1" /* PMSELR, PMXEVTYPER */
        ::"r"(KYMO_PMSELR_CYCLES),
        "r"(KYMO_PMXEVTYPER_HYP)
        : "memory");
#endif
    __asm__ volatile("mrc p15, 0, %0, c9, c12, 0" : "=r"(control)); /* PMCR */
    control = (control | KYMO_PMCR_ENABLE) & ~KYMO_PMCR_DIVIDE;
    __asm__ volatile(
        "mcr p15, 0, %0, c9, c12, 1\n\tmcr p15, 0, %1, c9, c12, 0\n\tisb" /* PMCNTENSET, PMCR */
        ::"r"(KYMO_PMCNTEN_CYCLES),
        "r"(control)
        : "memory");
    return KYMO_COUNTER_CYCLES;
}

/* PMCCNTR. The ISB keeps the reading after the code that it is to measure. */
static inline uint32_t kymo_arch_cycles(void) {
    uint32_t cycles;
    __asm__ volatile("isb\n\tmrc p15, 0, %0, c9, c13, 0" : "=r"(cycles)::"memory");
    return cycles;
}

/* Sets PMSELR and returns its old value: the interrupted code may have set it. With interrupts masked. */
static inline uint32_t kymo_pmu_select(uint32_t counter) {
    uint32_t before;
    __asm__ volatile("mrc p15, 0, %0, c9, c12, 5\n\tmcr p15, 0, %1, c9, c12, 5\n\tisb"
                     : "=&r"(before)
                     : "r"(counter)
                     : "memory");
    return before;
}

/* PMCEID0, and PMCEID1, which has a meaning from version 3 on. Not each emulator has them. */
static inline bool kymo_pmu_counts(uint32_t version, uint32_t event) {
    uint32_t events = 0u;
    if (event < 0x20u) {
        __asm__ volatile("mrc p15, 0, %0, c9, c12, 6" : "=r"(events));
    } else if (event < 0x40u && version >= KYMO_PMU_V3) {
        __asm__ volatile("mrc p15, 0, %0, c9, c12, 7" : "=r"(events));
    }
    return event < 0x40u ? (events >> event % 32u & 1u) != 0u : event < KYMO_PMXEVTYPER_EVENTS;
}

static inline bool kymo_arch_event_start(uint32_t counter, uint32_t event) {
    const uint32_t version = kymo_pmu_version();
    uint32_t control;
    if (version == 0u || !kymo_pmu_counts(version, event)) {
        return false;
    }
    __asm__ volatile("mrc p15, 0, %0, c9, c12, 0" : "=r"(control)); /* PMCR */
    if (counter >= (control >> 11 & 31u)) {
        return false;
    }
    const uint32_t choice = event | (KYMO_PRIVILEGE == 2 ? KYMO_PMXEVTYPER_HYP : 0u);
    const uint32_t enable = 1u << counter;
    const kymo_arch_state state = kymo_arch_mask();
    const uint32_t before = kymo_pmu_select(counter);
    __asm__ volatile(
        "mcr p15, 0, %0, c9, c13, 1\n\tmcr p15, 0, %1, c9, c12, 1\n\tisb" ::"r"(choice), "r"(enable)
        : "memory"); /* PMXEVTYPER, PMCNTENSET */
    (void)kymo_pmu_select(before);
    kymo_arch_unmask(state);
    return true;
}

/* PMXEVCNTR */
static inline uint32_t kymo_arch_event_count(uint32_t counter) {
    uint32_t count;
    const kymo_arch_state state = kymo_arch_mask();
    const uint32_t before = kymo_pmu_select(counter);
    __asm__ volatile("mrc p15, 0, %0, c9, c13, 2" : "=r"(count)::"memory");
    (void)kymo_pmu_select(before);
    kymo_arch_unmask(state);
    return count;
}

#endif
