/* SPDX-License-Identifier: MIT */
/* A lane that its thread has left is like new for the next one, however the thread ended. */
#include "cases.h"
#include "kymo/functions.h"
#include "kymo_arch.h"
#include "ring/ring.h"
#include "trace.h"

#define CELLS (KYMO_RING_BYTES / KYMO_CELL_BYTES)
#define ROUNDS (2u * CELLS)

KYMO_CONTEXT(handler, "handler", KYMO_CONTEXT_INTERRUPT);
KYMO_SITE_DEFINE_GLOBAL(zone, KYMO_SITE_ZONE, "zone", 0u, 0u, NULL);
KYMO_SITE_DEFINE_GLOBAL(plot, KYMO_SITE_PLOT, "plot", 0u, 0u, NULL);

static struct trace trace;
static uint32_t begins, lefts, ends_on, made_in;

static void on_event(void *user, uint32_t lane, uint32_t context, const struct wire_event *event) {
    (void)user;
    (void)lane;
    begins += event->kind == KYMO_KIND_FUNCTION_BEGIN ? 1u : 0u;
    lefts += event->kind == KYMO_KIND_FUNCTION_LEFT ? 1u : 0u;
    ends_on += event->kind == KYMO_KIND_ZONE_END_ON ? 1u : 0u;
    made_in = context;
}

FIXTURE(set_up) {
    fake_reset();
    trace_power_up();
    trace_init(&trace);
    trace.event = on_event;
    begins = lefts = ends_on = 0u;
    kymo_init(&trace.transport, "left");
    return 0;
}

CASE(it_runs_its_main_context, set_up) {
    (void)kymo_context_switch(0x1000u);
    kymo_lane_left();
    assert_int_equal(kymo_context_switch(0u), 0u);
    kymo_plot_int(&plot, 1);
    assert_int_equal(trace_finish(&trace), 0u);
    assert_int_equal(made_in, 1u);
}

static void fill_the_ring(void) {
    for (uint32_t i = 0u; i < ROUNDS; i++) {
        kymo_plot_int(&plot, 1);
    }
}

CASE(no_handler_is_served, set_up) {
    fill_the_ring();
    (void)kymo_interrupt_enter((kymo_context)&handler);
    kymo_lane_left();
    trace_drain(&trace);
    assert_non_null(kymo_zone_begin(&zone));
    (void)kymo_interrupt_enter((kymo_context)&handler);
    kymo_lane_left();
    kymo_plot_int(&plot, 1);
    (void)trace_finish(&trace);
    assert_int_equal(made_in, 1u);
}

CASE(open_zones_take_no_room, set_up) {
    for (uint32_t i = 0u; i < ROUNDS; i++) {
        assert_non_null(kymo_zone_begin(&zone));
        assert_true((kymo_interrupt_enter((kymo_context)&handler) & KYMO_RETURN_PROMISED) != 0u);
        kymo_lane_left();
        trace_drain(&trace);
    }
    assert_int_equal(trace_finish(&trace), 0u);
}

/* It is no usage error then, and the next thread's zone keeps its end. */
CASE(they_may_end_later, set_up) {
    const kymo_zone outlives = kymo_zone_begin(&zone);
    kymo_lane_left();
    const kymo_zone next = kymo_zone_begin(&zone);
    fake.lane = 1u;
    kymo_zone_end(outlives);
    fake.lane = 0u;
    kymo_zone_end(next);
    assert_int_equal(trace_finish(&trace), 0u);
    assert_int_equal(trace_events(&trace), 4u);
    assert_int_equal(ends_on, 1u);
    assert_int_equal(trace.usage, 0u);
    kymo_zone_end(next);
    assert_true(kymo_usage_seen[KYMO_USAGE_UNPROMISED]);
}

static int outer_function, inner_function;

CASE(functions_are_left, set_up) {
    for (uint32_t i = 0u; i < ROUNDS; i++) {
        __cyg_profile_func_enter(&outer_function, NULL);
        __cyg_profile_func_enter(&inner_function, NULL);
        kymo_lane_left();
        trace_drain(&trace);
    }
    assert_int_equal(trace_finish(&trace), 0u);
    assert_int_equal(begins, 2u * ROUNDS);
    assert_int_equal(lefts, ROUNDS);
}

/* For example, its thread goes on after siglongjmp(). */
CASE(a_handler_that_is_never_left_is_forgotten, set_up) {
    uint32_t refused = 0u;
    fill_the_ring();
    (void)kymo_interrupt_enter((kymo_context)&handler);
    trace_drain(&trace);
    while (kymo_zone_begin(&zone) == NULL) {
        refused++;
        assert_in_range(refused, 1u, ROUNDS);
    }
    assert_in_range(refused, CELLS, ROUNDS);
    assert_true(kymo_usage_seen[KYMO_USAGE_INTERRUPT]);
}

/* For any number of handlers. */
CASE(handlers_that_are_left_are_waited_for, set_up) {
    fill_the_ring();
    for (uint32_t i = 0u; i < ROUNDS; i++) {
        const kymo_context before = kymo_interrupt_enter((kymo_context)&handler);
        kymo_plot_int(&plot, 1);
        kymo_interrupt_leave(before);
    }
    assert_false(kymo_usage_seen[KYMO_USAGE_INTERRUPT]);
    (void)trace_finish(&trace);
}
