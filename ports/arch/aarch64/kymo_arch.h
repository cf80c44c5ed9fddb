/* SPDX-License-Identifier: MIT */
/* AArch64 without an operating system, exception level 1, 2 or 3, for kymo/arch.h. Source: "Arm Architecture
 * Reference Manual for A-profile architecture" (DDI 0487), its sections by name.
 *
 *   KYMO_PRIVILEGE        exception level of the firmware: 1 (default), 2 or 3. Level 1 reads the virtual
 *                         counter, which nobody traps, the others the physical one
 *   KYMO_CLOCK_HZ         rate of the counter; 0 (default) = what CNTFRQ_EL0 says. Some boot code leaves
 *                         nothing or something wrong there
 *   KYMO_LANE_NUMBER      with more than one lane, or one and KYMO_CHECK, where its number comes from:
 *                         0 (default) affinity level 0 of MPIDR_EL1, less KYMO_FIRST_CORE
 *                         1 unsigned kymo_own_lane(void), the platform's own; for cores in several
 *                           clusters
 *                         2 affinity level 1 of MPIDR_EL1, less KYMO_FIRST_CORE: where MPIDR_EL1.MT is set
 *                           (Cortex-A55, A75 and later)
 *   KYMO_FIRST_CORE       number of the core whose lane is 0 (default 0)
 *
 * On several cores at level 1, CNTVOFF_EL2 must be the same on all, as it is where level 2
 * has been left properly or does not exist. */
#ifndef KYMO_AARCH64_ARCH_H
#define KYMO_AARCH64_ARCH_H

#include <stdint.h>

#include "kymo/config.h"
#include "kymo/language.h"

#if !defined(__aarch64__)
#error "ports/arch/aarch64 is for AArch64: choose the ARCH of this compiler's core"
#endif
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

#if KYMO_PRIVILEGE < 1 || KYMO_PRIVILEGE > 3
#error "KYMO_PRIVILEGE must be 1, 2 or 3: level 0 cannot mask interrupts, see ports/arch/posix"
#endif
#if KYMO_LANE_NUMBER < 0 || KYMO_LANE_NUMBER > 2
#error                                                                                             \
    "KYMO_LANE_NUMBER must be 0 or 2 (MPIDR_EL1, affinity level 0 or 1) or 1 (your kymo_own_lane())"
#endif

/* ---- clock ---- */

#if KYMO_PRIVILEGE == 1
#define KYMO_AARCH64_COUNTER "cntvct_el0"
#else
#define KYMO_AARCH64_COUNTER "cntpct_el0"
#endif

typedef uint64_t kymo_clock_t;
#define KYMO_ARCH_CLOCK_BITS 64

/* Without the ISB the counter may be read before the instructions in front of it, an earlier read of it
 * among them ("The Generic Timer in AArch64 state", reads of the counters), and time could go back. */
static inline kymo_clock_t kymo_arch_clock(void) {
    uint64_t now;
    __asm__ volatile("isb\n\tmrs %0, " KYMO_AARCH64_COUNTER : "=r"(now)::"memory");
    return now;
}

static inline uint64_t kymo_arch_clock64(void) { return kymo_arch_clock(); }

static inline uint64_t kymo_arch_clock_hz(void) {
    uint64_t hz = (uint64_t)KYMO_CLOCK_HZ;
    if (hz == 0u) {
        __asm__("mrs %0, cntfrq_el0" : "=r"(hz));
    }
    return hz & UINT32_MAX; /* the upper half is reserved */
}

/* ---- lane ---- */

#if !KYMO_LANE_ASKED
static inline uintptr_t kymo_arch_lane(void) { return 0u; }
#elif KYMO_LANE_NUMBER != 1
static inline uintptr_t kymo_arch_lane(void) {
    uint64_t affinity;
    /* Not volatile: it never changes, so the compiler may keep it. */
    __asm__("mrs %0, mpidr_el1" : "=r"(affinity));
    return (affinity >> (KYMO_LANE_NUMBER == 2 ? 8 : 0) & 0xffu) - (uintptr_t)KYMO_FIRST_CORE;
}
#else
unsigned kymo_own_lane(void);
static inline uintptr_t kymo_arch_lane(void) { return kymo_own_lane(); }
#endif

/* ---- keeping interrupts out ---- */

#define KYMO_ARCH_ATOMIC 0
typedef uint64_t kymo_arch_state;

/* IRQ and FIQ: bits 1 and 0 of DAIFSet's operand, bits 7 and 6 of DAIF. Both writes take effect before the
 * next instruction, so no barrier follows ("Process state, PSTATE"). */
static inline kymo_arch_state kymo_arch_mask(void) {
    kymo_arch_state before;
    __asm__ volatile("mrs %0, daif\n\tmsr daifset, #3" : "=r"(before)::"memory");
    return before;
}

static inline void kymo_arch_unmask(kymo_arch_state before) {
    __asm__ volatile("msr daif, %0" ::"r"(before) : "memory");
}

/* ---- stores ---- */

#define KYMO_ARCH_PUTS_PAIRS 1
static inline __attribute__((always_inline)) uint32_t *kymo_arch_put_pair(uint32_t *at,
                                                                          uint32_t first,
                                                                          uint32_t second) {
    __asm__ volatile("stp %w1, %w2, [%0], #8" : "+r"(at) : "r"(first), "r"(second) : "memory");
    return at;
}
static inline __attribute__((always_inline)) uint32_t *kymo_arch_put_both(uint32_t *at,
                                                                          uint64_t both) {
    uint32_t *next;
    __asm__ volatile("str %x2, [%1]\n\tadd %0, %1, #8"
                     : "=r"(next)
                     : "r"(at), "r"(both)
                     : "memory");
    return next;
}

/* ---- call stacks and counters: kymo/unwind.h, kymo/counters.h ---- */

#define KYMO_ARCH_UNWIND KYMO_UNWIND_FRAMES
#define KYMO_ARCH_CODE_IS_EVEN 1

/* ELR_ELx. */
#define KYMO_ARCH_INTERRUPTED_PC 1
static inline uintptr_t kymo_arch_interrupted_pc(void) {
    uintptr_t pc;
#if KYMO_PRIVILEGE == 1
    __asm__ volatile("mrs %0, elr_el1" : "=r"(pc));
#elif KYMO_PRIVILEGE == 2
    __asm__ volatile("mrs %0, elr_el2" : "=r"(pc));
#else
    __asm__ volatile("mrs %0, elr_el3" : "=r"(pc));
#endif
    return pc;
}

#define KYMO_ARCH_COUNTERS (KYMO_COUNTER_CYCLES | KYMO_COUNTER_INSTRUCTIONS)
#define KYMO_ARCH_EVENTS 1

KYMO_C_END

#define KYMO_ARCH_NAME "aarch64"

#endif
