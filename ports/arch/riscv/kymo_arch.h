/* SPDX-License-Identifier: MIT */
/* RISC-V, 32 and 64 bit, for kymo/arch.h. Sources: "The RISC-V Instruction Set Manual", volume I
 * (unprivileged, 20191213; chapter 10 "Counters") and volume II (privileged, 20211203).
 *
 *   KYMO_PRIVILEGE      3 machine (default), 1 supervisor, 0 user
 *   KYMO_CLOCK          0 the time CSR (default): one clock for all harts
 *                       1 the cycle CSR: finer, but each hart has its own. Only for one lane, or for
 *                         harts whose counters are known to run in step, or with
 *                         KYMO_CORE_CLOCKS (kymo/core_clock.h)
 *                       2 the machine timer in memory, at KYMO_CLOCK_ADDRESS: for cores on which
 *                         rdtime traps
 *   KYMO_CLOCK_HZ       rate of that clock, 0 (default) = unknown
 *   KYMO_FIRST_CORE     machine mode: the hart whose lane is 0 (default 0); the next hart is lane 1
 *   KYMO_LANE_NUMBER    with more than one lane, or one and KYMO_CHECK, in machine mode:
 *                       0 the lane is looked up by mhartid at each event (default)
 *                       1 the tp register holds its address: 6 instructions less for a zone's begin, 3 for its end.
 *                         Nobody else may use tp (thread-local variables, an RTOS), and each hart must call
 *                         kymo_riscv_lane_start() before anything is recorded on it
 *
 * Needs neither the A extension nor libgcc in machine and supervisor mode. */
#ifndef KYMO_RISCV_ARCH_H
#define KYMO_RISCV_ARCH_H

#include <stdint.h>

#include "kymo/config.h"
#include "kymo/language.h"

#if !defined(__riscv)
#error "ports/arch/riscv is for RISC-V: choose the ARCH of this compiler's core"
#endif
#ifdef __riscv_zbb
#define KYMO_ARCH_COUNTS_ZEROS 1
#endif

KYMO_C_BEGIN

#ifndef KYMO_PRIVILEGE
#define KYMO_PRIVILEGE 3
#endif
#ifndef KYMO_CLOCK
#define KYMO_CLOCK 0
#endif
#ifndef KYMO_CLOCK_HZ
#define KYMO_CLOCK_HZ 0
#endif
#ifndef KYMO_FIRST_CORE
#define KYMO_FIRST_CORE 0
#endif
KYMO_RANGE_(KYMO_FIRST_CORE, 0, 65535);

#ifndef KYMO_LANE_NUMBER
#define KYMO_LANE_NUMBER 0
#endif
#if KYMO_LANE_NUMBER != 0 && KYMO_LANE_NUMBER != 1
#error "KYMO_LANE_NUMBER must be 0 (mhartid) or 1 (tp)"
#endif
#if KYMO_LANE_NUMBER == 1 && (KYMO_PRIVILEGE != 3 || !KYMO_LANE_ASKED)
#error "KYMO_LANE_NUMBER 1 is for machine mode with more than one lane, or with KYMO_CHECK"
#endif

#if KYMO_PRIVILEGE != 0 && KYMO_PRIVILEGE != 1 && KYMO_PRIVILEGE != 3
#error "KYMO_PRIVILEGE must be 3 (machine), 1 (supervisor) or 0 (user)"
#endif
#if KYMO_CLOCK < 0 || KYMO_CLOCK > 2
#error "KYMO_CLOCK must be 0 (time), 1 (cycle) or 2 (mtime in memory)"
#endif
#if KYMO_CLOCK == 2 && !defined(KYMO_CLOCK_ADDRESS)
#error "KYMO_CLOCK 2 needs KYMO_CLOCK_ADDRESS, the address of the mtime register"
#endif

/* ---- clock ---- */

#if KYMO_CLOCK == 0
#define KYMO_RISCV_COUNTER "time"
#else
#define KYMO_RISCV_COUNTER "cycle"
#endif

#if __riscv_xlen == 64

typedef uint64_t kymo_clock_t;
#define KYMO_ARCH_CLOCK_BITS 64

static inline kymo_clock_t kymo_arch_counter(void) {
#if KYMO_CLOCK == 2
    return *(const volatile uint64_t *)(uintptr_t)KYMO_CLOCK_ADDRESS;
#else
    uint64_t now;
    __asm__ volatile("rd" KYMO_RISCV_COUNTER " %0" : "=r"(now));
    return now;
#endif
}

static inline uint64_t kymo_arch_counter64(void) { return kymo_arch_counter(); }

#else

typedef uint32_t kymo_clock_t;
#define KYMO_ARCH_CLOCK_BITS 32

static inline uint32_t kymo_arch_counter_high(void) {
#if KYMO_CLOCK == 2
    return ((const volatile uint32_t *)(uintptr_t)KYMO_CLOCK_ADDRESS)[1];
#else
    uint32_t high;
    __asm__ volatile("rd" KYMO_RISCV_COUNTER "h %0" : "=r"(high));
    return high;
#endif
}

static inline kymo_clock_t kymo_arch_counter(void) {
#if KYMO_CLOCK == 2
    return *(const volatile uint32_t *)(uintptr_t)KYMO_CLOCK_ADDRESS;
#else
    uint32_t low;
    __asm__ volatile("rd" KYMO_RISCV_COUNTER " %0" : "=r"(low));
    return low;
#endif
}

/* The two halves cannot be read at once. If the high one moved meanwhile, the low one has just
 * wrapped: it is read again, and cannot wrap a second time within these few instructions unless an
 * interrupt of 2^32 ticks comes between; so one retry serves, and nothing loops (volume I, 10.1). */
