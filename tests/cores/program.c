/* SPDX-License-Identifier: MIT */
/* Two harts whose counters differ: hart 1's shows the machine's time and AHEAD. They exchange stamps, then pass a
 * number to and fro: each writes down that it has it before it gives it on. "off" is the distance that kymo found
 * less the true one, "error" what it may be. */
#include "board.h"
#include "kymo/core_clock.h"
#include "kymo/kymo.h"
#include "kymo_arch.h"

#define PASSES 2000u
#define AHEAD (UINT64_C(1) << 41)

static volatile uint32_t number, is_set, refused;

uintptr_t cores_counter(void) {
    static uint64_t shown[BOARD_CORES];
    uint64_t hart, time;
    __asm__ volatile("csrr %0, mhartid" : "=r"(hart));
    __asm__ volatile("rdtime %0" : "=r"(time));
    shown[hart] = time + hart * AHEAD;
    return (uintptr_t)&shown[hart];
}

static void see(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

/* The other hart may not run just now. */
static void set(void) {
    for (uint32_t tries = 0u; tries < 1000u; tries++) {
        if (kymo_core_clock_set()) {
            return;
        }
    }
    refused = 1u;
}

static void pass(uint32_t parity) {
    for (uint32_t i = parity; i < PASSES; i += 2u) {
        while (number != i) {}
        see();
        KYMO_PLOT("has", (int64_t)i);
        see();
        number = i + 1u;
    }
}

static void second_core(void) {
    set();
    KYMO_PLOT("off", (int64_t)(kymo_core_clocks[1].offset + AHEAD));
    KYMO_PLOT("error", (int64_t)kymo_core_clocks[1].error);
    see();
    is_set = 1u;
    pass(1u);
    set();
    see();
    is_set = 2u;
}

static void answer_until(uint32_t state) {
    while (is_set != state) {
        kymo_core_clock_answer();
    }
    see();
}

int main(void) {
    board_init();
    kymo_init(board_transport(), "cores");
    const bool started = board_start_core(1u, second_core);
    answer_until(1u);
    pass(0u);
    answer_until(2u);
    kymo_finish();
    while (kymo_pending()) {
        (void)kymo_drain(0u);
    }
    return started && refused == 0u ? 0 : 1;
}
