/* Armv7-A for kymo/counters.h: the cycle counter of the performance monitors, if the core has them ("ARM Architecture
 * Reference Manual ARMv7-A and ARMv7-R edition" (DDI 0406C), chapter C12 and B4.1). Its other counters are reached
 * through a selector that an interrupt could change, so instructions are not counted. */
#ifndef KYMO_ARMV7A_COUNTERS_H
#define KYMO_ARMV7A_COUNTERS_H

#include <stdint.h>

#define KYMO_PMCR_ENABLE 0x1u
#define KYMO_PMCR_DIVIDE 0x8u /* counts every 64th cycle */
#define KYMO_PMCNTEN_CYCLES 0x80000000u
#define KYMO_PMSELR_CYCLES 31u
#define KYMO_PMXEVTYPER_HYP 0x08000000u

static inline uint32_t kymo_arch_counters_enable(void) {
    uint32_t debug, control;
    __asm__("mrc p15, 0, %0, c0, c1, 2" : "=r"(debug)); /* ID_DFR0 */
    const uint32_t version = debug >> 24 & 15u;
    if (version == 0u || version == 15u) {
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

/* PMCCNTR. The ISB keeps the reading behind what it is to measure. */
static inline uint32_t kymo_arch_cycles(void) {
    uint32_t cycles;
    __asm__ volatile("isb\n\tmrc p15, 0, %0, c9, c13, 0" : "=r"(cycles)::"memory");
    return cycles;
}

#endif
