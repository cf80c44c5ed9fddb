/* SPDX-License-Identifier: MIT */
/* The rate of a clock from pairs that come late, and times by it. */
#include "clock/clock_rate.h"

#include "cases.h"
#include "clock/clock_wait.h"
#include "clock/clockfit.h"

#define MS UINT64_C(1000000)
#define SECOND (1000 * MS)
#define BOARD_HZ UINT64_C(12345678)
#define BOARD_START UINT64_C(987654321) /* ticks when the host's clock is at 0 */

static uint32_t random_state;

/* 0 ... limit - 1. Numerical Recipes, "ranqd1". */
static uint64_t dice(uint64_t limit) {
    random_state = random_state * 1664525u + 1013904223u;
    return (uint64_t)(random_state >> 8) % limit;
}

static uint64_t ticks_at(uint64_t host_ns) {
    return BOARD_START + host_ns / 1000 * BOARD_HZ / 1000000;
}

/* Parts per thousand beside the truth. */
static int64_t error_permille(uint64_t hz) {
    return ((int64_t)hz - (int64_t)BOARD_HZ) * 1000 / (int64_t)BOARD_HZ;
}

CASE(nothing_is_measured_too_early) {
    struct clock_rate rate = {0};
    assert_int_equal(clock_rate_hz(&rate), 0);
    clock_rate_heard(&rate, 0, ticks_at(0));
    clock_rate_heard(&rate, 499 * MS, ticks_at(499 * MS));
    assert_int_equal(clock_rate_hz(&rate), 0);
    assert_int_equal(clock_rate_span_ns(&rate), 499 * MS);
    clock_rate_heard(&rate, 500 * MS, ticks_at(500 * MS));
    assert_int_equal(error_permille(clock_rate_hz(&rate)), 0);
    assert_false(clock_rate_settled(&rate));
}

/* A packet that waited in a buffer before the line was opened comes a second late. */
CASE(a_bad_first_pair_is_passed_over) {
    struct clock_rate rate = {0};
    clock_rate_heard(&rate, 1000 * MS, ticks_at(0));
    for (uint64_t host_ns = 1010 * MS; host_ns < 2 * SECOND; host_ns += 100 * MS) {
        clock_rate_heard(&rate, host_ns, ticks_at(host_ns));
    }
    assert_in_range(clock_rate_hz(&rate), BOARD_HZ * 998 / 1000, BOARD_HZ * 1002 / 1000);
}

/* Pings, each read up to 3 ms after it left, one of ten much later; every time the rate is said to
 * be settled it must be within 1 %. */
CASE(pings_settle_within_a_percent) {
    for (random_state = 1; random_state < 200000; random_state += 997) {
        struct clock_rate rate = {0};
        uint64_t host_ns = 5 * SECOND + dice(SECOND);
        int pings = 0;
        for (; !clock_rate_settled(&rate); pings++, host_ns += 100 * MS) {
            uint64_t delay_ns = dice(10) == 0 ? dice(80 * MS) : dice(3 * MS);
            clock_rate_asked(&rate, host_ns, ticks_at(host_ns + delay_ns));
        }
        assert_int_equal(pings, 8);
        assert_in_range(clock_rate_hz(&rate), BOARD_HZ * 99 / 100, BOARD_HZ * 101 / 100);
    }
}

CASE(pings_count_more_than_packets) {
    struct clock_rate rate = {0};
    for (uint64_t host_ns = 0; host_ns <= 3 * SECOND; host_ns += 100 * MS) {
        clock_rate_heard(&rate, host_ns, BOARD_START + host_ns); /* as if 1 GHz */
        clock_rate_asked(&rate, host_ns, ticks_at(host_ns));
    }
    assert_int_equal(error_permille(clock_rate_hz(&rate)), 0);
}

CASE(long_captures_are_measured_from_end_to_end) {
    struct clock_rate rate = {0};
    random_state = 7;
    for (uint64_t host_ns = 0; host_ns <= 3600 * SECOND; host_ns += SECOND) {
        clock_rate_heard(&rate, host_ns + dice(50 * MS), ticks_at(host_ns));
    }
    assert_in_range(clock_rate_hz(&rate), BOARD_HZ - 200, BOARD_HZ + 200); /* 50 ms of an hour */
}

CASE(a_clock_that_stands_has_no_rate) {
    struct clock_rate rate = {0};
    for (uint64_t host_ns = 0; host_ns <= 2 * SECOND; host_ns += 100 * MS) {
        clock_rate_heard(&rate, host_ns, 42);
    }
    assert_int_equal(clock_rate_hz(&rate), 0);
    assert_int_equal(clock_rate_span_ns(&rate), 2 * SECOND);
    assert_true(clock_rate_stands(&rate));
}

