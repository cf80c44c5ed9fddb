/* SPDX-License-Identifier: MIT */
/* The clocks of the Cortex-M port against a model of the registers: no emulator at hand has a cycle
 * counter, and none lets a test choose when SysTick wraps. Built once for each choice of clock. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "kymo/arch.h"
#include "kymo/counters.h"
#include "kymo/kymo.h"

/* No runtime is linked. */
KYMO_HAS_KNOB_(KYMO_KNOB_NAMES_);
KYMO_HAS_KNOB_(KYMO_KNOB_MEMORY_);

/* The core. "time" passes with each access. The addresses are those of the ARMv7-M ARM, C1.8 and B3.3. */
static struct core {
    uint64_t time;
    uint32_t access_ticks; /* an access takes 1 to so many */
    uint32_t random;
    bool masked;
    bool has_dwt, has_cyccnt, dwt_locked; /* a lock as on a Cortex-M7 */
    uint32_t demcr, dwt_ctrl;
    bool has_systick;
    uint32_t csr, rvr;
    uint32_t divider;    /* of the core's clock for SysTick */
    uint64_t cleared;    /* when CVR was last written */
    uint64_t wraps_read; /* wraps up to the last reading of COUNTFLAG */
    uint32_t late;       /* ticks by which the emulated SysTick is late with its wraps */
    uint32_t writes;     /* to SysTick */
    bool started;        /* the clock may only be read with interrupts masked */
    uint64_t timer_at_capture;
    bool timer_stands;
} core;

static uint32_t stops;

void kymo_stop(void) { stops++; }

static uint32_t any(uint32_t below) {
    core.random = core.random * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)core.random * below >> 32);
}

kymo_arch_state kymo_arch_mask(void) {
    const kymo_arch_state before = core.masked;
    core.masked = true;
    return before;
}

void kymo_arch_unmask(kymo_arch_state before) { core.masked = before != 0u; }

static bool systick_runs(void) {
    return core.has_systick && (core.csr & 1u) != 0u && core.rvr != 0u;
}

/* Ticks since the last wrap, and wraps, that the counter shows: a late one stays at 0 for a while. */
static uint32_t phase(uint64_t *wraps) {
    const uint64_t period = (uint64_t)core.rvr + 1u;
    const uint64_t ticks = (core.time - core.cleared) / core.divider;
    const uint32_t since = (uint32_t)(ticks % period);
    *wraps = ticks / period;
    if (*wraps > 0u && since < core.late) {
        *wraps -= 1u;
        return 0u;
    }
    return since;
}

static uint32_t current_value(void) {
    uint64_t wraps;
    if (!systick_runs()) {
        return 0u;
    }
    const uint32_t since = phase(&wraps);
    return since == 0u ? 0u : core.rvr + 1u - since;
}

static uint32_t control_and_flag(void) {
    uint64_t wraps = core.wraps_read;
    if (systick_runs()) {
        (void)phase(&wraps);
    }
    const bool flag = wraps > core.wraps_read;
    core.wraps_read = wraps;
    return core.csr | (flag ? 0x10000u : 0u);
}

uint32_t kymo_cortexm_get(uintptr_t address) {
    core.time += 1u + any(core.access_ticks);
    assert_true(!core.started || core.masked || address == 0xe0001004u || address == 0x40000544u);
    switch (address) {
    case 0xe000e010u:
        return control_and_flag();
    case 0xe000e014u:
        return core.rvr;
    case 0xe000e018u:
        return current_value();
    case 0xe000edfcu:
        return core.has_dwt ? core.demcr : 0u;
    case 0xe0001000u:
        return !core.has_dwt ? 0u : core.has_cyccnt ? core.dwt_ctrl : 0x2000000u;
    case 0xe0001004u:
        return core.has_dwt && core.has_cyccnt && (core.dwt_ctrl & 1u) != 0u &&
                       (core.demcr & 0x1000000u) != 0u
                   ? (uint32_t)core.time
                   : 0u;
    case 0x40000544u: /* a timer that must be captured */
        return (uint32_t)core.timer_at_capture;
    default:
        fail_msg("read of 0x%08lx", (unsigned long)address);
        return 0u;
    }
}

