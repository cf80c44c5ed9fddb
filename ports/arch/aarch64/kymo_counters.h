/* AArch64 for kymo/counters.h: the performance monitors, if the core has them ("Arm Architecture Reference Manual for
 * A-profile architecture" (DDI 0487), "The Performance Monitors Extension"). Takes the cycle counter and event
 * counter 0. At level 1 a level 2 above must let it through (MDCR_EL2.TPM 0), as boot code does; at level 3
 * instructions are counted only with MDCR_EL3.SPME 1, which is the firmware's to set. */
#ifndef KYMO_AARCH64_COUNTERS_H
#define KYMO_AARCH64_COUNTERS_H

#include <stdint.h>

#define KYMO_PMCR_ENABLE 0x1u
#define KYMO_PMCR_DIVIDE 0x8u /* counts every 64th cycle */
#define KYMO_PMCNTEN_CYCLES 0x80000000u
#define KYMO_PMU_INST_RETIRED 8u /* number of the event, and of its bit in PMCEID0_EL0 */
/* NSH: levels 0 and 1 are counted in any case, level 2 with it. */
#define KYMO_PMU_FILTER (KYMO_PRIVILEGE == 2 ? 0x08000000u : 0u)

static inline uint32_t kymo_arch_counters_enable(void) {
    uint64_t debug, control, events, choice = KYMO_PMU_FILTER;
    __asm__("mrs %0, id_aa64dfr0_el1" : "=r"(debug));
    const uint64_t version = debug >> 8 & 15u;
    if (version == 0u || version == 15u) {
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

/* The ISB keeps the reading behind what it is to measure. */
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

#endif
