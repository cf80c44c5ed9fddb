/* SPDX-License-Identifier: MIT */
/* The clocks of the Cortex-M port against a model of the registers: no emulator at hand has a cycle
 * counter, and none lets a test choose when SysTick wraps. Built once for each choice of clock. */
#include <string.h>

#include "cases.h"
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

FIXTURE(set_up) {
    memset(&core, 0, sizeof core);
    core.access_ticks = 3u;
    core.random = 1u;
    core.divider = 1u;
    core.has_dwt = core.has_cyccnt = core.has_systick = true;
    stops = 0u;
    return 0;
}

#if KYMO_CLOCK == 0

CASE(before_the_start_there_is_no_time, set_up) {
    core.demcr = 0x1000000u;
    core.dwt_ctrl = 1u;
    core.time = 12345u;
    assert_int_equal(kymo_arch_clock(), 0);
    assert_int_equal(kymo_arch_clock64(), 0);
}

/* Features already enabled stay so: a debugger may be using them. */
CASE(takes_a_cycle_counter_that_counts, set_up) {
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

CASE(opens_the_lock_of_the_dwt, set_up) {
    core.dwt_locked = true;
    assert_int_equal(kymo_cortexm_start(), KYMO_CORTEXM_CYCCNT);
}

CASE(takes_systick_where_no_cycles_are_counted, set_up) {
    core.has_cyccnt = false;
    assert_int_equal(kymo_cortexm_start(), KYMO_CORTEXM_SYSTICK);
    set_up(NULL);
    core.has_dwt = false; /* as in QEMU 7.2: zeros, and NOCYCCNT is one of them */
    assert_int_equal(kymo_cortexm_start(), KYMO_CORTEXM_SYSTICK);
    assert_int_equal(core.rvr, 0xffffffu);
    assert_int_equal(core.csr, 5u); /* no interrupt, for which there may be no handler */
    assert_int_equal(kymo_arch_clock_hz(), KYMO_CLOCK_HZ);
}

CASE(nothing_counts_nothing_is_recorded, set_up) {
    core.has_dwt = core.has_systick = false;
    assert_int_equal(kymo_cortexm_start(), KYMO_CORTEXM_NONE);
    assert_int_equal(stops, 1);
}

CASE(widens_the_cycle_counter, set_up) {
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

CASE(shares_a_running_systick, set_up) {
    share_systick(168000u, 7u);
    assert_int_equal(core.writes, 0);
    assert_int_equal(kymo_arch_clock_hz(), KYMO_CLOCK_HZ);
    core.started = false;
    set_up(NULL);
    share_systick(168000u, 3u); /* the reference clock, of which only the chip knows the rate */
    assert_int_equal(kymo_arch_clock_hz(), 0);
}

CASE(a_systick_without_a_period_does_not_count, set_up) {
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

CASE(systick_is_right_across_any_wrap, set_up) {
    read_at_any_time(40u, 1u, 200000u);
    set_up(NULL);
    core.access_ticks = 0u; /* every access one tick */
    read_at_any_time(35u, 1u, 200000u);
    set_up(NULL);
    read_at_any_time(1000u, 1u, 200000u);
}

/* On a slow reference clock many readings see the same value, 0 with its flag too. */
CASE(systick_slower_than_the_core, set_up) {
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
CASE(systick_is_widened, set_up) {
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
CASE(a_late_wrap_holds_the_clock, set_up) {
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
CASE(a_restart_does_not_turn_the_clock_back, set_up) {
    share_systick(1000u, 7u);
    core.time += 700u;
    const uint64_t before = kymo_arch_clock64();
    kymo_cortexm_put(0xe000e018u, 0u);
    assert_true(kymo_arch_clock64() >= before);
    core.started = false;
}

#else

CASE(a_timer_is_captured_and_read, set_up) {
    assert_int_equal(kymo_cortexm_start(), KYMO_CORTEXM_CHIP_TIMER);
    const uint64_t from = core.time;
    const uint32_t seen = kymo_arch_clock();
    assert_in_range(seen, from, core.time);
    assert_int_equal(kymo_arch_clock_hz(), KYMO_CLOCK_HZ);
}

CASE(a_timer_that_stands_still_is_none, set_up) {
    core.timer_stands = true;
    assert_int_equal(kymo_cortexm_start(), KYMO_CORTEXM_NONE);
    assert_int_equal(stops, 1);
}

CASE(widens_the_timer, set_up) {
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
CASE(counts_cycles_where_the_core_does, set_up) {
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
