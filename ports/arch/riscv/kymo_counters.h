/* SPDX-License-Identifier: MIT */
/* RISC-V for kymo/counters.h: cycle and instret ("The RISC-V Instruction Set Manual", volume I, chapter 10). Machine
 * mode reads them always; the other modes only if each mode above lets them (mcounteren, scounteren). No mode can
 * check this without a trap: where they do not, a zone with counters traps. mcountinhibit stays as it is: where the
 * firmware sets it, bits 0, 2 and 3 to 6 must be 0.
 *
 * Events, in machine mode, are those of mhpmcounter3 to mhpmcounter6 (volume II, 3.1.10 "Hardware Performance
 * Monitor"). Their numbers are the low 32 bits of mhpmevent, which each maker of cores defines; there are no common
 * ones. A counter that a core does not have keeps 0 in its mhpmevent. Many cores take any number, and count nothing for
 * one without a meaning. */
#ifndef KYMO_RISCV_COUNTERS_H
#define KYMO_RISCV_COUNTERS_H

#include <stdbool.h>
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

#if KYMO_ARCH_EVENTS

/* mhpmevent3 and mhpmcounter3 by their numbers: assemblers without a privileged version do not know the names. */
#define KYMO_RISCV_EVENT(counter, set, is)                                                         \
    __asm__ volatile("csrw 0x32" #counter ", %1\n\tcsrr %0, 0x32" #counter : "=&r"(is) : "r"(set))
#define KYMO_RISCV_COUNT(counter, count) __asm__ volatile("csrr %0, 0xb0" #counter : "=r"(count))

static inline bool kymo_arch_event_start(uint32_t counter, uint32_t event) {
    const unsigned long set = event;
    unsigned long is = 0u;
    switch (counter) {
    case 0u:
        KYMO_RISCV_EVENT(3, set, is);
        break;
    case 1u:
        KYMO_RISCV_EVENT(4, set, is);
        break;
    case 2u:
        KYMO_RISCV_EVENT(5, set, is);
        break;
    case 3u:
        KYMO_RISCV_EVENT(6, set, is);
        break;
    default:
        break;
    }
    return event != 0u && is == set;
}

static inline uint32_t kymo_arch_event_count(uint32_t counter) {
    unsigned long count;
    if (counter == 0u) {
        KYMO_RISCV_COUNT(3, count);
    } else if (counter == 1u) {
        KYMO_RISCV_COUNT(4, count);
    } else if (counter == 2u) {
        KYMO_RISCV_COUNT(5, count);
    } else {
        KYMO_RISCV_COUNT(6, count);
    }
    return (uint32_t)count;
}

#endif

#endif
