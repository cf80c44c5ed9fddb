/* SPDX-License-Identifier: MIT */
/* AArch64 for kymo/counters.h: the performance monitors, if the core has them ("Arm Architecture Reference Manual for
 * A-profile architecture" (DDI 0487), "The Performance Monitors Extension"). Takes the cycle counter and event
 * counter 0. At level 1 a level 2 above must let it through (MDCR_EL2.TPM 0), as boot code does; at level 3
 * instructions and events are counted only with MDCR_EL3.SPME 1, which is the firmware's to set. Events take the
 * counters 1 to 4; their numbers are those of "Common event numbers", or above them the core's own, for which
 * it cannot be checked whether the core counts them. */
#ifndef KYMO_AARCH64_COUNTERS_H
#define KYMO_AARCH64_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#define KYMO_PMCR_ENABLE 0x1u
#define KYMO_PMCR_DIVIDE 0x8u /* counts every 64th cycle */
#define KYMO_PMCNTEN_CYCLES 0x80000000u
#define KYMO_PMU_V3P1 4u         /* from here on events have 16 bits, before 10 */
#define KYMO_PMU_INST_RETIRED 8u /* number of the event, and of its bit in PMCEID0_EL0 */
/* NSH: levels 0 and 1 are counted in any case, level 2 with it. */
#define KYMO_PMU_FILTER (KYMO_PRIVILEGE == 2 ? 0x08000000u : 0u)

/* Common events. */
#define KYMO_EVENT_CODE_MISSES 0x01u    /* L1I_CACHE_REFILL */
#define KYMO_EVENT_CACHE_MISSES 0x03u   /* L1D_CACHE_REFILL */
#define KYMO_EVENT_CACHE_ACCESSES 0x04u /* L1D_CACHE */
#define KYMO_EVENT_TLB_MISSES 0x05u     /* L1D_TLB_REFILL */
#define KYMO_EVENT_BRANCH_MISSES 0x10u  /* BR_MIS_PRED */
#define KYMO_EVENT_BRANCHES 0x12u       /* BR_PRED */
#define KYMO_EVENT_CACHE2_MISSES 0x17u  /* L2D_CACHE_REFILL */

/* ID_AA64DFR0_EL1.PMUVer; 0: no counters. */
static inline uint32_t kymo_pmu_version(void) {
    uint64_t debug;
    __asm__("mrs %0, id_aa64dfr0_el1" : "=r"(debug));
    const uint32_t version = (uint32_t)(debug >> 8) & 15u;
    return version != 15u ? version : 0u;
}

static inline uint32_t kymo_arch_counters_enable(void) {
    uint64_t control, events, choice = KYMO_PMU_FILTER;
    if (kymo_pmu_version() == 0u) {
        return 0u;
    }
    __asm__ volatile("mrs %0, pmcr_el0\n\tmrs %1, pmceid0_el0" : "=r"(control), "=r"(events));
    uint64_t enable = KYMO_PMCNTEN_CYCLES;
    uint32_t there = KYMO_COUNTER_CYCLES;
    __asm__ volatile("msr pmccfiltr_el0, %0" ::"r"(choice));
    if ((control >> 11 & 31u) != 0u && (events >> KYMO_PMU_INST_RETIRED & 1u) != 0u) {
        choice |= KYMO_PMU_INST_RETIRED;
        __asm__ volatile("msr pmevtyper0_el0, %0" ::"r"(choice));
        enable |= 1u;
        there |= KYMO_COUNTER_INSTRUCTIONS;
    }
    control = (control | KYMO_PMCR_ENABLE) & ~(uint64_t)KYMO_PMCR_DIVIDE;
    __asm__ volatile("msr pmcntenset_el0, %0\n\tmsr pmcr_el0, %1\n\tisb" ::"r"(enable), "r"(control)
                     : "memory");
    return there;
}

/* The ISB keeps the reading after the code that it is to measure. */
static inline uint32_t kymo_arch_cycles(void) {
    uint64_t cycles;
    __asm__ volatile("isb\n\tmrs %0, pmccntr_el0" : "=r"(cycles)::"memory");
    return (uint32_t)cycles;
}

static inline uint32_t kymo_arch_instructions(void) {
    uint64_t instructions;
    __asm__ volatile("isb\n\tmrs %0, pmevcntr0_el0" : "=r"(instructions)::"memory");
    return (uint32_t)instructions;
}

/* PMCEID0_EL0 and PMCEID1_EL0: the low halves have the events 0 to 63, the high ones 0x4000 to 0x403f. */
static inline bool kymo_pmu_counts(uint32_t version, uint32_t event) {
    const uint32_t bit = event & 0x1fu;
    uint64_t first, second;
    __asm__ volatile("mrs %0, pmceid0_el0\n\tmrs %1, pmceid1_el0" : "=r"(first), "=r"(second));
    const uint64_t events = (event & 0x20u) != 0u ? second : first;
    if (event < 0x40u) {
        return (events >> bit & 1u) != 0u;
    }
    if (version < KYMO_PMU_V3P1) {
        return event < 0x400u;
    }
    return event >= 0x4000u && event < 0x4040u ? (events >> (32u + bit) & 1u) != 0u
                                               : event < 0x10000u;
}

/* The registers of counter 1, 2, 3 or 4. */
#define KYMO_PMU_OF(counter, access, operand)                                                      \
    do {                                                                                           \
        if ((counter) == 0u) {                                                                     \
            access(1, operand);                                                                    \
        } else if ((counter) == 1u) {                                                              \
            access(2, operand);                                                                    \
        } else if ((counter) == 2u) {                                                              \
            access(3, operand);                                                                    \
        } else {                                                                                   \
            access(4, operand);                                                                    \
        }                                                                                          \
    } while (0)
#define KYMO_PMU_CHOOSE(n, event) __asm__ volatile("msr pmevtyper" #n "_el0, %0" ::"r"(event))
#define KYMO_PMU_READ(n, count)                                                                    \
    __asm__ volatile("isb\n\tmrs %0, pmevcntr" #n "_el0" : "=r"(count)::"memory")

static inline bool kymo_arch_event_start(uint32_t counter, uint32_t event) {
    const uint32_t version = kymo_pmu_version();
    uint64_t control;
    if (version == 0u || counter > 3u || !kymo_pmu_counts(version, event)) {
        return false;
    }
    __asm__ volatile("mrs %0, pmcr_el0" : "=r"(control));
    if ((control >> 11 & 31u) < counter + 2u) {
        return false;
    }
    const uint64_t choice = KYMO_PMU_FILTER | event, enable = (uint64_t)2u << counter;
    KYMO_PMU_OF(counter, KYMO_PMU_CHOOSE, choice);
    __asm__ volatile("msr pmcntenset_el0, %0\n\tisb" ::"r"(enable) : "memory");
    return true;
}

static inline uint32_t kymo_arch_event_count(uint32_t counter) {
    uint64_t count;
    KYMO_PMU_OF(counter, KYMO_PMU_READ, count);
    return (uint32_t)count;
}

#endif
