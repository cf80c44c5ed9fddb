/* SPDX-License-Identifier: MIT */
/* Samples: when they are taken, which code they show, and how missed ones are reported, by a
 * clock and a stack walk that the test plays. */
#include <string.h>

#include "cases.h"
#include "kymo/sample.h"
#include "kymo/unwind.h"
#include "kymo_arch.h"
#include "ring/lane.h"
#include "trace.h"
#include "wire/compose.h"

#define VERSION (KYMO_WIRE_VERSION << KYMO_WIRE_VERSION_SHIFT)
#define SEEN_MAX 8192u
#define CLOCK_HZ 1000000u
#define PC ((uintptr_t)0x80000100u)

KYMO_CONTEXT(other, "other", KYMO_CONTEXT_INTERRUPT);
KYMO_CONTEXT(timer, "timer", KYMO_CONTEXT_INTERRUPT);

static struct trace trace;

/* ---- the walk: through the handler, to the preempted code, to its callers ---- */

static uint32_t walks, callers, walk_ticks, handler_frames;
static bool passes_preempted; /* it reaches the preempted code */

uint32_t kymo_arch_unwind(uintptr_t *addresses, uint32_t count, uint32_t skip,
                          uintptr_t stack_end) {
    uint32_t found = 0u;
    const uint32_t all = handler_frames + (passes_preempted ? callers + 1u : 0u);
    assert_int_equal(stack_end, 0u);
    walks++;
    fake.clock += walk_ticks;
    for (uint32_t i = skip; i < all && found < count; i++) {
        addresses[found++] = i < handler_frames    ? 0x1000u + 2u * i
                             : i == handler_frames ? PC + 1u
                                                   : 0x2000u + 2u * (i - handler_frames);
    }
    return found;
}

/* ---- arrived samples ---- */

static struct {
    uint32_t lane, context, frames, hz, missed;
    uint64_t ticks;
    uintptr_t innermost;
} seen[SEEN_MAX];
static uint32_t seen_count, frames_of_next[KYMO_LANES];
static uintptr_t innermost_of_next[KYMO_LANES];

static void on_event(void *user, uint32_t lane, uint32_t context, const struct wire_event *event) {
    (void)user;
    if (event->kind == KYMO_KIND_CALLSTACK) {
        frames_of_next[lane] = event->word[0];
        innermost_of_next[lane] = event->word[1];
        for (uint32_t i = 1u; i < event->word[0]; i++) {
            assert_int_equal(event->word[1u + i], 0x2000u + 2u * i);
        }
        return;
    }
    if (event->kind == KYMO_KIND_SAMPLE) {
        assert_true(seen_count < SEEN_MAX);
        seen[seen_count].lane = lane;
        seen[seen_count].context = context;
        seen[seen_count].ticks = event->ticks;
        seen[seen_count].hz = event->words > 0u ? event->word[0] : 0u;
        seen[seen_count].missed = event->words > 1u ? event->word[1] : 0u;
        seen[seen_count].frames = frames_of_next[lane];
        seen[seen_count++].innermost = innermost_of_next[lane];
    }
    frames_of_next[lane] = 0u;
}

static uint64_t missed_in_all(void) {
    uint64_t missed = 0u;
    for (uint32_t i = 0u; i < seen_count; i++) {
        missed += seen[i].missed;
    }
    return missed;
}

static const struct kymo_interrupted preempted = {.pc = PC};

FIXTURE(power_up) {
    fake_reset();
    fake.clock_step = 0u;
    fake.clock_hz = CLOCK_HZ;
    fake.clock = 1000u;
    trace_power_up();
    trace_init(&trace);
    trace.event = on_event;
    passes_preempted = true;
    callers = 2u;
    handler_frames = 3u;
    walk_ticks = 0u;
    /* Samples missed in an earlier test go with one sample into a ring that is cleared then. */
    kymo_sample_rate(1000u);
    for (uint32_t lane = 0u; lane < KYMO_LANES; lane++) {
        fake.lane = lane;
        kymo_sample_restart();
        fake.clock += kymo_sample(&preempted);
        (void)kymo_sample(&preempted);
        kymo_sample_restart();
    }
    fake.lane = 0u;
    kymo_sample_rate(0u);
    trace_power_up();
    walks = seen_count = 0u;
    memset(frames_of_next, 0, sizeof frames_of_next);
    return 0;
}

static void attach(void) {
    fake.clock_step = 1u; /* the start looks whether it counts */
    kymo_init(&trace.transport, "samples");
    fake.clock_step = 0u;
    trace_drain(&trace);
}

