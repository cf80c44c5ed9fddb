/* SPDX-License-Identifier: MIT */
/* Armv7-A, and Armv8-A in AArch32 state, without an operating system, for kymo/arch.h: privilege level 1 (SVC
 * and its like, secure or not) and 2 (Hyp mode). Source: "ARM Architecture Reference Manual ARMv7-A and
 * ARMv7-R edition" (DDI 0406C), to which section numbers refer. The core must have the Generic Timer: so
 * Cortex-A7, A12, A15, A17, A32 and later, not A5, A8 and A9.
 *
 *   KYMO_PRIVILEGE        privilege level of the firmware: 1 (default) or 2. Level 1 reads the virtual
 *                         counter, which nobody traps, level 2 the physical one
 *   KYMO_CLOCK_HZ         rate of the counter; 0 (default) = what CNTFRQ says. Some boot code leaves
 *                         nothing or something wrong there
 *   KYMO_LANE_NUMBER      with more than one lane, or one and KYMO_CHECK, where its number comes from:
 *                         0 (default) MPIDR, less KYMO_FIRST_CORE
 *                         1 unsigned kymo_own_lane(void), the platform's own; for cores in several
 *                           clusters
 *   KYMO_FIRST_CORE       number of the core whose lane is 0 (default 0)
 *
 * Events carry the low half of the counter: call kymo_clock_keepalive() at least once in half a wrap of it less
 * 1 % (at 100 MHz 21 s), from a periodic interrupt for example. */
#ifndef KYMO_ARMV7A_ARCH_H
#define KYMO_ARMV7A_ARCH_H

#include <stdint.h>

#include "kymo/config.h"
#include "kymo/language.h"

#define KYMO_ARCH_COUNTS_ZEROS 1

KYMO_C_BEGIN

#ifndef KYMO_PRIVILEGE
#define KYMO_PRIVILEGE 1
#endif
#ifndef KYMO_CLOCK_HZ
#define KYMO_CLOCK_HZ 0
#endif
#ifndef KYMO_LANE_NUMBER
#define KYMO_LANE_NUMBER 0
#endif
#ifndef KYMO_FIRST_CORE
#define KYMO_FIRST_CORE 0
#endif
KYMO_RANGE_(KYMO_FIRST_CORE, 0, 65535);

#if !defined(__arm__) || (defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE != 'A')
#error "ports/arch/armv7-a is for A-profile cores; Cortex-M is ports/arch/cortex-m"
#endif
#if KYMO_PRIVILEGE != 1 && KYMO_PRIVILEGE != 2
#error "KYMO_PRIVILEGE must be 1 or 2: level 0 cannot mask interrupts, see ports/arch/posix"
#endif
#if KYMO_LANE_NUMBER != 0 && KYMO_LANE_NUMBER != 1
#error "KYMO_LANE_NUMBER must be 0 (MPIDR) or 1 (your kymo_own_lane())"
#endif

/* ---- clock ---- */

/* CNTVCT and CNTPCT: B8.2 and B4.1.30, B4.1.34. */
#if KYMO_PRIVILEGE == 1
#define KYMO_ARMV7A_COUNTER "mrrc p15, 1, %Q0, %R0, c14"
#else
#define KYMO_ARMV7A_COUNTER "mrrc p15, 0, %Q0, %R0, c14"
#endif

typedef uint32_t kymo_clock_t;
#define KYMO_ARCH_CLOCK_BITS 32

/* Both halves at once. Without the ISB the counter may be read before the instructions in front of it, an
 * earlier read of it among them (B8.1.2), and time could go back. */
static inline uint64_t kymo_arch_clock64(void) {
    uint64_t now;
    __asm__ volatile("isb\n\t" KYMO_ARMV7A_COUNTER : "=r"(now)::"memory");
    return now;
}

static inline kymo_clock_t kymo_arch_clock(void) { return (kymo_clock_t)kymo_arch_clock64(); }

static inline uint64_t kymo_arch_clock_hz(void) {
    uint32_t hz = (uint32_t)KYMO_CLOCK_HZ;
    if (hz == 0u) {
        __asm__("mrc p15, 0, %0, c14, c0, 0" : "=r"(hz));
    }
    return hz;
}

/* ---- lane ---- */

#if !KYMO_LANE_ASKED
static inline uintptr_t kymo_arch_lane(void) { return 0u; }
#elif KYMO_LANE_NUMBER == 0
static inline uintptr_t kymo_arch_lane(void) {
    uint32_t affinity;
    /* Not volatile: it never changes, so the compiler may keep it. */
    __asm__("mrc p15, 0, %0, c0, c0, 5" : "=r"(affinity));
    return (affinity & 0xffu) - (uintptr_t)KYMO_FIRST_CORE;
}
#else
unsigned kymo_own_lane(void);
static inline uintptr_t kymo_arch_lane(void) { return kymo_own_lane(); }
#endif

/* ---- keeping interrupts out ---- */

#define KYMO_ARCH_ATOMIC 0
typedef uint32_t kymo_arch_state;

/* IRQ and FIQ, bits 7 and 6 of CPSR. Both writes take effect before the next instruction, so no barrier
 * follows (A3.8.3, "Synchronization of changes to the CPSR"). */
static inline kymo_arch_state kymo_arch_mask(void) {
    kymo_arch_state before;
    __asm__ volatile("mrs %0, cpsr\n\tcpsid if" : "=r"(before)::"memory");
    return before;
}

/* The control byte only: flags and condition codes are the compiler's, and bit 8 (A) stays. */
static inline void kymo_arch_unmask(kymo_arch_state before) {
    __asm__ volatile("msr cpsr_c, %0" ::"r"(before) : "memory");
}

/* ---- call stacks and counters: kymo/unwind.h, kymo/counters.h ---- */

#define KYMO_ARCH_CODE_BITS 1u /* of Thumb code */
#define KYMO_ARCH_UNWIND KYMO_UNWIND_EHABI
#define KYMO_ARCH_CODE_IS_EVEN 1

#define KYMO_ARCH_COUNTERS KYMO_COUNTER_CYCLES
#define KYMO_ARCH_EVENTS 1

KYMO_C_END

#define KYMO_ARCH_NAME "armv7-a"

#endif