/* hostlink was not scheduled for ten seconds, of which it reads all at once: that gives no rate, and the clock runs. */
CASE(a_host_that_sleeps_sees_no_clock_stand) {
    struct clock_rate rate = {0};
    for (uint64_t i = 0; i <= 10; i++) {
        clock_rate_heard(&rate, 10 * SECOND, ticks_at(i * SECOND));
    }
    clock_rate_heard(&rate, 11 * SECOND + 10 * MS, ticks_at(11 * SECOND));
    assert_int_equal(clock_rate_hz(&rate), 0);
    assert_false(clock_rate_stands(&rate));
}

CASE(a_clock_set_back_begins_anew) {
    struct clock_rate rate = {0};
    clock_rate_heard(&rate, 0, 1000000);
    clock_rate_heard(&rate, 1 * SECOND, 2000000);
    clock_rate_heard(&rate, 2 * SECOND, 5);
    assert_int_equal(clock_rate_hz(&rate), 0);
    clock_rate_heard(&rate, 3 * SECOND, 1005);
    assert_int_equal(clock_rate_hz(&rate), 1000);
}

/* Two packets that were read at once, one of them of the middle of all ticks: 1 000 000 ticks in
 * the second after them. */
CASE(packets_that_are_read_at_once) {
    struct clock_rate rate = {0};
    clock_rate_heard(&rate, 0, 0);
    clock_rate_heard(&rate, 0, 1000000);
    clock_rate_heard(&rate, 1 * SECOND, 2000000);
    assert_int_equal(clock_rate_hz(&rate), 1000000);
}

/* Numbers at the end of their range are of no clock. */
CASE(nonsense_is_not_taken) {
    struct clock_rate rate = {0};
    clock_rate_heard(&rate, 0, 0);
    clock_rate_heard(&rate, 1 * SECOND, UINT64_MAX);
    clock_rate_heard(&rate, UINT64_MAX, 5);
    assert_int_equal(clock_rate_span_ns(&rate), 0);
    clock_rate_heard(&rate, UINT64_C(1) << 62, UINT64_C(1) << 62);
    assert_int_equal(clock_rate_hz(&rate), 1000000000);
}

CASE(whole_ticks_and_others_are_exact) {
    const struct {
        uint64_t hz, ticks;
        int64_t ns;
    } cases[] = {
        {10000000, 3, 300},
        {10000000, UINT64_C(1) << 50, INT64_C(112589990684262400)},
        {1000000000, 123456789012345678, 123456789012345678},
        {3, 1, 333333333},
        {3, 3000000000, INT64_C(1000000000000000000)},
        {32768, 32769, 1000030517},
        {UINT64_C(1) << 60, UINT64_C(1) << 59, 500000000},
        {1, UINT64_MAX - 1, INT64_MAX / 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct clockfit fit = {.board_hz = cases[i].hz};
        clockfit_start(&fit, 0, 0);
        assert_true(clockfit_ns(&fit, cases[i].ticks) == cases[i].ns);
    }
}

/* Also within the second that the last time was in, where no division is made. */
CASE(every_rate_is_exact_in_every_second) {
    __extension__ typedef unsigned __int128 wide;
    static const uint64_t rates[] = {
        1,          3,          32768,      999999937,  48000000,
        3000000001, 3333333333, UINT32_MAX, 2147483659, UINT64_C(1) << 40};
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        struct clockfit fit = {.board_hz = rates[i], .ordered = true};
        clockfit_start(&fit, 0, 0);
        for (unsigned k = 0; k < 20000; k++) {
            const uint64_t second = dice(k % 2 == 0 ? 1000 : 4) * rates[i];
            const uint64_t part = k % 5 == 0 ? rates[i] - 1 : dice(1u << 24) * (rates[i] >> 24);
            const uint64_t ticks = second + part;
            const uint64_t exact = (uint64_t)((wide)ticks * SECOND / rates[i]);
            assert_true(clockfit_ns(&fit, ticks) == (int64_t)exact);
        }
    }
}

/* From tick to tick time goes on where it was, and a repeated query has the same answer. */
CASE(a_better_rate_bends_time_without_a_jump) {
    struct clockfit fit = {0};
    clock_rate_heard(&fit.rate, 0, 0);
    clock_rate_heard(&fit.rate, 1 * SECOND, 1000000);
    clockfit_start(&fit, 0, 0);
    assert_int_equal(clockfit_ns(&fit, 2000000), 2 * SECOND);
    clock_rate_heard(&fit.rate, 3 * SECOND, 3600000);
    clockfit_steer(&fit);
    uint64_t hz = clockfit_hz(&fit);
    assert_int_equal(hz, 1200000);
    assert_int_equal(clockfit_ns(&fit, 1000000), 1 * SECOND);
    assert_int_equal(clockfit_ns(&fit, 2000000), 2 * SECOND);
    assert_int_equal(clockfit_ns(&fit, 2000000 + hz), 3 * SECOND);
}