/* A timer that fires at the requested time plus "late" ticks. Returns the interval. */
static uint32_t fire(const struct kymo_interrupted *at, uint32_t *next, uint64_t late) {
    const uint32_t interval = *next;
    fake.clock += interval + late;
    *next = kymo_sample(at);
    trace_drain(&trace);
    return interval;
}

static uint32_t first(void) {
    const uint32_t next = kymo_sample(&preempted);
    assert_int_equal(walks, 0u);
    return next;
}

/* ---- when ---- */

CASE(off_it_looks_now_and_then, power_up) {
    attach();
    for (uint32_t i = 0u; i < 100u; i++) {
        assert_in_range(kymo_sample(&preempted), CLOCK_HZ / 100u, CLOCK_HZ / 100u + 1u);
        fake.clock += CLOCK_HZ / 100u;
    }
    assert_int_equal(trace_finish(&trace), 0u);
    assert_int_equal(seen_count, 0u);
}

/* Between half and one and a half of the period; the mean within five standard deviations of its own. */
CASE(intervals_differ_around_the_period, power_up) {
    const uint32_t count = 4000u;
    uint64_t sum = 0u, squares = 0u;
    uint32_t low = UINT32_MAX, high = 0u;
    attach();
    kymo_sample_rate(1000u);
    uint32_t next = first();
    for (uint32_t i = 0u; i < count; i++) {
        const uint32_t interval = fire(&preempted, &next, 0u);
        assert_in_range(interval, 500u, 1500u);
        sum += interval;
        squares += (uint64_t)interval * interval;
        low = interval < low ? interval : low;
        high = interval > high ? interval : high;
    }
    assert_int_equal(seen_count, count);
    const double mean = (double)sum / count, variance = (double)squares / count - mean * mean;
    assert_true((mean - 1000.0) * (mean - 1000.0) < 25.0 * (1e6 / 12.0) / count);
    /* The variance of a uniform distribution over the period, and both its ends. */
    assert_true(variance > 0.9 * 1e6 / 12.0 && variance < 1.1 * 1e6 / 12.0);
    assert_true(low < 510u && high > 1490u);
    for (uint32_t i = 0u; i < count; i++) {
        assert_int_equal(seen[i].missed, 0u);
        assert_int_equal(seen[i].hz, 1000u);
    }
    assert_int_equal(trace_finish(&trace), 0u);
}

/* Calls in between take none. */
CASE(a_timer_of_one_period_may_call_it, power_up) {
    const uint32_t ticks = 20000u;
    attach();
    kymo_sample_rate(100u);
    (void)first();
    for (uint32_t i = 0u; i < ticks; i++) {
        fake.clock += CLOCK_HZ / 1000u;
        (void)kymo_sample(&preempted);
        trace_drain(&trace);
    }
    assert_in_range(seen_count, 1900u, 2100u);
    assert_int_equal(walks, seen_count); /* the handler is known by now */
    assert_int_equal(missed_in_all(), 0u);
}

/* Half a period is in time. A later sample counts as missed, and each further period as one more. */
CASE(what_is_late_is_missed, power_up) {
    static const struct {
        uint64_t late;
        uint32_t missed;
    } cases[] = {{0u, 0u},      {500u, 0u}, {501u, 1u},        {1499u, 1u}, {1500u, 2u},
                 {10000u, 10u}, {0u, 0u},   {1000000u, 1000u}, {0u, 0u}};
    attach();
    kymo_sample_rate(1000u);
    uint32_t next = first();
    for (uint32_t i = 0u; i < sizeof cases / sizeof cases[0]; i++) {
        (void)fire(&preempted, &next, cases[i].late);
        assert_int_equal(seen_count, i + 1u);
        assert_int_equal(seen[i].missed, cases[i].missed);
        assert_in_range(next, 1u, 1500u);
    }
    kymo_sample_restart();
    fake.clock += 5000000u;
    next = kymo_sample(&preempted);
    (void)fire(&preempted, &next, 0u);
    assert_int_equal(seen[seen_count - 1u].missed, 0u);
    assert_int_equal(trace_finish(&trace), 0u);
}

/* At any requested rate, a sample comes no earlier than three times the duration of the last one. */
CASE(it_does_not_drown_the_program, power_up) {
    attach();
    kymo_sample_rate(UINT32_MAX);
    walk_ticks = 40u;
    uint32_t next = first();
    for (uint32_t i = 0u; i < 500u; i++) {
        (void)fire(&preempted, &next, 0u);
        assert_true(next >= 3u * walk_ticks);
    }
    assert_int_equal(seen_count, 500u);
    assert_int_equal(seen[0].hz, KYMO_SAMPLE_HZ_MAX);
    /* 160 ticks each, of 10. */
    assert_in_range(missed_in_all(), 500u * 10u, 500u * 16u);
}