static inline uint64_t kymo_arch_counter64(void) {
    uint32_t high = kymo_arch_counter_high();
    uint32_t low = kymo_arch_counter();
    const uint32_t again = kymo_arch_counter_high();
    if (again != high) {
        high = again;
        low = kymo_arch_counter();
    }
    return ((uint64_t)high << 32) | low;
}

#endif

static inline uint64_t kymo_arch_clock_hz(void) { return (uint64_t)KYMO_CLOCK_HZ; }

/* ---- lane ---- */

#if !KYMO_LANE_ASKED
static inline uintptr_t kymo_arch_lane(void) { return 0u; }
#elif KYMO_PRIVILEGE == 3
static inline uintptr_t kymo_arch_lane(void) {
    unsigned long hart;
    /* Not volatile: it never changes, so the compiler may keep it. */
    __asm__("csrr %0, mhartid" : "=r"(hart));
    return hart - (uintptr_t)KYMO_FIRST_CORE;
}
#if KYMO_LANE_NUMBER == 1
#define KYMO_ARCH_LANE_HELD 1
struct kymo_lane *kymo_lane_of(uintptr_t number);
static inline void kymo_riscv_lane_start(void) {
    __asm__ volatile("mv tp, %0" ::"r"(kymo_lane_of(kymo_arch_lane())));
}
static inline struct kymo_lane *kymo_arch_lane_held(void) {
    return (struct kymo_lane *)__builtin_thread_pointer();
}
#endif
#else
/* mhartid is machine mode's own. The platform knows on which core (supervisor) or in which thread
 * (user) it is, from its tp register for example, and must answer below KYMO_LANES. */
unsigned kymo_riscv_lane(void);
static inline uintptr_t kymo_arch_lane(void) { return kymo_riscv_lane(); }
#endif

/* ---- the clock of all lanes ---- */

#if KYMO_ENABLE && KYMO_CORE_CLOCKS
/* Counters are read as if they were devices (volume I, 2.7 and 10.1). */
#define KYMO_ARCH_COUNTER_FENCE() __asm__ volatile("fence iorw, iorw" ::: "memory")
#include "kymo/core_clock.h"
static inline kymo_clock_t kymo_arch_clock(void) {
    return kymo_arch_counter() + (kymo_clock_t)kymo_core_clock_offset(kymo_arch_lane());
}
static inline uint64_t kymo_arch_clock64(void) {
    return kymo_arch_counter64() + kymo_core_clock_offset(kymo_arch_lane());
}
#else
static inline kymo_clock_t kymo_arch_clock(void) { return kymo_arch_counter(); }
static inline uint64_t kymo_arch_clock64(void) { return kymo_arch_counter64(); }
#endif

/* Memory before memory only: gcc's fence would wait for devices too (volume I, 2.7). */
#define KYMO_ARCH_RELEASE() __asm__ volatile("fence rw, w" ::: "memory")

/* ---- keeping interrupts out ---- */

#if KYMO_PRIVILEGE == 0

#ifndef __riscv_atomic
#error "user mode needs the A extension: compile with -march=rv..a"
#endif
#define KYMO_ARCH_ATOMIC 1

#else

#define KYMO_ARCH_ATOMIC 0
typedef unsigned long kymo_arch_state;

/* MIE is bit 3 of mstatus, SIE bit 1 of sstatus (volume II, 3.1.6 and 4.1.1). */
#if KYMO_PRIVILEGE == 3
#define KYMO_RISCV_STATUS "mstatus"
#define KYMO_RISCV_EPC "mepc"
#define KYMO_RISCV_ENABLE "8"
#else
#define KYMO_RISCV_STATUS "sstatus"
#define KYMO_RISCV_EPC "sepc"
#define KYMO_RISCV_ENABLE "2"
#endif

static inline kymo_arch_state kymo_arch_mask(void) {
    kymo_arch_state before;
    __asm__ volatile("csrrci %0, " KYMO_RISCV_STATUS ", " KYMO_RISCV_ENABLE
                     : "=r"(before)::"memory");
    return before;
}

/* Sets every bit that was set before: the enable bit too if, and only if, it was. Writing the old
 * value back (csrw) would be as short, but could undo changes made in between: FS and VS go to
 * "dirty" when the compiler uses a floating-point or vector register there, and a context switch
 * would then not save it. Setting bits can only turn these fields towards "dirty", which is safe, and
 * the other fields have their old values, or those that a trap in between left to be restored (MPP, MPIE). */
static inline void kymo_arch_unmask(kymo_arch_state before) {
    __asm__ volatile("csrs " KYMO_RISCV_STATUS ", %0" ::"r"(before) : "memory");
}

#endif

/* ---- call stacks and counters: kymo/unwind.h, kymo/counters.h ---- */

#define KYMO_ARCH_UNWIND KYMO_UNWIND_FRAMES
#define KYMO_ARCH_CODE_IS_EVEN 1

#if KYMO_PRIVILEGE != 0
/* "The RISC-V Instruction Set Manual", volume II, 3.1.14 and 4.1.7: mepc and sepc. */
#define KYMO_ARCH_INTERRUPTED_PC 1
static inline uintptr_t kymo_arch_interrupted_pc(void) {
    uintptr_t pc;
    __asm__ volatile("csrr %0, " KYMO_RISCV_EPC : "=r"(pc));
    return pc;
}
#endif

#define KYMO_ARCH_COUNTERS (KYMO_COUNTER_CYCLES | KYMO_COUNTER_INSTRUCTIONS)
#if KYMO_PRIVILEGE == 3
#define KYMO_ARCH_EVENTS 1
#endif

KYMO_C_END

#if __riscv_xlen == 64
#define KYMO_ARCH_NAME "riscv64"
#else
#define KYMO_ARCH_NAME "riscv32"
#endif

#endif
