/* SPDX-License-Identifier: MIT */
/* The arch port over Zephyr: clock, interrupt mask and CPU number are the kernel's.
 *
 * One header for every core that the kernel runs on, in place of kymo's own port of each: those would need the
 * numbers and timers of the board once more, and CPU numbers that are not the kernel's. The cost is some
 * instructions where the kernel's clock is a function that takes a lock, as with SysTick on a Cortex-M.
 *
 * arch_irq_lock() masks this CPU only, unlike irq_lock() with CONFIG_SMP, which takes a lock of all CPUs. Contexts
 * not masked by it must not record: zero-latency interrupts, and threads in user mode. */
#ifndef KYMO_ARCH_ZEPHYR_H
#define KYMO_ARCH_ZEPHYR_H

#include <stdint.h>
#include <zephyr/kernel.h>

#define KYMO_ARCH_ATOMIC 0
typedef unsigned int kymo_arch_state;

static inline kymo_arch_state kymo_arch_mask(void) { return arch_irq_lock(); }
static inline void kymo_arch_unmask(kymo_arch_state state) { arch_irq_unlock(state); }

static inline uintptr_t kymo_arch_lane(void) {
#if KYMO_LANE_ASKED
    return arch_curr_cpu()->id;
#else
    return 0u;
#endif
}

#if defined(CONFIG_64BIT) && defined(CONFIG_TIMER_HAS_64BIT_CYCLE_COUNTER)

typedef uint64_t kymo_clock_t;
#define KYMO_ARCH_CLOCK_BITS 64
static inline kymo_clock_t kymo_arch_clock(void) { return k_cycle_get_64(); }
static inline uint64_t kymo_arch_clock64(void) { return k_cycle_get_64(); }

#else

typedef uint32_t kymo_clock_t;
#define KYMO_ARCH_CLOCK_BITS 32
static inline kymo_clock_t kymo_arch_clock(void) { return k_cycle_get_32(); }
#ifdef CONFIG_TIMER_HAS_64BIT_CYCLE_COUNTER
static inline uint64_t kymo_arch_clock64(void) { return k_cycle_get_64(); }
#else
#if KYMO_LANES > 1
#error                                                                                             \
    "more than one CPU needs CONFIG_TIMER_HAS_64BIT_CYCLE_COUNTER: clock.c counts the wraps for one CPU"
#endif
#define KYMO_ZEPHYR_WIDEN
uint64_t kymo_arch_clock64(void); /* clock.c */
#endif

#endif

static inline uint64_t kymo_arch_clock_hz(void) {
#if CONFIG_KYMO_CLOCK_HZ != 0
    return (uint64_t)CONFIG_KYMO_CLOCK_HZ;
#else
    return (uint64_t)sys_clock_hw_cycles_per_sec();
#endif
}

/* ---- call stacks: kymo/unwind.h ---- */

#ifdef CONFIG_KYMO_CALLSTACKS

#ifdef CONFIG_CPU_CORTEX_M
#define KYMO_ARCH_UNWIND KYMO_UNWIND_EHABI
#else
#define KYMO_ARCH_UNWIND KYMO_UNWIND_FRAMES
#endif
#define KYMO_ARCH_CODE_IS_EVEN 1

uintptr_t kymo_zephyr_stack_end(uintptr_t stack); /* stack.c */
#define KYMO_ARCH_STACK_END 1
static inline uintptr_t kymo_arch_stack_end(uintptr_t stack) {
    return kymo_zephyr_stack_end(stack);
}

#endif

#define KYMO_ARCH_NAME "zephyr"

#endif