/* One tick is the shortest interval, and the rate that of the clock. */
CASE(a_slow_clock_is_no_fault, power_up) {
    attach();
    fake.clock_hz = 1000u;
    kymo_sample_rate(100000u);
    uint32_t next = kymo_sample(&preempted);
    fake.clock_hz = CLOCK_HZ; /* the drain asks, too */
    for (uint32_t i = 0u; i < 100u; i++) {
        (void)fire(&preempted, &next, 0u);
        assert_in_range(next, 1u, 3u);
    }
    assert_int_equal(seen[50].hz, 1000u);
}

CASE(an_unknown_clock_leaves_it_to_the_timer, power_up) {
    attach();
    fake.clock_hz = 0u;
    kymo_sample_restart();
    assert_int_equal(kymo_sample(&preempted), 0u);
    kymo_sample_rate(50u);
    for (uint32_t i = 0u; i < 10u; i++) {
        assert_int_equal(kymo_sample(&preempted), 0u);
        trace_drain(&trace);
    }
    assert_int_equal(seen_count, 10u);
    assert_int_equal(seen[0].hz, 50u);
}

CASE(stopped_none_is_taken, power_up) {
    attach();
    kymo_sample_rate(1000u);
    uint32_t next = first();
    kymo_stop();
    for (uint32_t i = 0u; i < 10u; i++) {
        (void)fire(&preempted, &next, 0u);
    }
    assert_int_equal(walks, 0u);
    kymo_start();
    (void)fire(&preempted, &next, 0u);
    assert_int_equal(seen_count, 1u);
    assert_int_equal(seen[0].missed, 0u);
    assert_int_equal(trace_finish(&trace), 0u);
}

/* ---- sampled contexts ---- */

CASE(a_sample_is_of_what_was_preempted, power_up) {
    attach();
    kymo_sample_rate(1000u);
    uint32_t next = first();
    (void)fire(&preempted, &next, 0u);
    assert_int_equal(seen[0].context, 1u);
    assert_int_equal(seen[0].frames, 3u);
    assert_true(seen[0].innermost == PC + 1u);
    callers = 100u; /* a deep stack is cut at its outer end */
    (void)fire(&preempted, &next, 0u);
    assert_int_equal(seen[1].frames, KYMO_CALLSTACKS);
    /* An interrupt was preempted, and the timer's own context begins after the sample. */
    const kymo_context before = kymo_interrupt_enter((kymo_context)&other);
    fake.clock += next;
    next = kymo_sample(&preempted);
    kymo_interrupt_leave(kymo_interrupt_enter((kymo_context)&timer));
    kymo_interrupt_leave(before);
    trace_drain(&trace);
    assert_int_equal(seen[2].context, 2u * (uint32_t)(&other - __start_kymo_sites));
    assert_int_equal(trace_finish(&trace), 0u);
}

CASE(without_a_walk_there_is_the_instruction, power_up) {
    const struct kymo_interrupted nothing = {0};
    attach();
    kymo_sample_rate(1000u);
    uint32_t next = first();
    passes_preempted = false;
    (void)fire(&preempted, &next, 0u);
    assert_int_equal(seen[0].frames, 1u);
    assert_true(seen[0].innermost == PC + 1u);
    (void)fire(&nothing, &next, 0u);
    (void)fire(NULL, &next, 0u);
    assert_int_equal(seen_count, 3u);
    assert_int_equal(seen[1].frames + seen[2].frames, 0u);
}

/* Another handler is found by a second walk, and is known from then on. */
CASE(a_handler_may_change, power_up) {
    static const uint32_t frames[] = {3u, 0u, 12u, 1u, 3u};
    attach();
    kymo_sample_rate(1000u);
    uint32_t next = first();
    for (uint32_t i = 0u; i < sizeof frames / sizeof frames[0]; i++) {
        handler_frames = frames[i];
        walks = 0u;
        (void)fire(&preempted, &next, 0u);
        assert_int_equal(walks, i == 0u ? 1u : 2u);
        (void)fire(&preempted, &next, 0u);
        assert_int_equal(walks, i == 0u ? 2u : 3u);
    }
    for (uint32_t i = 0u; i < seen_count; i++) {
        assert_int_equal(seen[i].frames, 3u);
        assert_true(seen[i].innermost == PC + 1u);
    }
    assert_int_equal(seen_count, 2u * sizeof frames / sizeof frames[0]);
}

