/* SPDX-License-Identifier: MIT */
/* An arch port that a test plays: its clock, its interrupts, its lane. For one thread.
 *
 *   KYMO_FAKE_CLOCK_BITS  32 or 64 (default)
 *   KYMO_FAKE_ATOMIC      0 (default) interrupt mask, 1 atomics
 *   KYMO_FAKE_NESTS       KYMO_ARCH_NESTS: 1 (default)
 *   KYMO_FAKE_UNWIND      1: stacks are walked by a kymo_arch_unwind() of the test. 0 (default): they are not
 *
 * An "interrupt" is a function of the test. fake_interrupt() runs it at once, or at the next unmask
 * if the runtime has masked it, as a core would. */
#ifndef KYMO_FAKE_ARCH_H
#define KYMO_FAKE_ARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "kymo/config.h"

#ifndef KYMO_FAKE_CLOCK_BITS
#define KYMO_FAKE_CLOCK_BITS 64
#endif
#ifndef KYMO_FAKE_ATOMIC
#define KYMO_FAKE_ATOMIC 0
#endif
#ifndef KYMO_FAKE_NESTS
#define KYMO_FAKE_NESTS 1
#endif

#ifndef KYMO_FAKE_UNWIND
#define KYMO_FAKE_UNWIND 0
#endif

#if KYMO_FAKE_UNWIND
#define KYMO_ARCH_UNWIND KYMO_UNWIND_OWN
#endif
#define KYMO_ARCH_CLOCK_BITS KYMO_FAKE_CLOCK_BITS
#define KYMO_ARCH_ATOMIC KYMO_FAKE_ATOMIC
#define KYMO_ARCH_NESTS KYMO_FAKE_NESTS
#define KYMO_ARCH_NAME "fake"

struct fake_arch {
    uint64_t clock;      /* ticks */
    uint64_t clock_step; /* ticks that pass at each look at it */
    uint64_t clock_hz;
    uint64_t seen; /* when the whole clock was last read */
    uintptr_t lane;
    volatile bool masked;  /* interrupts are kept out */
    volatile bool inside;  /* between the runtime's mask and unmask */
    volatile bool pending; /* an interrupt waits for the unmask */
    void (*interrupt)(void);
    uint64_t deferred; /* interrupts that had to wait */
};

extern struct fake_arch fake;

/* Everything as at power-up, and a clock that passes one tick at each look. */
void fake_reset(void);
/* Preempts fake.interrupt now, or pends it. */
void fake_interrupt(void);
/* Ends the program: the runtime used the port against its contract. */
void fake_broken(const char *what);

#if KYMO_FAKE_CLOCK_BITS == 64
typedef uint64_t kymo_clock_t;
#else
typedef uint32_t kymo_clock_t;
#endif

static inline uint64_t fake_time(void) {
    return __atomic_add_fetch(&fake.clock, fake.clock_step, __ATOMIC_RELAXED);
}
static inline kymo_clock_t kymo_arch_clock(void) { return (kymo_clock_t)fake_time(); }

/* Like a 32-bit port: it counts the wraps that it sees, and it sees them only here. */
static inline uint64_t kymo_arch_clock64(void) {
    const uint64_t now = fake_time();
#if KYMO_FAKE_CLOCK_BITS == 32
    /* Negative where an interrupt has read it in between. */
    const int64_t passed = (int64_t)(now - __atomic_exchange_n(&fake.seen, now, __ATOMIC_RELAXED));
    if (passed > UINT32_MAX) {
        fake_broken("the whole clock was not read within a wrap");
    }
#endif
    return now;
}
#if KYMO_CORE_CLOCKS
/* The test's own counter, for each core. */
uint64_t fake_counter(void);
static inline uint64_t kymo_arch_counter64(void) { return fake_counter(); }
#define KYMO_ARCH_COUNTER_FENCE() __asm__ volatile("" ::: "memory")
#endif
static inline uint64_t kymo_arch_clock_hz(void) { return fake.clock_hz; }
static inline uintptr_t kymo_arch_lane(void) { return fake.lane; }

#if !KYMO_FAKE_ATOMIC

typedef uint32_t kymo_arch_state;

static inline kymo_arch_state kymo_arch_mask(void) {
    kymo_arch_state before = fake.masked;
    fake.masked = true;
    if (fake.inside) {
        fake_broken("a mask within a mask");
    }
    fake.inside = true;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return before;
}

static inline void kymo_arch_unmask(kymo_arch_state before) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (!fake.inside) {
        fake_broken("an unmask without a mask");
    }
    fake.inside = false;
    fake.masked = before != 0u;
    if (fake.pending && !fake.masked) {
        fake.pending = false;
        fake.interrupt();
    }
}

#endif

#endif
