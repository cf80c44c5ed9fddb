/* RISC-V for kymo/counters.h: cycle and instret ("The RISC-V Instruction Set Manual", volume I, chapter 10). Machine
 * mode reads them always; the other modes only if each mode above lets them (mcounteren, scounteren), which none
 * of them can ask without a trap: so KYMO_COUNTERS says it. mcountinhibit stays as it is. */
#ifndef KYMO_RISCV_COUNTERS_H
#define KYMO_RISCV_COUNTERS_H

#include <stdint.h>

static inline uint32_t kymo_arch_counters_enable(void) { return KYMO_ARCH_COUNTERS; }

static inline uint32_t kymo_arch_cycles(void) {
    unsigned long cycles;
    __asm__ volatile("rdcycle %0" : "=r"(cycles));
    return (uint32_t)cycles;
}

static inline uint32_t kymo_arch_instructions(void) {
    unsigned long instructions;
    __asm__ volatile("rdinstret %0" : "=r"(instructions));
    return (uint32_t)instructions;
}

#endif
