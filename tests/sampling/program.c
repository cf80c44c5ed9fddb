/* SPDX-License-Identifier: MIT */
/* A program of known shares: functions that take a known part of each round, by loops of counted turns. A timer samples
 * it; expected.py has the expected samples. Nothing in it is instrumented. */
#include "board.h"
#include "kymo/kymo.h"
#include "kymo/sample.h"
#include "ring/ring.h"

/* Functions stay as they are written. */
#ifdef __clang__
#define AS_WRITTEN __attribute__((noinline))
#else
#define AS_WRITTEN __attribute__((noipa))
#endif

#define DEPTH 6u

static volatile uint32_t after; /* written after a call, so that the call is not a jump */
static volatile uint32_t taken;

/* ---- the shares ---- */

AS_WRITTEN void half(void);
AS_WRITTEN void third(void);
AS_WRITTEN void tenth(void);
AS_WRITTEN void rest(void);
AS_WRITTEN void caller(void);
AS_WRITTEN void deeper(uint32_t depth);
AS_WRITTEN void round_of_work(void);

void half(void) {
    for (uint32_t turn = 0u; turn < 4003u; turn++) {
        after++;
    }
}
void third(void) {
    for (uint32_t turn = 0u; turn < 2411u; turn++) {
        after += turn;
    }
}
void tenth(void) {
    for (uint32_t turn = 0u; turn < 809u; turn++) {
        after ^= turn;
    }
}
void rest(void) {
    for (uint32_t turn = 0u; turn < 401u; turn++) {
        after = after + turn + 3u;
    }
}

void caller(void) {
    third();
    after++;
}

void deeper(uint32_t depth) {
    if (depth == 0u) {
        tenth();
    } else {
        deeper(depth - 1u);
    }
    after++;
}

void round_of_work(void) {
    half();
    caller();
    deeper(DEPTH);
    rest();
    after++;
}

/* Takes another time in each round, up to a whole round: some boards' timers have one period, with which rounds would
 * be in step. It has no share. */
AS_WRITTEN void out_of_step(void);
void out_of_step(void) {
    static uint32_t chance = 1u;
    chance = chance * 1664525u + 1013904223u;
    for (uint32_t turn = chance >> 19; turn != 0u; turn--) {
        after++;
    }
}

/* ---- the timer ---- */

__attribute__((weak)) const struct kymo_interrupted *board_interrupted(void) { return NULL; }

/* Emulated time runs on while the reader at the end of the line does not: then nothing is sampled until half of the
 * ring is free, and the program is in drain() so long. */
static uint32_t used(void) { return kymo_ring_used_bytes(&kymo_lanes[0]); }

static void on_tick(void) {
    if (used() > KYMO_RING_BYTES / 4u * 3u) {
        return;
    }
    const uint32_t ticks = kymo_sample(board_interrupted());
    taken++;
#if SAMPLING_ONE_SHOT
    board_timer_in(ticks);
#else
    (void)ticks;
#endif
}

static void drain(void) {
    do {
        while (kymo_drain(0u)) {}
    } while (used() > KYMO_RING_BYTES / 2u);
}

int main(void) {
    board_init();
    kymo_init(board_transport(), "known shares");
    kymo_sample_rate(SAMPLING_HZ);
    drain();
    board_timer_start(on_tick);
    while (taken < SAMPLING_CALLS) {
        round_of_work();
        out_of_step();
        drain();
    }
    board_timer_stop();
    kymo_finish();
    while (kymo_pending()) {
        drain();
    }
    board_exit(0);
}
