/* SPDX-License-Identifier: MIT */
/* Tick, ticks and sleep by the virtual timer of each core. */
#include "arm/core.h"
#include "arm/registers.h"
#include "board.h"
#include "kymo/arch.h"

static void (*tick_handler)(void);
static uint64_t tick_deadline;  /* in units of the counter */
static uint32_t tick_remainder; /* thousandths of a unit that the deadline is early */
static volatile uint32_t tick_count;

/* The chip's system counter stands still until boot code has switched it on. The slowest ones in use (1 MHz) move
 * within some thousand instructions. */
static bool clock_counts(void) {
    const uint64_t start = timer_now();
    uint32_t looks = 1000000u;
    while (looks > 0u && timer_now() == start) {
        looks--;
    }
    return looks > 0u;
}

void core_check_clock(void) {
    if (!clock_counts() || timer_hz() < 1000u) {
        core_end(CORE_NO_CLOCK);
    }
}

static void next_deadline(void) {
    const uint32_t hz = timer_hz();
    tick_deadline += hz / 1000u;
    tick_remainder += hz % 1000u;
    if (tick_remainder >= 1000u) {
        tick_remainder -= 1000u;
        tick_deadline++;
    }
}

void board_timer_start(void (*tick)(void)) {
    tick_handler = tick;
    tick_count = 0u;
    tick_remainder = 0u;
    tick_deadline = timer_now();
    next_deadline();
    board_route_timer();
    timer_set(tick_deadline, TIMER_ON);
    core_interrupts_on();
}

void board_timer_stop(void) {
    core_interrupts_off();
    timer_set(0u, 0u);
}

void board_timer_in(uint32_t ticks) {
    tick_deadline = timer_now() + ticks;
    timer_set(tick_deadline, TIMER_ON);
}

uint32_t board_ticks(void) { return tick_count; }

/* An emulator can be held up for many periods: the missed ones count, but are not made up for. */
void core_timer_interrupt(void) {
    const uint64_t now = timer_now();
    do {
        tick_count++;
        next_deadline();
    } while (tick_deadline <= now);
    timer_set(tick_deadline, TIMER_ON);
    tick_handler();
}

/* Core 0 is woken by its tick. The others let no interrupt in, so they set an alarm of their own: WFI ends
 * when an interrupt is pending, also while it is masked (DDI 0487, "Wait for Interrupt"). */
void board_idle(void) {
    if (core_number() != 0u) {
        timer_set(timer_now() + timer_hz() / 1000u, TIMER_ON);
    }
    __asm__ volatile("dsb sy\n\twfi" ::: "memory");
}
