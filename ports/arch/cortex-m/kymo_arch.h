/* SPDX-License-Identifier: MIT */
/* Arm Cortex-M, for kymo/arch.h. Sources: "ARMv7-M Architecture Reference Manual" (DDI 0403E), to which
 * section numbers refer; "ARMv6-M Architecture Reference Manual" (DDI 0419), which has the same SysTick
 * and PRIMASK and no cycle counter; "Armv8-M Architecture Reference Manual" (DDI 0553).
 *
 *   KYMO_CLOCK                  0 the cycle counter of the DWT unit if kymo_cortexm_start() sees it
 *                                 count, else SysTick (default)
 *                               1 SysTick
 *                               2 a free-running 32-bit up-counter of the chip:
 *   KYMO_CLOCK_ADDRESS            address of its value
 *   KYMO_CLOCK_HIGH_ADDRESS       address of its upper 32 bits, if it has 64
 *                               3 the cycle counter, and no clock on cores without one: a zone's begin and end take 4
 *                                 instructions less each than with 0
 *                               4 a timer of Nordic's nRF: KYMO_CLOCK_ADDRESS is that of one of its CC registers
 *   KYMO_CLOCK_HZ               rate of that clock, 0 (default) = unknown
 *   KYMO_LANE_NUMBER            with more than one lane, or one and KYMO_CHECK, where its number comes from:
 *                               1 unsigned kymo_own_lane(void), the platform's own
 *                               2 the register of RP2040 and RP2350 that reads as the number of the core
 *
 * Call kymo_cortexm_start() before anything is recorded, and kymo_clock_keepalive() once in each SysTick
 * period or, with the other clocks, at least once in half a wrap less 1 %: the handler of any periodic
 * interrupt is the place. The cycle counter of many chips stands still in sleep (WFI): there choose another
 * clock, or let the chip's debug unit keep the clocks on.
 * Not to be used from NMI and HardFault handlers, which PRIMASK cannot keep out. */
#ifndef KYMO_CORTEXM_ARCH_H
#define KYMO_CORTEXM_ARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "kymo/config.h"
#include "kymo/language.h"

#if (!defined(__ARM_ARCH_PROFILE) || __ARM_ARCH_PROFILE != 'M') && !defined(KYMO_CORTEXM_MODEL)
#error                                                                                             \
    "ports/arch/cortex-m is for Cortex-M: compile with its -mcpu, or choose the ARCH of this compiler's core"
#endif
#ifdef __ARM_FEATURE_CLZ
#define KYMO_ARCH_COUNTS_ZEROS 1
#endif

KYMO_C_BEGIN

#ifndef KYMO_CLOCK
#define KYMO_CLOCK 0
#endif
#ifndef KYMO_CLOCK_HZ
#define KYMO_CLOCK_HZ 0
#endif

#if KYMO_CLOCK < 0 || KYMO_CLOCK > 4
#error                                                                                             \
    "KYMO_CLOCK must be 0 (cycle counter or SysTick), 1 (SysTick), 2 or 4 (a timer) or 3 (cycle counter)"
#endif
#define KYMO_CORTEXM_IS_TIMER (KYMO_CLOCK == 2 || KYMO_CLOCK == 4)
#if KYMO_CORTEXM_IS_TIMER && !defined(KYMO_CLOCK_ADDRESS)
#error "KYMO_CLOCK 2 and 4 need KYMO_CLOCK_ADDRESS, the address of a 32-bit up-counter"
#endif
#if KYMO_LANES > 1 && !defined(KYMO_CLOCK_HIGH_ADDRESS)
#error "cores share no cycle counter and no SysTick: more than one lane needs a 64-bit timer"
#endif
#if KYMO_LANE_ASKED && (!defined(KYMO_LANE_NUMBER) || KYMO_LANE_NUMBER < 1 || KYMO_LANE_NUMBER > 2)
#error                                                                                             \
    "more than one lane needs KYMO_LANE_NUMBER: 1 (your kymo_own_lane()) or 2 (RP2040 and RP2350)"
#endif

/* 1 where the core may have a cycle counter: not in ARMv6-M and the baseline of Armv8-M. */
#if defined(__ARM_ARCH_6M__) || defined(__ARM_ARCH_8M_BASE__)
#define KYMO_CORTEXM_DWT 0
#else
#define KYMO_CORTEXM_DWT 1
#endif