void kymo_cortexm_put(uintptr_t address, uint32_t value) {
    core.time += 1u + any(core.access_ticks);
    core.writes += address >> 8 == 0xe000e0u ? 1u : 0u;
    switch (address) {
    case 0xe000e010u:
        core.csr = value & 7u;
        break;
    case 0xe000e014u:
        core.rvr = value & 0xffffffu;
        break;
    case 0xe000e018u:
        core.cleared = core.time;
        core.wraps_read = 0u;
        break;
    case 0xe000edfcu:
        core.demcr = value;
        break;
    case 0xe0001000u:
        core.dwt_ctrl = core.dwt_locked ? core.dwt_ctrl : value;
        break;
    case 0xe0001fb0u:
        core.dwt_locked = core.dwt_locked && value != 0xc5acce55u;
        break;
    case 0x40000044u:
        core.timer_at_capture = core.timer_stands ? 77u : core.time;
        break;
    default:
        fail_msg("write to 0x%08lx", (unsigned long)address);
    }
}

static int set_up(void **state) {
    (void)state;
    memset(&core, 0, sizeof core);
    core.access_ticks = 3u;
    core.random = 1u;
    core.divider = 1u;
    core.has_dwt = core.has_cyccnt = core.has_systick = true;
    stops = 0u;
    return 0;
}

#if KYMO_CLOCK == 0

static void before_the_start_there_is_no_time(void **state) {
    (void)state;
    core.demcr = 0x1000000u;
    core.dwt_ctrl = 1u;
    core.time = 12345u;
    assert_int_equal(kymo_arch_clock(), 0);
    assert_int_equal(kymo_arch_clock64(), 0);
}

/* Features already enabled stay so: a debugger may be using them. */
static void takes_a_cycle_counter_that_counts(void **state) {
    (void)state;
    core.demcr = 0x400u;
    core.dwt_ctrl = 0x40000000u;
    assert_int_equal(kymo_cortexm_start(), KYMO_CORTEXM_CYCCNT);
    assert_int_equal(core.demcr, 0x1000400u);
    assert_int_equal(core.dwt_ctrl, 0x40000001u);
    assert_int_equal(core.writes, 0);
    core.time = 0x123456780u;
    core.access_ticks = 0u;
    assert_int_equal(kymo_arch_clock(), 0x23456781u);
    assert_int_equal(kymo_arch_clock_hz(), KYMO_CLOCK_HZ);
    assert_int_equal(stops, 0);
}

static void opens_the_lock_of_the_dwt(void **state) {
    (void)state;
    core.dwt_locked = true;
    assert_int_equal(kymo_cortexm_start(), KYMO_CORTEXM_CYCCNT);
}

static void takes_systick_where_no_cycles_are_counted(void **state) {
    (void)state;
    core.has_cyccnt = false;
    assert_int_equal(kymo_cortexm_start(), KYMO_CORTEXM_SYSTICK);
    set_up(NULL);
    core.has_dwt = false; /* as in QEMU 7.2: zeros, and NOCYCCNT is one of them */
    assert_int_equal(kymo_cortexm_start(), KYMO_CORTEXM_SYSTICK);
    assert_int_equal(core.rvr, 0xffffffu);
    assert_int_equal(core.csr, 5u); /* no interrupt, for which there may be no handler */
    assert_int_equal(kymo_arch_clock_hz(), KYMO_CLOCK_HZ);
}

static void nothing_counts_nothing_is_recorded(void **state) {
    (void)state;
    core.has_dwt = core.has_systick = false;
    assert_int_equal(kymo_cortexm_start(), KYMO_CORTEXM_NONE);
    assert_int_equal(stops, 1);
}

static void widens_the_cycle_counter(void **state) {
    (void)state;
    assert_int_equal(kymo_cortexm_start(), KYMO_CORTEXM_CYCCNT);
    core.access_ticks = 0u;
    uint64_t wraps = kymo_arch_clock64() - (uint32_t)core.time;
    for (uint64_t i = 0u; i < 1000u; i++) {
        core.time += any(UINT32_MAX);
        const uint64_t seen = kymo_arch_clock64();
        assert_int_equal(seen, core.time + wraps);
        assert_int_equal((uint32_t)seen, (uint32_t)core.time);
    }
}

