/* SPDX-License-Identifier: MIT */
/* Two cores that exchange stamps (kymo/core_clock.h); the test plays lane 0's while lane 1's
 * counter is read. The test knows the truth: the distance of the two counters. */
#include "kymo/core_clock.h"

#include "cases.h"
#include "kymo_arch.h"

static struct core {
    uint64_t apart;     /* lane 0's clock less this counter */
    uint32_t stops;     /* so many of the looks that follow show the same */
    uint32_t answers;   /* after so many looks lane 0 answers; 0: never */
    uint32_t waits;     /* looks since it did */
    uint32_t masked;    /* looks that no interrupt could come between */
    uint32_t goes_back; /* the look of this number shows less than the one before; 0: none */
    uint32_t looks, random;
} core;

static void answer(void) {
    fake.lane = 0u;
    kymo_core_clock_answer();
    fake.lane = 1u;
}

uint64_t fake_counter(void) {
    core.masked += fake.masked ? 1u : 0u;
    fake.clock += core.stops != 0u ? 0u : 1u + (core.random >> 28);
    core.random = core.random * 1664525u + 1013904223u;
    core.stops -= core.stops != 0u ? 1u : 0u;
    if (core.answers != 0u && ++core.waits >= core.answers) {
        core.waits = 0u;
        answer();
    }
    const bool back = ++core.looks == core.goes_back;
    return fake.clock - core.apart - (back ? 5000u : 0u);
}

static struct kymo_core_clock *const own = &kymo_core_clocks[1];

FIXTURE(set_up) {
    fake_reset();
    fake.clock_step = 0u;
    fake.clock = 1000000u;
    fake.lane = 1u;
    *own = (struct kymo_core_clock){0};
    core = (struct core){.answers = 3u, .random = 7u};
    return 0;
}

static void is_within_its_error(uint32_t most) {
    const int64_t off = (int64_t)(own->offset - core.apart);
    assert_true(own->error <= most);
    assert_true(off <= (int64_t)own->error && -off <= (int64_t)own->error);
}

/* From any distance, also over a wrap of either counter. */
CASE(is_found, set_up) {
    static const uint64_t apart[] = {0u, 1u, 123456789u, UINT64_MAX - 5u, UINT64_C(1) << 63};
    static const uint64_t starts[] = {0u, UINT64_MAX - 20u, UINT64_C(1) << 63};
    for (uint32_t i = 0u; i < 5u; i++) {
        for (uint32_t k = 0u; k < 3u; k++) {
            (void)set_up(state);
            core.apart = apart[i];
            fake.clock = starts[k];
            assert_true(kymo_core_clock_set());
            assert_int_equal(own->times, 1u);
            is_within_its_error(64u);
        }
    }
}

/* A slow answer is a wide one, and does not spoil the quick ones. */
CASE(the_quickest_counts, set_up) {
    core.apart = 77u;
    core.answers = 2000u;
    assert_true(kymo_core_clock_set());
    assert_true(own->error > 1000u);
    is_within_its_error(40000u);
    core.answers = 1u;
    assert_true(kymo_core_clock_set());
    is_within_its_error(64000u);
}

CASE(nobody_answers, set_up) {
    core.answers = 0u;
    assert_false(kymo_core_clock_set());
    assert_int_equal(own->times, 0u);
    core.answers = 2u;
    assert_true(kymo_core_clock_set());
    is_within_its_error(64u);
    core.answers = 0u;
    const struct kymo_core_clock before = *own;
    assert_false(kymo_core_clock_set());
    assert_true(own->offset == before.offset && own->times == 1u && own->error == before.error);
}

/* A counter that stands still while it asks is only as right as the time says that passed. */
CASE(it_stands_still, set_up) {
    core.apart = 5u;
    core.stops = 40u;
    assert_true(kymo_core_clock_set());
    is_within_its_error(64u);
}

/* Whichever look goes back: that round says nothing, or is a wide one. */
CASE(it_goes_back, set_up) {
    for (uint32_t i = 1u; i <= 120u; i++) {
        (void)set_up(state);
        core.apart = 5u;
        core.goes_back = i;
        assert_true(kymo_core_clock_set());
        is_within_its_error(64u);
    }
}

/* It is faster and slower than lane 0's by turns, as crystals are: set now and then, its time is right, and never goes
 * back, not between two looks. */
CASE(time_never_goes_back, set_up) {
    uint64_t last = 0u;
    core.apart = 1u << 20;
    for (uint32_t i = 0u; i < 2000u; i++) {
        core.apart += i % 100u < 50u ? 40u : (uint64_t)-40;
        core.answers = 1u + i % 7u;
        const int64_t off = (int64_t)(own->offset - core.apart);
        assert_true(kymo_core_clock_set());
        is_within_its_error(500u);
        /* So wrong it was until now. */
        assert_true(i == 0u || (off <= (int64_t)own->most && -off <= (int64_t)own->most));
        assert_true(own->error <= own->most && own->most <= 600u);
        const uint64_t now = fake_counter() + own->offset;
        assert_true(now > last);
        last = now;
    }
    assert_true(core.masked != 0u);
    assert_false(fake.masked);
}

/* A reset of its counter is repaired; a leap ahead is reported in the error, as time cannot go back so far. */
CASE(it_is_reset_or_leaps, set_up) {
    assert_true(kymo_core_clock_set());
    core.apart += 100000000u;
    assert_true(kymo_core_clock_set());
    is_within_its_error(64u);
    core.apart -= 100000000u;
    assert_false(kymo_core_clock_set());
    is_within_its_error(100000100u);
    core.apart -= UINT64_C(1) << 40;
    assert_false(kymo_core_clock_set());
    assert_int_equal(own->error, UINT32_MAX);
}

CASE(others_have_none, set_up) {
    fake.lane = 0u;
    assert_false(kymo_core_clock_set());
    fake.lane = 2u;
    assert_false(kymo_core_clock_set());
    assert_true(kymo_core_clock_offset(2u) == 0u);
}