typedef uint32_t kymo_clock_t;
#define KYMO_ARCH_CLOCK_BITS 32

#define KYMO_ARCH_ATOMIC 0
typedef uint32_t kymo_arch_state;

/* ---- registers and PRIMASK ---- */

#ifdef KYMO_CORTEXM_MODEL

/* A test on another machine has a model of them. */
uint32_t kymo_cortexm_get(uintptr_t address);
void kymo_cortexm_put(uintptr_t address, uint32_t value);
kymo_arch_state kymo_arch_mask(void);
void kymo_arch_unmask(kymo_arch_state before);

#else

static inline uint32_t kymo_cortexm_get(uintptr_t address) {
    return *(const volatile uint32_t *)address;
}

static inline void kymo_cortexm_put(uintptr_t address, uint32_t value) {
    *(volatile uint32_t *)address = value;
}

/* CPSID takes effect before the next instruction (B5.2.3, A2.3), so no barrier follows. */
static inline kymo_arch_state kymo_arch_mask(void) {
    kymo_arch_state before;
    __asm__ volatile("mrs %0, primask\n\tcpsid i" : "=r"(before)::"memory");
    return before;
}

static inline void kymo_arch_unmask(kymo_arch_state before) {
    __asm__ volatile("msr primask, %0" ::"r"(before) : "memory");
}

#endif

#ifndef KYMO_CORTEXM_MODEL
#define KYMO_ARCH_PUTS_PAIRS 1
static inline __attribute__((always_inline)) uint32_t *kymo_arch_put_pair(uint32_t *at,
                                                                          uint32_t first,
                                                                          uint32_t second) {
#ifdef __thumb2__
    __asm__ volatile("strd %1, %2, [%0], #8" : "+r"(at) : "r"(first), "r"(second) : "memory");
#else
    register uint32_t low __asm__("r2") = first; /* STM stores by the numbers of the registers */
    register uint32_t high __asm__("r3") = second;
    __asm__ volatile("stmia %0!, {%1, %2}" : "+l"(at) : "l"(low), "l"(high) : "memory");
#endif
    return at;
}
#ifdef __thumb2__
#define KYMO_ARCH_GET_PAIR(a, b, first, second)                                                    \
    __asm__ volatile("ldrd %0, %1, %2" : "=r"(first), "=r"(second) : "m"(a), "m"(b))
#endif
#endif

/* Between cores; one core sees its own stores in order. */
#define KYMO_ARCH_RELEASE() __asm__ volatile("dmb" ::: "memory")

/* ---- clock ---- */

enum kymo_cortexm_clock {
    KYMO_CORTEXM_NONE, /* not started, or nothing counts */
    KYMO_CORTEXM_CYCCNT,
    KYMO_CORTEXM_SYSTICK,
    KYMO_CORTEXM_CHIP_TIMER,
};

/* The clock in use. Private to the port; firmware learns it from kymo_cortexm_start(). */
extern enum kymo_cortexm_clock kymo_cortexm_clock;

/* Chooses the clock by seeing it count, and returns it. A SysTick that the firmware has set up already
 * is shared, with its period; else, if it is needed, it is started with the longest one, without its
 * interrupt. After this do not change its period or clear it, or read SYST_CSR, which takes away
 * the COUNTFLAG that the widening lives on (writing is harmless).
 * If nothing counts the result is KYMO_CORTEXM_NONE and recording is stopped: no event without a time.
 * From main code, with the clocks of the chip at their final rate. */
enum kymo_cortexm_clock kymo_cortexm_start(void);

/* SysTick widened, low 32 bits; 0 before it is started. */
uint32_t kymo_cortexm_systick(void);

/* The clock in use, widened to 64 bits by having seen each of its wraps. */
uint64_t kymo_cortexm_clock64(void);

/* KYMO_CLOCK_HZ, but 0 when SysTick runs on the chip's reference clock. */
uint64_t kymo_cortexm_clock_hz(void);

#define KYMO_CORTEXM_DWT_CYCCNT 0xe0001004u /* C1.8.8 */

/* Starts the cycle counter; false where it does not count. kymo_cortexm_start() does so if it is the clock. */
bool kymo_cortexm_cycles_start(void);

