/* Zones of known numbers of instructions: loops in assembly, of as many instructions a pass. */
#include "board.h"
#include "kymo/zone_counters.h"

#ifdef __riscv
#define LOOP(passes) __asm__ volatile("1: addi %0, %0, -1\n\tbnez %0, 1b" : "+r"(passes))
#else
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

int main(void) {
    board_init();
    kymo_init(board_transport(), "counters");
    for (uint32_t i = 0u; i < 10u; i++) {
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