#endif

#if KYMO_CLOCK < 2

/* Returns when the counter's first period began, for the clock's zero. */
static uint64_t share_systick(uint32_t period, uint32_t control) {
    core.has_dwt = false;
    core.csr = control;
    core.rvr = period - 1u;
    core.time = 100000000u;
    core.cleared = core.time - period / 2u * core.divider;
    assert_int_equal(kymo_cortexm_start(), KYMO_CORTEXM_SYSTICK);
    core.started = true;
    return core.cleared + core.wraps_read * period * core.divider;
}

static void shares_a_running_systick(void **state) {
    (void)state;
    share_systick(168000u, 7u);
    assert_int_equal(core.writes, 0);
    assert_int_equal(kymo_arch_clock_hz(), KYMO_CLOCK_HZ);
    core.started = false;
    set_up(NULL);
    share_systick(168000u, 3u); /* the reference clock, of which only the chip knows the rate */
    assert_int_equal(kymo_arch_clock_hz(), 0);
}

static void a_systick_without_a_period_does_not_count(void **state) {
    (void)state;
    core.has_dwt = false;
    core.csr = 5u;
    assert_int_equal(kymo_cortexm_start(), KYMO_CORTEXM_NONE);
    assert_int_equal(stops, 1);
}

static uint64_t ticks_since(uint64_t zero) { return (core.time - zero) / core.divider; }

/* Each reading lies between the times at its start and at its end, wherever in it the wrap falls. */
static void read_at_any_time(uint32_t period, uint32_t divider, uint32_t readings) {
    core.divider = divider;
    const uint64_t zero = share_systick(period, 7u);
    for (uint32_t i = 0u; i < readings; i++) {
        core.time +=
            any((period - 30u) * divider); /* one in each period, and it takes some ticks */
        const uint64_t from = ticks_since(zero);
        const uint64_t seen = any(2u) != 0u ? kymo_arch_clock64() : kymo_arch_clock();
        assert_in_range(seen, from, ticks_since(zero));
    }
    core.started = false;
}

static void systick_is_right_across_any_wrap(void **state) {
    (void)state;
    read_at_any_time(40u, 1u, 200000u);
    set_up(NULL);
    core.access_ticks = 0u; /* every access one tick */
    read_at_any_time(35u, 1u, 200000u);
    set_up(NULL);
    read_at_any_time(1000u, 1u, 200000u);
}

/* On a slow reference clock many readings see the same value, 0 with its flag too. */
static void systick_slower_than_the_core(void **state) {
    (void)state;
    read_at_any_time(32u, 100u, 200000u);
    set_up(NULL);
    core.divider = 100u;
    const uint64_t zero = share_systick(50u, 3u);
    for (uint32_t i = 0u; i < 100000u; i++) {
        const uint64_t from = ticks_since(zero);
        const uint64_t seen = kymo_arch_clock64();
        assert_in_range(seen, from, ticks_since(zero));
    }
    core.started = false;
}

/* More than 2^32 ticks, a reading in each period. */
static void systick_is_widened(void **state) {
    (void)state;
    const uint64_t zero = share_systick(0x1000000u, 5u);
    while (core.time < 0x500000000u) {
        core.time += 0xfff000u;
        const uint64_t from = ticks_since(zero);
        const uint64_t seen = kymo_arch_clock64();
        assert_in_range(seen, from, ticks_since(zero));
    }
    const uint64_t from = ticks_since(zero);
    const uint64_t seen = kymo_arch_clock();
    assert_in_range(seen, (uint32_t)from, (uint32_t)ticks_since(zero));
    core.started = false;
}

/* An emulator that is late with a wrap: 0 is read, and no flag. The clock waits, and never goes back. */
static void a_late_wrap_holds_the_clock(void **state) {
    (void)state;
    const uint64_t zero = share_systick(400u, 7u);
    core.late = 60u;
    uint64_t before = 0u;
    for (uint32_t i = 0u; i < 200000u; i++) {
        core.time += 1u + any(300u);
        const uint64_t from = ticks_since(zero);
        const uint64_t seen = kymo_arch_clock64();
        assert_in_range(seen, from < 62u ? 0u : from - 62u, ticks_since(zero));
        assert_true(seen >= before);
        before = seen;
    }
    core.started = false;
}