#if KYMO_CORTEXM_DWT
#define KYMO_ARCH_SCRATCH "r12"

/* The address in the register that then has the value. */
static inline __attribute__((always_inline)) uint32_t kymo_cortexm_cycles(void) {
#ifdef KYMO_CORTEXM_MODEL
    return kymo_cortexm_get(KYMO_CORTEXM_DWT_CYCCNT);
#else
    register uint32_t word __asm__(KYMO_ARCH_SCRATCH) = KYMO_CORTEXM_DWT_CYCCNT;
    __asm__ volatile("ldr %0, [%0]" : "+r"(word)::"memory");
    return word;
#endif
}
#endif

#if KYMO_CORTEXM_IS_TIMER

/* The task that captures the timer is 0x500 below the register that it fills ("nRF52840 Product Specification", TIMER).
 * An interrupt that captures too, between the two lines, makes the value newer, never older. */
static inline kymo_clock_t kymo_arch_clock(void) {
    if (KYMO_CLOCK == 4) {
        kymo_cortexm_put(KYMO_CLOCK_ADDRESS - 0x500u, 1u);
    }
    return kymo_cortexm_get(KYMO_CLOCK_ADDRESS);
}

#elif KYMO_CLOCK == 3

#if !KYMO_CORTEXM_DWT
#error "KYMO_CLOCK 3: this core has no cycle counter"
#endif

static inline __attribute__((always_inline)) kymo_clock_t kymo_arch_clock(void) {
    return kymo_cortexm_cycles();
}

#else

#define KYMO_ARCH_QUICK_CLOCK 1

static inline bool kymo_arch_clock_is_quick(void) {
    return KYMO_CORTEXM_DWT && KYMO_CLOCK == 0 && kymo_cortexm_clock == KYMO_CORTEXM_CYCCNT;
}

static inline __attribute__((always_inline)) kymo_clock_t kymo_arch_quick_clock(void) {
#if KYMO_CORTEXM_DWT
    return kymo_cortexm_cycles();
#else
    return 0u; /* is not called */
#endif
}

static inline kymo_clock_t kymo_arch_clock(void) {
    return kymo_arch_clock_is_quick() ? kymo_arch_quick_clock() : kymo_cortexm_systick();
}

#endif

#ifdef KYMO_CLOCK_HIGH_ADDRESS

/* If the high word moved the low one has just wrapped, and will not again within these lines. */
static inline uint64_t kymo_arch_clock64(void) {
    uint32_t high = kymo_cortexm_get(KYMO_CLOCK_HIGH_ADDRESS);
    uint32_t low = kymo_arch_clock();
    const uint32_t again = kymo_cortexm_get(KYMO_CLOCK_HIGH_ADDRESS);
    if (again != high) {
        high = again;
        low = kymo_arch_clock();
    }
    return ((uint64_t)high << 32) | low;
}

#else

static inline uint64_t kymo_arch_clock64(void) { return kymo_cortexm_clock64(); }

#endif

static inline uint64_t kymo_arch_clock_hz(void) { return kymo_cortexm_clock_hz(); }

/* ---- lane ---- */

#if !KYMO_LANE_ASKED
static inline uintptr_t kymo_arch_lane(void) { return 0u; }
#elif KYMO_LANE_NUMBER == 2
/* SIO_CPUID, "RP2040 Datasheet", 2.3.1.7. */
static inline uintptr_t kymo_arch_lane(void) { return kymo_cortexm_get(0xd0000000u); }
#else
unsigned kymo_own_lane(void);
static inline uintptr_t kymo_arch_lane(void) { return kymo_own_lane(); }
#endif

/* ---- call stacks and counters: kymo/unwind.h, kymo/counters.h ---- */

#define KYMO_ARCH_CODE_BITS 1u /* of Thumb code */
#define KYMO_ARCH_UNWIND KYMO_UNWIND_EHABI
#define KYMO_ARCH_UNWINDS_INTERRUPTED 1 /* kymo_cortexm_sample.h */
#define KYMO_ARCH_CODE_IS_EVEN 1

#if KYMO_CORTEXM_DWT
#define KYMO_ARCH_COUNTERS KYMO_COUNTER_CYCLES
#endif

KYMO_C_END

#define KYMO_ARCH_NAME "cortex-m"

#endif
