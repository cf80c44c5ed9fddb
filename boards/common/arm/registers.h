/* SPDX-License-Identifier: MIT */
/* The generic timer and the interrupt mask of an A-profile core, in AArch64 and in AArch32 state.
 * Sources: "Arm Architecture Reference Manual for A-profile architecture" (DDI 0487), chapters D12 and G6;
 * the same registers in "ARM Architecture Reference Manual ARMv7-A and ARMv7-R" (DDI 0406C), B8. */
#ifndef ARM_REGISTERS_H
#define ARM_REGISTERS_H

#include <stdint.h>

/* CNTV_CTL: counts, and its interrupt is not masked. */
#define TIMER_ON 1u

#ifdef __aarch64__

static inline uint32_t timer_hz(void) {
    uint64_t hz;
    __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(hz));
    return (uint32_t)hz;
}

static inline uint64_t timer_now(void) {
    uint64_t now;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(now)::"memory");
    return now;
}

static inline void timer_set(uint64_t deadline, uint32_t control) {
    __asm__ volatile("msr cntv_cval_el0, %0\n\tmsr cntv_ctl_el0, %1\n\tisb" ::"r"(deadline),
                     "r"((uint64_t)control)
                     : "memory");
}

static inline unsigned core_number(void) {
    uint64_t affinity;
    __asm__("mrs %0, mpidr_el1" : "=r"(affinity));
    return (unsigned)(affinity & 0xffu);
}

static inline void core_interrupts_on(void) { __asm__ volatile("msr daifclr, #2" ::: "memory"); }
static inline void core_interrupts_off(void) { __asm__ volatile("msr daifset, #2" ::: "memory"); }

#else

static inline uint32_t timer_hz(void) {
    uint32_t hz;
    __asm__ volatile("mrc p15, 0, %0, c14, c0, 0" : "=r"(hz));
    return hz;
}

static inline uint64_t timer_now(void) {
    uint64_t now;
    __asm__ volatile("isb\n\tmrrc p15, 1, %Q0, %R0, c14" : "=r"(now)::"memory");
    return now;
}

static inline void timer_set(uint64_t deadline, uint32_t control) {
    __asm__ volatile(
        "mcrr p15, 3, %Q0, %R0, c14\n\tmcr p15, 0, %1, c14, c3, 1\n\tisb" ::"r"(deadline),
        "r"(control)
        : "memory");
}

static inline unsigned core_number(void) {
    uint32_t affinity;
    __asm__("mrc p15, 0, %0, c0, c0, 5" : "=r"(affinity));
    return affinity & 0xffu;
}

static inline void core_interrupts_on(void) { __asm__ volatile("cpsie i" ::: "memory"); }
static inline void core_interrupts_off(void) { __asm__ volatile("cpsid i" ::: "memory"); }

#endif

#endif
