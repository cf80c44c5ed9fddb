/* AArch64 without an operating system, exception level 1, 2 or 3, for kymo/arch.h. Source: "Arm Architecture
 * Reference Manual for A-profile architecture" (DDI 0487), its sections by name.
 *
 *   KYMO_AARCH64_EL       exception level of the firmware: 1 (default), 2 or 3. Level 1 reads the virtual
 *                         counter, which nobody traps, the others the physical one
 *   KYMO_CLOCK_HZ         rate of the counter; 0 (default) = what CNTFRQ_EL0 says. Some boot code leaves
 *                         nothing or something wrong there
 *   KYMO_AARCH64_LANE     with more than one lane, or KYMO_LANE_CHECK, where its number comes from:
 *                         0 (default) MPIDR_EL1, less KYMO_AARCH64_CORE
 *                         1 unsigned kymo_aarch64_lane(void), the platform's own; for cores in several
 *                           clusters
 *   KYMO_AARCH64_LEVEL    affinity level that numbers the cores: 0 (default), or 1 where MPIDR_EL1.MT is
 *                         set (Cortex-A55, A75 and later)
 *   KYMO_AARCH64_CORE     number of the core whose lane is 0 (default 0)
 *
 * On several cores at level 1, CNTVOFF_EL2 must be the same on all, as it is where level 2
 * has been left properly or does not exist. */
#ifndef KYMO_AARCH64_ARCH_H
#define KYMO_AARCH64_ARCH_H

#include <stdint.h>

#include "kymo/config.h"
#include "kymo/language.h"

#define KYMO_ARCH_COUNTS_ZEROS 1

KYMO_C_BEGIN

#ifndef KYMO_AARCH64_EL
#define KYMO_AARCH64_EL 1
#endif
#ifndef KYMO_CLOCK_HZ
#define KYMO_CLOCK_HZ 0
#endif
#ifndef KYMO_AARCH64_LANE
#define KYMO_AARCH64_LANE 0
#endif
#ifndef KYMO_AARCH64_LEVEL
#define KYMO_AARCH64_LEVEL 0
#endif
#ifndef KYMO_AARCH64_CORE
#define KYMO_AARCH64_CORE 0
#endif

#if KYMO_AARCH64_EL < 1 || KYMO_AARCH64_EL > 3
#error "KYMO_AARCH64_EL must be 1, 2 or 3: level 0 cannot mask interrupts, see ports/arch/posix"
#endif
#if KYMO_AARCH64_LANE != 0 && KYMO_AARCH64_LANE != 1
#error "KYMO_AARCH64_LANE must be 0 (MPIDR_EL1) or 1 (your kymo_aarch64_lane())"
#endif
#if KYMO_AARCH64_LEVEL != 0 && KYMO_AARCH64_LEVEL != 1
#error "KYMO_AARCH64_LEVEL must be 0 or 1"
#endif

/* ---- clock ---- */

#if KYMO_AARCH64_EL == 1
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
#elif KYMO_AARCH64_LANE == 0
static inline uintptr_t kymo_arch_lane(void) {
    uint64_t affinity;
    /* Not volatile: it never changes, so the compiler may keep it. */
    __asm__("mrs %0, mpidr_el1" : "=r"(affinity));
    return (affinity >> (8 * KYMO_AARCH64_LEVEL) & 0xffu) - (uintptr_t)KYMO_AARCH64_CORE;
}
#else
unsigned kymo_aarch64_lane(void);
static inline uintptr_t kymo_arch_lane(void) { return kymo_aarch64_lane(); }
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

/* ---- call stacks and counters: kymo/unwind.h, kymo/counters.h ---- */

#define KYMO_ARCH_UNWIND KYMO_UNWIND_FRAMES

#define KYMO_ARCH_COUNTERS (KYMO_COUNTER_CYCLES | KYMO_COUNTER_INSTRUCTIONS)

KYMO_C_END

#endif
