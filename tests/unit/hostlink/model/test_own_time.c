/* SPDX-License-Identifier: MIT */
/* The time that a zone ran itself: without the zones inside it, the interrupts that preempted it and the tasks that ran
 * in its task's place. */
#include "trace/pipeline.h"

#include <string.h>

#include "cases.h"
#include "kymo/kymo.h"
#include "kymo_arch.h"
#include "model/tracks.h"
#include "trace.h"

#define TASK ((kymo_context)0x1000u)
#define OTHER_TASK ((kymo_context)0x2000u)

KYMO_SITE_DEFINE_GLOBAL(outer, KYMO_SITE_ZONE, "outer", 0u, 0u, NULL);
KYMO_SITE_DEFINE_GLOBAL(inner, KYMO_SITE_ZONE, "inner", 0u, 0u, NULL);
KYMO_SITE_DEFINE_GLOBAL(handler, KYMO_SITE_ZONE, "handler", 0u, 0u, NULL);
KYMO_SITE_DEFINE_GLOBAL(timer, KYMO_SITE_CONTEXT, "timer", KYMO_CONTEXT_INTERRUPT, 0u, NULL);
KYMO_SITE_DEFINE_GLOBAL(uart, KYMO_SITE_CONTEXT, "uart", KYMO_CONTEXT_INTERRUPT, 0u, NULL);

static struct pipeline *pipeline;

static struct { int64_t outer_ns, inner_ns, handler_ns, outer_whole_ns; } seen;

static size_t take(void *context, const uint8_t *bytes, size_t length) {
    (void)context;
    assert_int_equal(pipeline_feed(pipeline, bytes, length), 0);
    return length;
}

static const struct kymo_transport transport = {.write = take};

static int on_event(void *context, const struct event *event) {
    (void)context;
    if (event->kind == EVENT_ZONE_END) {
        assert_int_equal(event->u.zone.repaired, ZONE_ENDED);
        const int64_t self_ns = event->u.zone.self_ns;
        if (strcmp(event->site->name, "outer") == 0) {
            seen.outer_ns = self_ns;
            seen.outer_whole_ns = event->time_ns - event->u.zone.start_ns;
        } else {
            *(strcmp(event->site->name, "inner") == 0 ? &seen.inner_ns : &seen.handler_ns) +=
                self_ns;
        }
    }
    return 0;
}

static int set_up(void **state) {
    const struct pipeline_callbacks callbacks = {.event = on_event};
    (void)state;
    trace_power_up();
    fake_reset();
    fake.clock_hz = 1000000000u;
    memset(&seen, 0, sizeof seen);
    pipeline = pipeline_new(&callbacks, NULL);
    assert_non_null(pipeline);
    kymo_init(&transport, "own time");
    fake.clock_step = 0;
    return 0;
}

FIXTURE(tear_down) {
    pipeline_free(pipeline);
    return 0;
}

static void pass_ns(uint64_t time_ns) { fake.clock += time_ns; }

static void end_of_trace(void) {
    kymo_finish();
    while (kymo_drain(0) || kymo_pending()) {}
    assert_int_equal(pipeline_end(pipeline), 0);
}

static void interrupt(const struct kymo_site *site, uint64_t time_ns) {
    const kymo_context before = kymo_interrupt_enter((kymo_context)site);
    const kymo_zone zone = kymo_zone_begin(&handler);
    pass_ns(time_ns);
    kymo_zone_end(zone);
    kymo_interrupt_leave(before);
}

CASE(interrupts, set_up, tear_down) {
    const kymo_zone around = kymo_zone_begin(&outer);
    pass_ns(1000);
    const kymo_zone within = kymo_zone_begin(&inner);
    pass_ns(300);
    interrupt(&timer, 5000);
    pass_ns(400);
    kymo_zone_end(within);
    interrupt(&uart, 7000);
    pass_ns(20);
    kymo_zone_end(around);
    end_of_trace();
    assert_int_equal(seen.outer_whole_ns, 13720);
    assert_int_equal(seen.outer_ns, 1020);
    assert_int_equal(seen.inner_ns, 700);
    assert_int_equal(seen.handler_ns, 12000);
}

/* It preempts the other one, in the middle of its zone. */
CASE(nested_interrupts, set_up, tear_down) {
    const kymo_zone around = kymo_zone_begin(&outer);
    const kymo_context before = kymo_interrupt_enter((kymo_context)&timer);
    const kymo_zone within = kymo_zone_begin(&inner);
    pass_ns(100);
    interrupt(&uart, 5000);
    pass_ns(100);
    kymo_zone_end(within);
    kymo_interrupt_leave(before);
    pass_ns(40);
    kymo_zone_end(around);
    end_of_trace();
    assert_int_equal(seen.outer_ns, 40);
    assert_int_equal(seen.inner_ns, 200);
    assert_int_equal(seen.handler_ns, 5000);
}

CASE(tasks, set_up, tear_down) {
    (void)kymo_context_switch(TASK);
    const kymo_zone around = kymo_zone_begin(&outer);
    pass_ns(100);
    (void)kymo_context_switch(OTHER_TASK);
    const kymo_zone within = kymo_zone_begin(&inner);
    pass_ns(2000);
    (void)kymo_context_switch(TASK);
    pass_ns(10);
    (void)kymo_context_switch(OTHER_TASK);
    pass_ns(3000);
    kymo_zone_end(within);
    (void)kymo_context_switch(TASK);
    pass_ns(1);
    kymo_zone_end(around);
    end_of_trace();
    assert_int_equal(seen.outer_whole_ns, 5111);
    assert_int_equal(seen.outer_ns, 111);
    assert_int_equal(seen.inner_ns, 5000);
}

/* The task goes on where it is scheduled next. */
CASE(a_task_that_moves, set_up, tear_down) {
    (void)kymo_context_switch(TASK);
    const kymo_zone around = kymo_zone_begin(&outer);
    pass_ns(100);
    (void)kymo_context_switch(OTHER_TASK);
    pass_ns(2000);
    fake.lane = 1;
    (void)kymo_context_switch(TASK);
    pass_ns(10);
    kymo_zone_end(around);
    fake.lane = 0;
    end_of_trace();
    assert_int_equal(seen.outer_whole_ns, 2110);
    assert_int_equal(seen.outer_ns, 110);
}

/* A core that left the task goes on with it, and reports this only after the task's later
 * events on another core: the time away at those events stays true. */
CASE(a_return_that_comes_late) {
    struct track_state track = {.depth = 0};
    track_leave(&track, 100);
    track.last_ns = 300;
    assert_int_equal(track_away_ns(&track, 300), 200);
    track_return(&track, 250);
    assert_int_equal(track_away_ns(&track, 400), 200);
}

/* Nor by leaving again: if two cores say they run one task, each leaves it. */
CASE(a_task_that_is_left_twice) {
    struct track_state track = {.depth = 0};
    track_leave(&track, 100);
    track.last_ns = 300;
    track_leave(&track, 400);
    assert_int_equal(track_away_ns(&track, 500), 400);
    track_return(&track, 600);
    assert_int_equal(track_away_ns(&track, 700), 500);
}
