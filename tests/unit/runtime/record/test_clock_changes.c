/* SPDX-License-Identifier: MIT */
/* A clock whose rate changes and that stops in sleep: times before and after are right. */
#include <string.h>

#include "cases.h"
#include "kept.h"
#include "kymo/kymo.h"
#include "kymo_arch.h"
#include "ring/ring.h"
#include "send/clock.h"
#include "send/link.h"
#include "trace.h"
#include "trace/pipeline.h"

#define TIMES_MAX 256u
#define HZ 1000000u
#define SLOW_HZ 32768u
#define NS_PER_S INT64_C(1000000000)

KYMO_SITE_DEFINE_GLOBAL(mark, KYMO_SITE_FRAME, "mark", 0u, 0u, NULL);
KYMO_SITE_DEFINE_GLOBAL(work, KYMO_SITE_ZONE, "work", 0u, 0u, NULL);

/* A look at the clock takes no time here, so that marks are where the test puts them. */
FIXTURE(set_up) {
    kept.length = 0u;
    fake_reset();
    fake.clock_hz = HZ;
    trace_power_up();
    kymo_init(&kept_transport, "clock");
    fake.clock_step = 0u;
    fake.clock = 1000u;
    return 0;
}

static void drain(void) {
    while (kymo_pending()) {
        fake.clock_step = 1u; /* for what waits by the clock */
        (void)kymo_drain(0u);
        fake.clock_step = 0u;
    }
}

static void finish(void) {
    kymo_finish();
    drain();
}

static void mark_at(uint64_t ticks) {
    fake.clock = ticks;
    kymo_frame(&mark);
}

struct seen {
    int64_t ns[TIMES_MAX]; /* of the marks */
    uint32_t count;
    struct pipeline_totals totals;
};

static int on_event(void *context, const struct event *event) {
    struct seen *seen = context;
    if (event->kind == EVENT_FRAME) {
        assert_true(seen->count < TIMES_MAX);
        seen->ns[seen->count++] = event->time_ns;
    }
    return 0;
}

/* Reads like convert; packet "leave_out", counted from 1, is lost. */
static void feed(struct pipeline *pipeline, uint32_t leave_out) {
    uint32_t number = 0u;
    for (const uint8_t *at = kept.bytes; at < kept.bytes + kept.length;) {
        const uint8_t *end = memchr(at, 0, (size_t)(kept.bytes + kept.length - at));
        assert_non_null(end);
        number += end != at ? 1u : 0u;
        if (end == at || number != leave_out) {
            assert_int_equal(pipeline_feed(pipeline, at, (size_t)(end + 1 - at)), 0);
        }
        at = end + 1;
    }
    assert_int_equal(pipeline_end(pipeline), 0);
}

static void read_stream(struct seen *seen, uint32_t leave_out) {
    const struct pipeline_callbacks first = {.names_only = true};
    const struct pipeline_callbacks second = {.event = on_event, .context = seen};
    struct pipeline *names = pipeline_new(&first, NULL);
    memset(seen, 0, sizeof *seen);
    feed(names, leave_out);
    struct pipeline *pipeline = pipeline_new(&second, names);
    feed(pipeline, leave_out);
    pipeline_totals(pipeline, &seen->totals);
    pipeline_free(pipeline);
    pipeline_free(names);
}

/* The time between two marks, to ten microseconds: the clock passes some ticks between the look that says how late a
 * record is, and its own time. */
static void is_apart(const struct seen *seen, uint32_t from, uint32_t to, int64_t ns) {
    assert_true(to < seen->count);
    const int64_t apart = seen->ns[to] - seen->ns[from];
    assert_true(apart >= ns - 10000 && apart <= ns + 10000);
}