/* Other code restarts SysTick, against the rule: time is lost, but does not go back. */
static void a_restart_does_not_turn_the_clock_back(void **state) {
    (void)state;
    share_systick(1000u, 7u);
    core.time += 700u;
    const uint64_t before = kymo_arch_clock64();
    kymo_cortexm_put(0xe000e018u, 0u);
    assert_true(kymo_arch_clock64() >= before);
    core.started = false;
}

#else

static void a_timer_is_captured_and_read(void **state) {
    (void)state;
    assert_int_equal(kymo_cortexm_start(), KYMO_CORTEXM_CHIP_TIMER);
    const uint64_t from = core.time;
    const uint32_t seen = kymo_arch_clock();
    assert_in_range(seen, from, core.time);
    assert_int_equal(kymo_arch_clock_hz(), KYMO_CLOCK_HZ);
}

static void a_timer_that_stands_still_is_none(void **state) {
    (void)state;
    core.timer_stands = true;
    assert_int_equal(kymo_cortexm_start(), KYMO_CORTEXM_NONE);
    assert_int_equal(stops, 1);
}

static void widens_the_timer(void **state) {
    (void)state;
    assert_int_equal(kymo_cortexm_start(), KYMO_CORTEXM_CHIP_TIMER);
    const uint64_t high = kymo_arch_clock64() >> 32;
    /* A timer slower than the readings: no wrap. */
    core.access_ticks = 0u;
    for (uint32_t i = 0u; i < 10u; i++) {
        core.time = 1000u;
        assert_int_equal(kymo_arch_clock64() >> 32, high);
    }
    core.time = 0xfffffff0u;
    assert_int_equal(kymo_arch_clock64() >> 32, high);
    core.time = 0x100000000u;
    assert_int_equal(kymo_arch_clock64() >> 32, high + 1u);
    core.time = 0x1ffffff00u;
    assert_int_equal(kymo_arch_clock64() >> 32, high + 1u);
}

#endif

/* Whichever clock the events have. */
static void counts_cycles_where_the_core_does(void **state) {
    (void)state;
    core.dwt_locked = true;
    assert_int_equal(kymo_counters_start(), KYMO_COUNTER_CYCLES);
    core.access_ticks = 0u;
    core.time = 0x123456780u;
    assert_int_equal(kymo_arch_cycles(), 0x23456781u); /* the access takes one */
    core.time += 1000u;
    assert_int_equal(kymo_arch_cycles(), 0x23456782u + 1000u);
    assert_int_equal(core.writes, 0);

    set_up(NULL);
    core.has_cyccnt = false;
    assert_int_equal(kymo_counters_start(), 0u);
    set_up(NULL);
    core.has_dwt = false;
    assert_int_equal(kymo_counters_start(), 0u);
}

#define TEST(name) cmocka_unit_test_setup(name, set_up)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(counts_cycles_where_the_core_does),
#if KYMO_CLOCK == 0
        TEST(before_the_start_there_is_no_time),
        TEST(takes_a_cycle_counter_that_counts),
        TEST(opens_the_lock_of_the_dwt),
        TEST(takes_systick_where_no_cycles_are_counted),
        TEST(nothing_counts_nothing_is_recorded),
        TEST(widens_the_cycle_counter),
#endif
#if KYMO_CLOCK < 2
        TEST(shares_a_running_systick),
        TEST(a_systick_without_a_period_does_not_count),
        TEST(systick_is_right_across_any_wrap),
        TEST(systick_slower_than_the_core),
        TEST(systick_is_widened),
        TEST(a_late_wrap_holds_the_clock),
        TEST(a_restart_does_not_turn_the_clock_back),
#else
        TEST(a_timer_is_captured_and_read),
        TEST(a_timer_that_stands_still_is_none),
        TEST(widens_the_timer),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
