/* SPDX-License-Identifier: MIT */
/* x86-64 and i386 at privilege level 0, for kymo/arch.h. Source: "Intel 64 and IA-32 Architectures
 * Software Developer's Manual" (SDM), volumes 2 (instructions) and 3 (system).
 *
 *   KYMO_CLOCK_HZ    rate of the time stamp counter; 0 (default) = kymo_x86_clock_init() finds it out
 *   KYMO_LANE_NUMBER with more than one lane, or one and KYMO_CHECK, where its number comes from:
 *                    0 (default) the local APIC's number less KYMO_FIRST_CORE, asked of CPUID: right on
 *                      every PC, but 100 cycles and more an event, and in a virtual machine thousands
 *                    1 unsigned kymo_own_lane(void), the platform's own, from GS for example
 *   KYMO_FIRST_CORE  number of the APIC whose lane is 0 (default 0)
 *   KYMO_CLOCK       1: the machine has no interval timer of the PC to calibrate the counter against (default 0)
 *
 * The counters of several cores run in step if they are invariant and nobody wrote
 * them since reset (volume 3, "Time-Stamp Counter"). */
#ifndef KYMO_X86_ARCH_H
#define KYMO_X86_ARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "kymo/config.h"
#include "kymo/language.h"

#if !defined(__x86_64__) && !defined(__i386__)
#error "ports/arch/x86 is for x86: choose the ARCH of this compiler's core"
#endif
#define KYMO_ARCH_COUNTS_ZEROS 1

KYMO_C_BEGIN

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
#ifndef KYMO_CLOCK
#define KYMO_CLOCK 0
#endif

#if KYMO_LANE_NUMBER != 0 && KYMO_LANE_NUMBER != 1
#error "KYMO_LANE_NUMBER must be 0 (APIC number) or 1 (your kymo_own_lane())"
#endif
#if KYMO_CLOCK != 0 && KYMO_CLOCK != 1
#error                                                                                             \
    "KYMO_CLOCK must be 0 (calibrated against the interval timer) or 1 (there is no interval timer)"
#endif

/* ---- clock ---- */

/* Volume 2, RDTSC. It does not wait for the instructions before it, so that a zone of a few instructions
 * may seem some cycles shorter than it is; an LFENCE would cost each event more than that. */
static inline uint64_t kymo_arch_clock64(void) {
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return ((uint64_t)high << 32) | low;
}

#ifdef __x86_64__
typedef uint64_t kymo_clock_t;
#define KYMO_ARCH_CLOCK_BITS 64
#else
typedef uint32_t kymo_clock_t;
#define KYMO_ARCH_CLOCK_BITS 32
#endif

static inline kymo_clock_t kymo_arch_clock(void) { return (kymo_clock_t)kymo_arch_clock64(); }

/* Where the rate of the counter is from. */
enum kymo_x86_rate {
    KYMO_X86_RATE_UNKNOWN, /* hostlink then measures it */
    KYMO_X86_RATE_GIVEN,   /* KYMO_CLOCK_HZ */
    KYMO_X86_RATE_CPUID,   /* CPUID leaf 15h, or 16h */
    KYMO_X86_RATE_PIT,     /* calibrated against the interval timer */
};

struct kymo_x86_clock {
    uint64_t hz;
    enum kymo_x86_rate rate;
    bool invariant; /* runs at one rate in every power state of the core (CPUID leaf 80000007h) */
};

/* The clock that kymo_x86_clock_init() found. */
extern struct kymo_x86_clock kymo_x86_clock;

/* Finds out about the counter. Once, on the first core, before kymo_init(). Where the interval timer is asked, whose
 * channel 2 (the speaker's) it uses, interrupts are masked for 0.05 s, and for up to 1 s or more in a virtual machine
 * whose host is busy. False on a core without a time stamp counter, on which kymo must not be used. */
#if KYMO_ENABLE
bool kymo_x86_clock_init(void);
#else
static inline bool kymo_x86_clock_init(void) { return true; }
#endif

static inline uint64_t kymo_arch_clock_hz(void) { return kymo_x86_clock.hz; }

/* ---- lane ---- */

#if !KYMO_LANE_ASKED
static inline uintptr_t kymo_arch_lane(void) { return 0u; }
#elif KYMO_LANE_NUMBER == 0
/* Volume 2, CPUID, leaf 1: the initial APIC number in the top 8 bits of EBX. */
static inline uintptr_t kymo_arch_lane(void) {
    uint32_t leaf = 1u, ebx, ecx, edx;
    __asm__("cpuid" : "+a"(leaf), "=b"(ebx), "=c"(ecx), "=d"(edx));
    return (ebx >> 24) - (uint32_t)KYMO_FIRST_CORE;
}
#else
unsigned kymo_own_lane(void);
static inline uintptr_t kymo_arch_lane(void) { return kymo_own_lane(); }
#endif

/* ---- keeping interrupts out ---- */

#define KYMO_ARCH_ATOMIC 0
typedef uintptr_t kymo_arch_state;

/* IF is bit 9 of the flags (volume 1, 3.4.3.3). Not by the compilers' built-in function: gcc 12 may let it end in a POP
 * to a place of the stack, which lies 4 bytes further than gcc believes (volume 2, POP: the address is computed with
 * the stack pointer as it is afterwards). In 64 bit PUSHF must spare the red zone of a function that has one. */
static inline kymo_arch_state kymo_arch_mask(void) {
    kymo_arch_state before;
#ifdef __x86_64__
    __asm__ volatile("leaq -128(%%rsp), %%rsp\n\tpushfq\n\tpopq %0\n\tleaq 128(%%rsp), %%rsp"
                     : "=r"(before));
#else
    __asm__ volatile("pushfl\n\tpopl %0" : "=r"(before));
#endif
    __asm__ volatile("cli" ::: "memory");
    return before;
}

/* STI where POPF would do: it is several times faster, and takes no other flag back. */
static inline void kymo_arch_unmask(kymo_arch_state before) {
    __asm__ volatile("" ::: "memory");
    if ((before & 0x200u) != 0u) {
        __asm__ volatile("sti" ::: "memory");
    }
}

/* ---- call stacks and counters: kymo/unwind.h, kymo/counters.h ---- */

#define KYMO_ARCH_UNWIND KYMO_UNWIND_FRAMES

#define KYMO_ARCH_COUNTERS (KYMO_COUNTER_CYCLES | KYMO_COUNTER_INSTRUCTIONS)

KYMO_C_END

#ifdef __x86_64__
#define KYMO_ARCH_NAME "x86_64"
#else
#define KYMO_ARCH_NAME "i386"
#endif

#endif