CASE(each_rate_counts_for_its_time, set_up) {
    struct seen seen;
    mark_at(1000000u);
    mark_at(2000000u); /* 1 s at 1 MHz */
    kymo_clock_rate(4000000u);
    mark_at(6000000u); /* 1 s at 4 MHz */
    kymo_clock_rate(100000u);
    mark_at(6200000u); /* 2 s at 100 kHz */
    kymo_clock_rate(HZ);
    mark_at(7200000u); /* 1 s at 1 MHz */
    finish();
    read_stream(&seen, 0u);
    is_apart(&seen, 0u, 1u, NS_PER_S);
    is_apart(&seen, 1u, 2u, NS_PER_S);
    is_apart(&seen, 2u, 3u, 2 * NS_PER_S);
    is_apart(&seen, 3u, 4u, NS_PER_S);
    assert_int_equal(seen.totals.clock_changes, 3u);
    assert_int_equal(seen.totals.lost, 0u);
    assert_int_equal(seen.totals.repairs, 0u);
}

/* Drained in between, so that SESSION packets say each rate too. */
CASE(sessions_agree_with_events, set_up) {
    struct seen seen;
    uint64_t at = 1000u;
    for (uint32_t i = 0u; i < 20u; i++) {
        const uint32_t hz = i % 2u == 0u ? 2000000u : 500000u;
        kymo_clock_rate(hz);
        mark_at(at += hz);
        drain();
        mark_at(fake.clock);
        at = fake.clock;
    }
    finish();
    read_stream(&seen, 0u);
    assert_int_equal(seen.count, 40u);
    for (uint32_t i = 1u; i < 19u; i++) {
        is_apart(&seen, 2u * i + 1u, 2u * i + 2u, NS_PER_S);
    }
    assert_int_equal(seen.totals.clock_changes, 20u);
}

CASE(sleep_moves_what_follows, set_up) {
    struct seen seen;
    mark_at(1000u);
    assert_true(kymo_clock_slept(3u * SLOW_HZ, SLOW_HZ));
    mark_at(2000u);
    assert_false(kymo_clock_slept(1u, SLOW_HZ + 1u)); /* one slow clock */
    assert_false(kymo_clock_slept(1u, 0u));
    assert_true(kymo_clock_slept(SLOW_HZ / 2u, SLOW_HZ));
    mark_at(3000u);
    finish();
    read_stream(&seen, 0u);
    is_apart(&seen, 0u, 1u, 3 * NS_PER_S + 1000000);
    is_apart(&seen, 1u, 2u, NS_PER_S / 2 + 1000000);
    assert_int_equal(seen.totals.clock_changes, 2u);
}

/* Open zones fill the ring, so that the change is refused: it is recorded later, and counts from when it was. */
CASE(a_refused_change_is_made_good, set_up) {
    static kymo_zone zones[128];
    struct seen seen;
    uint32_t open = 0u;
    mark_at(1000u);
    drain();
    while (open < 128u && (zones[open] = kymo_zone_begin(&work)) != NULL) {
        open++;
    }
    assert_in_range(open, 10u, 127u);
    fake.clock = 101000u; /* 0.1 s after the mark */
    kymo_clock_rate(2u * HZ);
    assert_true(kymo_clock_slept(SLOW_HZ, SLOW_HZ));
    drain();
    while (open != 0u) {
        kymo_zone_end(zones[--open]);
    }
    drain();
    mark_at(101000u + 2u * HZ);
    finish();
    read_stream(&seen, 0u);
    is_apart(&seen, 0u, seen.count - 1u, NS_PER_S / 10 + NS_PER_S + NS_PER_S);
    assert_int_equal(seen.totals.clock_changes, 1u); /* the one that says both */
}

/* The rings are never empty when kymo_drain() has nothing more to do, as on a board that records all the time. */
CASE(a_refused_change_does_not_wait_for_empty_rings, set_up) {
    struct seen seen;
    mark_at(1000u);
    drain();
    for (uint32_t i = 0u; i < 500u; i++) {
        mark_at(2000u); /* the ring is full */
    }
    assert_true(kymo_clock_slept(3u * SLOW_HZ, SLOW_HZ));
    for (uint32_t i = 0u; i < 20u; i++) {
        drain();
        mark_at(3000u);
    }
    drain();
    mark_at(1000u + HZ);
    drain();
    read_stream(&seen, 0u);
    is_apart(&seen, 0u, seen.count - 1u, 4 * NS_PER_S);
    assert_int_equal(seen.totals.clock_changes, 1u);
}

