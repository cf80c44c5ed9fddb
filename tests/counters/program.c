/* SPDX-License-Identifier: MIT */
/* Zones of known numbers of instructions: loops in assembly, of as many instructions a pass. One of them with events
 * that the emulator counts: instructions again, and where the core counts them, marks that the program makes. */
#include "board.h"
#include "kymo/zone_counters.h"

#define MARKS 7u

#define ONE_MORE 4u /* none of those below */

#ifdef __riscv
/* QEMU's core: target/riscv/cpu.h, enum riscv_pmu_event_idx. No core counts an event 0. */
#define NOT_COUNTED 0u
#define INSTRUCTIONS 2u
#define MARKED 0x10019u /* misses of the TLB for reads: none, without translation */
#define MARK() ((void)0)
#define CYCLES 1u
#define LOOP(passes) __asm__ volatile("1: addi %0, %0, -1\n\tbnez %0, 1b" : "+r"(passes))
#else
/* INST_RETIRED, CPU_CYCLES and SW_INCR, which is the third choice: counter 3. The emulator has no cache. */
#define NOT_COUNTED KYMO_EVENT_CACHE_MISSES
#define INSTRUCTIONS 8u
#define MARKED 0u
#define CYCLES 0x11u
#define MARK() __asm__ volatile("msr pmswinc_el0, %0" ::"r"((unsigned long)1u << 3))
#define LOOP(passes) __asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(passes))
#endif

static __attribute__((noinline)) void short_loop(void) {
    unsigned long passes = 100u;
    KYMO_ZONE_COUNTERS("short");
    LOOP(passes);
}

static __attribute__((noinline)) void long_loop(void) {
    unsigned long passes = 10000u;
    KYMO_ZONE_COUNTERS("long");
    LOOP(passes);
}

static __attribute__((noinline)) void around(void) {
    KYMO_ZONE_COUNTERS("around");
    long_loop();
    long_loop();
}

static void choose_events(void) {
    KYMO_COUNT_EVENT("nothing", NOT_COUNTED);
    KYMO_COUNT_EVENT("instructions, again", INSTRUCTIONS);
    KYMO_COUNT_EVENT("marks", MARKED);
    KYMO_COUNT_EVENT("marks", MARKED); /* as another part of the firmware would */
    KYMO_COUNT_EVENT("cycles", CYCLES);
    KYMO_COUNT_EVENT("one too many", ONE_MORE);
}

static __attribute__((noinline)) void with_events(void) {
    unsigned long passes = 1000u;
    KYMO_ZONE_EVENTS("with events");
    LOOP(passes);
    for (uint32_t i = 0u; i < MARKS; i++) {
        MARK();
    }
}

int main(void) {
    board_init();
    kymo_init(board_transport(), "counters");
    with_events();
    while (kymo_drain(0u)) {}
    choose_events();
    for (uint32_t i = 0u; i < 10u; i++) {
        with_events();
        short_loop();
        around();
        KYMO_ZONE("uncounted");
        while (kymo_drain(0u)) {}
    }
    kymo_finish();
    while (kymo_pending()) {
        (void)kymo_drain(0u);
    }
    board_exit(0);
}