/* However often the rate changes while nothing is recorded. */
CASE(rates_of_no_time_leave_the_times_before) {
    struct clockfit fit = {.board_hz = 1000000};
    clockfit_start(&fit, 0, 0);
    clockfit_change(&fit, 2000000, 2000000, 0);
    assert_int_equal(clockfit_ns(&fit, 4000000), 3 * SECOND);
    for (uint64_t mhz = 3; mhz < 50; mhz++) {
        clockfit_change(&fit, 4000000, mhz * 1000000, 0);
    }
    assert_int_equal(clockfit_ns(&fit, 1000000), 1 * SECOND);
    assert_int_equal(clockfit_ns(&fit, 3000000), 2 * SECOND + SECOND / 2);
    assert_int_equal(clockfit_ns(&fit, 4000000 + 49000000), 4 * SECOND);
}

/* A clock that was set back early, by more than it had shown: it goes on from the latest time,
 * and another lane's events between the two are at the first. */
CASE(no_time_is_before_the_first) {
    const struct clockfit_step step = {.from = 2000100, .by = 3000000};
    struct clockfit fit = {.board_hz = 1000000, .steps = &step, .step_count = 1};
    clockfit_start(&fit, 0, 5 * SECOND);
    assert_int_equal(clockfit_ns(&fit, 10), 5 * SECOND + 10000);
    assert_int_equal(clockfit_ns(&fit, 2000200), 5 * SECOND + 10000);
    assert_int_equal(clockfit_ns(&fit, 2000300), 5 * SECOND + 110000);
    assert_int_equal(clockfit_ns(&fit, 2000150), 5 * SECOND);
    assert_int_equal(clockfit_ns(&fit, 3000200), 6 * SECOND + 10000);
}

CASE(what_the_board_says_is_not_bent) {
    struct clockfit fit = {.board_hz = 1000000};
    clockfit_start(&fit, 0, 0);
    clock_rate_heard(&fit.rate, 0, 0);
    clock_rate_heard(&fit.rate, 10 * SECOND, 5000000);
    assert_int_equal(clockfit_ns(&fit, 1), 1000);
    clockfit_steer(&fit);
    assert_int_equal(clockfit_ns(&fit, 5000000), 5 * SECOND);
}

/* The times of 2^63 ticks and more, at any rate, from any start: within range, and in order. */
CASE(no_time_overflows) {
    static const uint64_t rates[] = {1, 3, 1000, 32768, 1000000000, UINT64_C(1) << 60};
    static const int64_t starts[] = {0, 1, INT64_MAX / 4, INT64_MAX / 2};
    for (size_t i = 0; i < 24; i++) {
        struct clockfit fit = {.board_hz = rates[i % 6], .ordered = (i & 1) != 0};
        clockfit_start(&fit, UINT64_MAX >> (i % 3 * 20), starts[i / 6]);
        int64_t before_ns = 0;
        for (uint64_t shift = 64; shift-- > 0;) {
            int64_t ns = clockfit_ns(&fit, UINT64_MAX >> shift);
            assert_true(ns >= before_ns && ns <= INT64_MAX / 2);
            before_ns = ns;
            fit.board_hz = rates[(i + shift) % 6];
            clockfit_steer(&fit);
        }
    }
}

CASE(a_far_clock_begins_at_its_first_event) {
    struct clockfit fit = {.board_hz = 1000, .ordered = true};
    clockfit_start(&fit, 1000000, 5);
    assert_int_equal(clockfit_ns(&fit, 1000000), 5);
    assert_int_equal(clockfit_ns(&fit, 1001000), SECOND + 5);
}

/* Packets that wait for the rate, of any length: never more than there is room for, and nearly as much. */
CASE(what_waits_fits_its_room) {
    static const uint8_t bytes[2000] = {KYMO_PACKET_EVENTS};
    for (size_t length = 1; length <= sizeof bytes; length += 7) {
        struct clock_wait wait = {0};
        const struct wire_packet packet = {bytes, length, 0};
        size_t packets = 0, at = 0;
        struct wire_packet kept;
        while (clock_wait_take(&wait, &packet, 0) == CLOCK_WAIT_KEPT) {
            packets++;
        }
        assert_in_range(wait.used, CLOCK_WAIT_BYTES_MAX - length - 32, CLOCK_WAIT_BYTES_MAX);
        while (clock_wait_next(&wait, &at, &kept)) {
            assert_int_equal(kept.length, length);
            packets--;
        }
        assert_int_equal(packets, 0);
        clock_wait_free(&wait);
    }
}
