/* SPDX-License-Identifier: MIT */
/* Records as many events as its link takes, in place of the demo: what one event costs on its way out.
 * Zones three deep, a value, a plot and a message: about the mix of a loop under investigation. */
#include "board.h"
#include "kymo/arch.h"
#include "kymo/kymo.h"
#include "text.h"

#ifndef FLOOD_EVENTS
#define FLOOD_EVENTS 200000u
#endif
#define EVENTS_OF_A_ROUND 11u
#define ROUNDS_OF_A_BATCH 16u

static volatile uint32_t work_done;

/* Returns false when the ring had no room. */
static bool round_of_events(uint32_t number) {
    KYMO_ZONE_NAMED(all, "round");
    if (all == NULL) {
        return false;
    }
    {
        KYMO_ZONE_NAMED(outer, "outer");
        for (uint32_t i = 0u; i < 2u; i++) {
            KYMO_ZONE("inner");
            work_done += i;
        }
        KYMO_ZONE_VALUE(outer, number);
    }
    KYMO_PLOT("round", number);
    KYMO_MESSAGE("round %u", (unsigned)number);
    return true;
}

static void add(struct text *line, const char *what, uint64_t number) {
    text_add(line, what);
    text_add_number(line, (uint32_t)number);
}

/* Sends as much as the link takes now. Ticks of calls that did something count; where the link was full, that
 * is waiting, which a firmware would not do. */
static uint64_t drain(void) {
    const kymo_clock_t before = kymo_arch_clock();
    const bool moved = kymo_drain(0u);
    const kymo_clock_t ticks = kymo_arch_clock() - before;
    if (!moved) {
        board_idle();
        return 0u;
    }
    return ticks;
}

static uint64_t drain_all(void) {
    uint64_t ticks = 0u;
    while (kymo_pending()) {
        ticks += drain();
    }
    return ticks;
}

static void print(const struct text *line) {
    while (!kymo_print(line->bytes, line->length)) {
        (void)kymo_drain(0u);
    }
    (void)drain_all();
}

static void ignore(void) {}

int main(void) {
    board_init();
    board_timer_start(ignore); /* board_idle() sleeps until an interrupt */
    kymo_init(board_transport(), "kymo flood");
    uint64_t recording = 0u, draining = 0u;
    uint32_t rounds = 0u;
    const uint64_t start = kymo_arch_clock64();
    while (rounds < FLOOD_EVENTS / EVENTS_OF_A_ROUND) {
        const kymo_clock_t before = kymo_arch_clock();
        uint32_t n = 0u;
        while (n < ROUNDS_OF_A_BATCH && round_of_events(rounds + n)) {
            n++;
        }
        rounds += n;
        recording += (kymo_clock_t)(kymo_arch_clock() - before);
        do {
            draining += drain();
        } while (n < ROUNDS_OF_A_BATCH && kymo_pending());
    }
    kymo_finish();
    draining += drain_all();
    const uint64_t all = kymo_arch_clock64() - start;
    struct text line;
    text_start(&line, "flood:");
    add(&line, " events ", (uint64_t)rounds * EVENTS_OF_A_ROUND);
    add(&line, " ticks ", all);
    add(&line, " recording ", recording);
    add(&line, " draining ", draining);
    add(&line, " hz ", kymo_arch_clock_hz());
    print(&line);
    board_exit(0);
}