/* Whichever packet is lost, times do not go back, and the rate is right once a SESSION packet says it. */
CASE(a_lost_change_is_made_good_by_the_session, set_up) {
    struct seen seen;
    mark_at(1000u);
    drain();
    kymo_clock_rate(10u * HZ);
    mark_at(2000u);
    drain();
    for (uint32_t i = 0u; i < 4u; i++) {
        mark_at(fake.clock + 20u * HZ);
        drain();
    }
    finish();
    for (uint32_t lost = 0u; lost < 30u; lost++) {
        read_stream(&seen, lost);
        for (uint32_t i = 1u; i < seen.count; i++) {
            assert_true(seen.ns[i] >= seen.ns[i - 1u]);
        }
        if (seen.count >= 4u) {
            const int64_t apart = seen.ns[seen.count - 1u] - seen.ns[seen.count - 2u];
            assert_true(apart <
                        5 * NS_PER_S); /* 2 s, or 4 where one mark is lost; 20 at the first rate */
        }
    }
}

/* The number of a change has 24 bits: a board that sleeps a hundred times a second is through them in two days. */
CASE(numbers_wrap, set_up) {
    struct seen seen;
    kymo_clock.number = kymo_clock.recorded = 2u * 0xfffff0u;
    kymo_clock.state.hz = HZ;
    kymo_link.clock_number = 0xfffff0u;
    mark_at(1000u);
    drain();
    for (uint32_t i = 0u; i < 32u; i++) {
        assert_true(kymo_clock_slept(SLOW_HZ, SLOW_HZ));
        drain();
    }
    mark_at(1000u + HZ);
    finish();
    read_stream(&seen, 0u);
    assert_int_equal(seen.totals.clock_changes, 32u);
    is_apart(&seen, 0u, 1u, 33 * NS_PER_S);
}

/* Both lanes share the clock; the other one records nothing of the change. */
CASE(a_change_counts_for_all_lanes, set_up) {
    struct seen seen;
    mark_at(1000u);
    fake.lane = 1u;
    mark_at(2000u);
    fake.lane = 0u;
    kymo_clock_rate(2u * HZ);
    fake.lane = 1u;
    mark_at(2000u + 2u * HZ);
    fake.lane = 0u;
    mark_at(2000u + 4u * HZ);
    finish();
    read_stream(&seen, 0u);
    assert_int_equal(seen.count, 4u);
    is_apart(&seen, 0u, 1u, 1000000);
    is_apart(&seen, 1u, 2u, NS_PER_S);
    is_apart(&seen, 2u, 3u, NS_PER_S);
}

/* The clock of a device, as a newer board may send it, and one that repeats the last message. */
CASE(other_domains_are_stepped_over, set_up) {
    const uint32_t other[2] = {1u | 1u << 8, 5u};
    const uint32_t again[2] = {1u << 8, 2u * HZ};
    struct seen seen;
    mark_at(1000u);
    (void)kymo_ring_long(KYMO_KIND_CLOCK, 0u, other, 2u);
    mark_at(1000u + HZ);
    kymo_clock_rate(2u * HZ);
    (void)kymo_ring_long(KYMO_KIND_CLOCK, 0u, again, 2u);
    mark_at(1000u + 3u * HZ);
    finish();
    read_stream(&seen, 0u);
    assert_int_equal(seen.totals.unknown_clocks, 1u);
    assert_int_equal(seen.totals.clock_changes, 1u);
    is_apart(&seen, 0u, 1u, NS_PER_S);
    is_apart(&seen, 1u, 2u, NS_PER_S);
}
