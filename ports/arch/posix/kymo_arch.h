/* SPDX-License-Identifier: MIT */
/* Threads under an operating system with POSIX, for kymo/arch.h: a PC, or a Linux board. The one
 * arch port that uses a C library, as its platform is one.
 *
 *   KYMO_CLOCK      0 the core's own counter where it runs at one rate and in step on all cores, else
 *                     CLOCK_MONOTONIC (default): some ns a look in place of some tens. The counter is rdtime on
 *                     RISC-V, CNTVCT_EL0 on AArch64, and on x86 the time stamp counter where CPUID says that it
 *                     is invariant ("constant_tsc nonstop_tsc" in /proc/cpuinfo)
 *                   1 the counter, whatever CPUID says
 *                   2 CLOCK_MONOTONIC, in ns
 *                   kymo_posix_clock_name() says which one it is
 *   KYMO_CLOCK_HZ   rate of the counter; 0 (default) = as CNTFRQ_EL0 or, on RISC-V, the device tree states it, else
 *                   measured against CLOCK_MONOTONIC
 *   KYMO_FULL_WAIT_MS
 *                   0 (default): an event that finds its ring full is lost at once, as everywhere. 1 to 10000: its
 *                   thread waits for room, and events are lost only where nothing was read for so many milliseconds.
 *                   The program becomes as slow as the reader of its trace. Signal handlers that record wait too,
 *                   except the one that samples. A thread of yours that calls kymo_drain() must not record, or
 *                   set kymo_posix_hurries
 *
 * With KYMO_TRACY, under Linux, each thread is a row of its own, as in Tracy, and called as the system calls the
 * thread; and kymo_posix_untraced() is there. Else the rows are the lanes. Under Linux stacks are walked to their ends.
 *
 * A thread takes a lane at its first event and gives it back when it ends, in whatever way, for another thread, which
 * gets it as new: functions that are open are left, and the room for the ends of zones is free; such a zone may still
 * end in another thread, if there is room. So KYMO_LANES is one more than the threads that may record at a time: the
 * last lane belongs to those that found none, whose events are counted there as lost, and never recorded. Such a
 * thread stays without a lane to its end, as zones and interrupts are begun and ended on one lane.
 *
 * With KYMO_KEEP_NEWEST each thread's last events are in the core file of a process that crashed. Zones must then be
 * ended, and signal handlers left, by returning: siglongjmp() out of a recording call blocks the lane.
 *
 * Signal handlers may record, also the first event of their thread. That needs
 * pthread_setspecific() to be safe there: glibc and musl only store the value. While a thread takes its lane, its
 * signals are blocked. */
#ifndef KYMO_POSIX_ARCH_H
#define KYMO_POSIX_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kymo/config.h"
#include "kymo/language.h"

#if defined(__x86_64__) || defined(__aarch64__)
#define KYMO_ARCH_COUNTS_ZEROS 1
#endif

KYMO_C_BEGIN

#ifndef KYMO_CLOCK
#define KYMO_CLOCK 0
#endif
#ifndef KYMO_CLOCK_HZ
#define KYMO_CLOCK_HZ 0
#endif
#ifndef KYMO_FULL_WAIT_MS
#define KYMO_FULL_WAIT_MS 0
#endif
#ifdef __linux__
#define KYMO_POSIX_THREADS KYMO_TRACY
#else
#define KYMO_POSIX_THREADS 0
#endif

#if KYMO_CLOCK < 0 || KYMO_CLOCK > 2
#error                                                                                             \
    "KYMO_CLOCK must be 0 (the core's counter where it is sound), 1 (the counter) or 2 (CLOCK_MONOTONIC)"
#endif
#if KYMO_CLOCK == 2
#elif defined(__x86_64__) || defined(__i386__)
#define KYMO_POSIX_COUNTER "rdtsc"
#elif defined(__aarch64__)
#define KYMO_POSIX_COUNTER "cntvct_el0"
#elif defined(__riscv) && __riscv_xlen == 64
#define KYMO_POSIX_COUNTER "rdtime"
#elif KYMO_CLOCK == 1
#error "KYMO_CLOCK 1: no counter of this core is known; choose 2, or 0 for either"
#endif
#if KYMO_FULL_WAIT_MS < 0 || KYMO_FULL_WAIT_MS > 10000
#error "KYMO_FULL_WAIT_MS must be 0 (a full ring refuses at once) to 10000"
#endif
#if KYMO_LANES < 2
#error "KYMO_LANES must be 2 or more: one for each thread that records, and one for those without"
#endif

#define KYMO_ARCH_ATOMIC 1
#define KYMO_ARCH_NESTS 1
#define KYMO_ARCH_SPARE_LANE (KYMO_LANES - 1)

/* Rings of more than a MiB together: a program that cannot have them runs on, and it takes none while it records
 * nothing. */
#if !KYMO_KEEP_NEWEST && KYMO_LANES * (KYMO_RING_BYTES / 1024) > 1024
#define KYMO_ARCH_MAPS_RINGS 1
void *kymo_arch_map(size_t bytes);
void kymo_arch_unmap(void *memory, size_t bytes);
/* Large ones take memory only where events wait. */
#if KYMO_RING_BYTES >= 8388608
#define KYMO_ARCH_RING_PIECE 1048576u
void kymo_arch_give_back(void *memory, size_t bytes);
#endif
#endif

/* ---- clock ---- */

