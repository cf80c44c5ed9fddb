/* SPDX-License-Identifier: MIT */
/* The acceptance program: what only a real board shows of its clock, timer, transport and cores, as lines of text that
 * boards/accept.sh reads. It counts what it records, as the demo does. */
#include <stdatomic.h>

#include "board.h"
#include "host_line.h"
#include "kymo/arch.h"

#define DEMO_CORE 0
#include "count.h"

#define CLOCK_READS 20000u
#define TICKS 500u
#define IDLE_MS 200u
#define COST_ROUNDS 8u
#define COST_ZONES 16u
#define FLOOD_ZONES 4000u
#define EXCHANGES 200u

KYMO_CONTEXT(timer, "timer", KYMO_CONTEXT_INTERRUPT);

static void say(const char *name, uint64_t value, const char *unit) {
    struct text line;
    text_start(&line, "accept: ");
    text_add(&line, name);
    text_add(&line, " ");
    text_add_number(&line, value > UINT32_MAX ? UINT32_MAX : (uint32_t)value);
    text_add(&line, unit);
    host_line_print(&line);
}

static void send_all(void) {
    while (kymo_drain(0u) || host_line_is_full()) {}
}

/* ---- the clock ---- */

static void check_clock(void) {
    uint32_t backwards = 0u;
    uint64_t longest = 0u, shortest = UINT64_MAX;
    uint64_t before = kymo_arch_clock64();
    for (uint32_t i = 0u; i < CLOCK_READS; i++) {
        const uint64_t now = kymo_arch_clock64();
        if (now < before) {
            backwards++;
        } else {
            longest = now - before > longest ? now - before : longest;
            shortest = now > before && now - before < shortest ? now - before : shortest;
        }
        before = now;
    }
    say("clock_backwards", backwards, " times");
    say("clock_step_min", shortest, " ticks");
    say("clock_step_max", longest, " ticks");
}

/* Whether the clock runs while the core sleeps, and at the rate that the firmware declares. */
static void check_idle(void) {
    const uint32_t begin_ms = board_ticks();
    const uint64_t begin = kymo_arch_clock64();
    while (board_ticks() - begin_ms < IDLE_MS) {
        board_idle();
        kymo_clock_keepalive();
    }
    say("clock_declared", kymo_arch_clock_hz(), " Hz");
    say("clock_by_timer", (kymo_arch_clock64() - begin) * (1000u / IDLE_MS), " Hz");
}

/* ---- the timer's interrupt ---- */

static volatile uint32_t ticks_left;
static uint64_t last_tick, shortest_period, longest_period;

static void on_tick(void) {
    kymo_clock_keepalive();
    if (ticks_left == 0u) {
        return;
    }
    DEMO_INTERRUPT(timer, "timer");
    DEMO_ZONE("tick");
    const uint64_t now = kymo_arch_clock64();
    if (ticks_left < TICKS) {
        const uint64_t period = now - last_tick;
        shortest_period = period < shortest_period ? period : shortest_period;
        longest_period = period > longest_period ? period : longest_period;
    }
    last_tick = now;
    ticks_left--;
}

static void check_interrupt(void) {
    shortest_period = UINT64_MAX;
    ticks_left = TICKS;
    while (ticks_left != 0u) {
        send_all();
    }
    say("tick_period_min", shortest_period, " ticks");
    say("tick_period_max", longest_period, " ticks");
}

/* ---- cost, and the line ---- */

static uint64_t cost_of_zones(void) {
    const uint64_t begin = kymo_arch_clock64();
    for (uint32_t i = 0u; i < COST_ZONES; i++) {
        DEMO_ZONE("cost");
    }
    return kymo_arch_clock64() - begin;
}

static void check_cost(void) {
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0u; i < COST_ROUNDS; i++) {
        send_all();
        const uint64_t took = cost_of_zones();
        least = took < least ? took : least;
    }
    say("sixteen_zones", least, " ticks");
}

static void check_flood(void) {
    send_all();
    const uint32_t before = host_line_bytes();
    const uint64_t begin = kymo_arch_clock64();
    for (uint32_t i = 0u; i < FLOOD_ZONES; i++) {
        {
            DEMO_ZONE("flood");
            DEMO_PLOT("flood_at", i * 2654435761u);
        }
        if (i % 8u == 7u) {
            send_all();
        }
    }
    say("flood_zones", FLOOD_ZONES, ""); /* and sends what waits */
    const uint64_t took = kymo_arch_clock64() - begin;
    say("flood_bytes", host_line_bytes() - before, " bytes");
    say("flood_ticks", took, " ticks");
}

/* ---- a second core ---- */

#if BOARD_CORES > 1

#undef DEMO_CORE
#define DEMO_CORE 1

static atomic_uint asked, answered;
static uint64_t other_clock;

static void core_1(void) {
    kymo_lane_name("core 1");
    for (uint32_t i = 1u; i <= EXCHANGES; i++) {
        while (atomic_load_explicit(&asked, memory_order_acquire) != i) {}
        DEMO_ZONE("answer");
        other_clock = kymo_arch_clock64();
        atomic_store_explicit(&answered, i, memory_order_release);
    }
}

#undef DEMO_CORE
#define DEMO_CORE 0

/* The other core's answer lies between question and receipt: how far outside of that its clock ever is. */
static void check_cores(void) {
    uint64_t outside = 0u, quickest = UINT64_MAX;
    if (!board_start_core(1u, core_1)) {
        say("cores", 1u, "");
        return;
    }
    for (uint32_t i = 1u; i <= EXCHANGES; i++) {
        const uint64_t before = kymo_arch_clock64();
        atomic_store_explicit(&asked, i, memory_order_release);
        while (atomic_load_explicit(&answered, memory_order_acquire) != i) {}
        const uint64_t after = kymo_arch_clock64();
        quickest = after - before < quickest ? after - before : quickest;
        if (other_clock < before && before - other_clock > outside) {
            outside = before - other_clock;
        } else if (other_clock > after && other_clock - after > outside) {
            outside = other_clock - after;
        }
        send_all();
    }
    say("cores", 2u, "");
    say("core_round_trip", quickest, " ticks");
    say("core_clock_apart", outside, " ticks");
}

#else

static void check_cores(void) { say("cores", 1u, ""); }

#endif

int main(void) {
    board_init();
    kymo_init(host_line(), "kymo acceptance");
    kymo_lane_name("core 0");
    check_clock();
    board_timer_start(on_tick);
    check_idle();
    check_interrupt();
    check_cost();
    check_flood();
    check_cores();
    board_timer_stop();
    count_report(host_line_print);
    kymo_finish();
    while (kymo_pending()) {
        (void)kymo_drain(0u);
    }
    return 0;
}