CASE(lanes_have_their_own, power_up) {
    uint32_t next[2];
    attach();
    kymo_sample_rate(1000u);
    for (uint32_t lane = 0u; lane < 2u; lane++) {
        fake.lane = lane;
        next[lane] = kymo_sample(&preempted);
    }
    for (uint32_t i = 0u; i < 1000u; i++) {
        const uint32_t passed = next[0] < next[1] ? next[0] : next[1];
        fake.clock += passed;
        for (uint32_t lane = 0u; lane < 2u; lane++) {
            next[lane] -= passed;
            fake.lane = lane;
            next[lane] = next[lane] == 0u ? kymo_sample(&preempted) : next[lane];
        }
        trace_drain(&trace);
    }
    uint32_t of_lane[2] = {0u, 0u};
    for (uint32_t i = 0u; i < seen_count; i++) {
        of_lane[seen[i].lane]++;
        assert_int_equal(seen[i].missed, 0u);
    }
    assert_in_range(of_lane[0], 400u, 600u);
    assert_in_range(of_lane[1], 400u, 600u);
    /* A core without a lane: refused and counted, as all that it records. */
    fake.lane = KYMO_LANES;
    (void)kymo_sample(&preempted);
    fake.clock += 5000u;
    (void)kymo_sample(&preempted);
    fake.lane = 0u;
    (void)trace_finish(&trace);
    assert_int_equal(trace.unknown_lane, 1u);
}

/* ---- more than the link takes ---- */

CASE(a_full_ring_refuses_it_whole, power_up) {
    uint64_t taken = 0u, missed = 0u;
    attach();
    kymo_sample_rate(1000u);
    uint32_t next = first();
    for (uint32_t i = 0u; i < 2000u; i++) {
        fake.clock += next + (i % 10u == 0u ? 2000u : 0u); /* two are missed then */
        missed += i % 10u == 0u ? 2u : 0u;
        next = kymo_sample(&preempted);
        taken++;
        if (i % 200u == 0u) {
            trace_drain(&trace);
        }
    }
    /* Samples missed before a refused one are reported with the next. */
    trace_drain(&trace);
    (void)fire(&preempted, &next, 0u);
    taken++;
    const uint64_t lost = trace_finish(&trace);
    assert_true(lost > 100u);
    assert_int_equal(seen_count + lost, taken);
    for (uint32_t i = 0u; i < seen_count; i++) {
        assert_int_equal(seen[i].frames, 3u);
    }
    assert_int_equal(missed, missed_in_all());
}

/* ---- from the host ---- */

static const struct kymo_site *rate(void) {
    const struct kymo_site *site = __start_kymo_sites;
    while (site != __stop_kymo_sites &&
           (site->kind != KYMO_SITE_PARAM || strcmp(site->name, "kymo.sample_hz") != 0)) {
        site++;
    }
    assert_true(site != __stop_kymo_sites);
    return site;
}

static void set_rate(int32_t value) {
    const uint32_t number = (uint32_t)(rate() - __start_kymo_sites);
    uint8_t packet[10] = {VERSION | KYMO_PACKET_SET_PARAM, 0u};
    uint8_t stuffed[32];
    for (uint32_t i = 0u; i < 4u; i++) {
        packet[2u + i] = (uint8_t)(number >> (8u * i));
        packet[6u + i] = (uint8_t)((uint32_t)value >> (8u * i));
    }
    trace_command(&trace, stuffed, packet_encode(stuffed, sizeof stuffed, packet, sizeof packet));
    trace_drain(&trace);
}

CASE(the_host_sets_the_rate, power_up) {
    static const int32_t values[][2] = {{1000, 1000}, {1000000000, KYMO_SAMPLE_HZ_MAX}, {-5, 0},
                                        {1, 1},       {INT32_MAX, KYMO_SAMPLE_HZ_MAX},  {0, 0}};
    attach();
    for (uint32_t i = 0u; i < sizeof values / sizeof values[0]; i++) {
        set_rate(values[i][0]);
        assert_int_equal(rate()->param->value, values[i][1]);
        const uint32_t hz = (uint32_t)values[i][1];
        const uint32_t before = seen_count;
        uint32_t next = kymo_sample(&preempted);
        (void)fire(&preempted, &next, 0u);
        assert_int_equal(seen_count - before, hz != 0u ? 1u : 0u);
        assert_true(hz == 0u || seen[seen_count - 1u].hz == hz);
    }
    assert_int_equal(trace_finish(&trace), 0u);
}

/* Before the start samples wait in the ring; after the end nothing sends them, and nothing else happens. */
CASE(before_the_start_and_behind_the_end, power_up) {
    kymo_sample_rate(1000u);
    uint32_t next = first();
    fake.clock += next;
    next = kymo_sample(&preempted);
    attach();
    assert_int_equal(seen_count, 1u);
    assert_int_equal(trace_finish(&trace), 0u);
    for (uint32_t i = 0u; i < 1000u; i++) {
        fake.clock += next;
        next = kymo_sample(&preempted);
        assert_in_range(next, 1u, 1500u);
    }
}