typedef uint64_t kymo_clock_t;
#define KYMO_ARCH_CLOCK_BITS 64

uint64_t kymo_posix_monotonic_ns(void);

/* "rdtsc", "cntvct_el0", "rdtime" or "CLOCK_MONOTONIC". */
const char *kymo_posix_clock_name(void);

#ifdef KYMO_POSIX_COUNTER

static inline uint64_t kymo_posix_counter(void) {
#if defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#elif defined(__riscv)
    uint64_t ticks;
    __asm__ volatile("rdtime %0" : "=r"(ticks));
    return ticks;
#else
    return __builtin_ia32_rdtsc();
#endif
}

#if KYMO_CLOCK == 0

/* Chosen at the first look at the clock, the same one for the whole process. */
enum kymo_posix_source { KYMO_POSIX_NOT_YET, KYMO_POSIX_BY_COUNTER, KYMO_POSIX_BY_MONOTONIC };
extern enum kymo_posix_source kymo_posix_chosen;
kymo_clock_t kymo_posix_first_clock(void);

static inline bool kymo_posix_by_counter(void) {
    return __atomic_load_n(&kymo_posix_chosen, __ATOMIC_RELAXED) == KYMO_POSIX_BY_COUNTER;
}
#define KYMO_ARCH_QUICK_CLOCK 1
static inline bool kymo_arch_clock_is_quick(void) { return kymo_posix_by_counter(); }
static inline kymo_clock_t kymo_arch_quick_clock(void) { return kymo_posix_counter(); }
static inline kymo_clock_t kymo_arch_clock(void) {
    return __builtin_expect(kymo_posix_by_counter(), 1) ? kymo_posix_counter()
                                                        : kymo_posix_first_clock();
}

#else

static inline bool kymo_posix_by_counter(void) { return true; }
static inline kymo_clock_t kymo_arch_clock(void) { return kymo_posix_counter(); }

#endif

/* The rate is measured once, over 10 ms from the program's start on: a call waits for the rest of them. */
uint64_t kymo_posix_counter_hz(void);

static inline uint64_t kymo_arch_clock_hz(void) {
    (void)kymo_arch_clock();
    if (!kymo_posix_by_counter()) {
        return 1000000000u;
    }
#if KYMO_CLOCK_HZ == 0
    return kymo_posix_counter_hz();
#else
    return (uint64_t)KYMO_CLOCK_HZ;
#endif
}

#else

static inline kymo_clock_t kymo_arch_clock(void) { return kymo_posix_monotonic_ns(); }

static inline uint64_t kymo_arch_clock_hz(void) { return 1000000000u; }

#endif

static inline uint64_t kymo_arch_clock64(void) { return kymo_arch_clock(); }

/* ---- lane ---- */

/* The thread's lane plus one; 0 = none yet. Initial-exec: reading it calls no function, which might
 * allocate, in a signal handler too. */
extern __thread uintptr_t kymo_posix_lane __attribute__((tls_model("initial-exec")));
uintptr_t kymo_posix_take_lane(void);

/* The address of that lane; NULL = none yet, or the clock takes a call. */
extern __thread struct kymo_lane *kymo_posix_held __attribute__((tls_model("initial-exec")));
#define KYMO_ARCH_LANE_HELD 2
static inline struct kymo_lane *kymo_arch_lane_held(void) {
    return __atomic_load_n(&kymo_posix_held, __ATOMIC_RELAXED);
}

static inline uintptr_t kymo_arch_lane(void) {
    uintptr_t lane = __atomic_load_n(&kymo_posix_lane, __ATOMIC_RELAXED);
    if (__builtin_expect(lane == 0u, 0)) {
        lane = kymo_posix_take_lane();
    }
    return lane - 1u;
}

#if KYMO_POSIX_THREADS
/* Nothing that the calling thread does from now on is recorded, or counted: for the one that reads the rings. */
void kymo_posix_untraced(void);

#define KYMO_ARCH_UNTRACED 1
extern __thread bool kymo_posix_is_untraced __attribute__((tls_model("initial-exec")));
static inline bool kymo_arch_is_untraced(void) { return kymo_posix_is_untraced; }
#endif

#if KYMO_FULL_WAIT_MS
/* In the calling thread, from now on: an event that finds the ring full is lost at once. */
extern __thread bool kymo_posix_hurries __attribute__((tls_model("initial-exec")));
bool kymo_posix_wait(const uint32_t *tail);

#define KYMO_ARCH_WAITS 1
static inline bool kymo_arch_wait(const uint32_t *tail) { return kymo_posix_wait(tail); }
#endif

#if defined(__linux__) && KYMO_CALLSTACKS
/* For the calling thread. */
uintptr_t kymo_posix_stack_end(uintptr_t stack);
#define KYMO_ARCH_STACK_END 1
static inline uintptr_t kymo_arch_stack_end(uintptr_t stack) { return kymo_posix_stack_end(stack); }
#endif

/* ---- call stacks: kymo/unwind.h ---- */

/* A signal handler's leads to the function that was interrupted, without the address in it. */
#if defined(__x86_64__) || defined(__i386__) || defined(__aarch64__) || defined(__riscv)
#define KYMO_ARCH_UNWIND KYMO_UNWIND_FRAMES
#endif

KYMO_C_END

#ifdef __PIC__
#define KYMO_ARCH_MOVES 1
#endif
#define KYMO_ARCH_NAME "posix"

#endif
