/* A port that does not hold its contract: a core without a lane, a clock that stands still. Nothing of it may look
 * like a trace, and the host is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "kymo_arch.h"
#include "ring.h"
#include "trace.h"

KYMO_CONTEXT(timer, "timer", KYMO_CONTEXT_INTERRUPT);
KYMO_SITE_DEFINE_GLOBAL(zone, KYMO_SITE_ZONE, "zone", 0u, 0u, NULL);
KYMO_SITE_DEFINE_GLOBAL(plot, KYMO_SITE_PLOT, "plot", 0u, 0u, NULL);

static struct trace trace;
static bool stands; /* by the last SESSION: WIRE.md, section 2 */

static void on_frame(void *user, const uint8_t *bytes, size_t length) {
    struct reader r = {.bytes = bytes, .length = length, .at = 2u};
    (void)user;
    if ((bytes[0] & KYMO_WIRE_TYPE_MASK) == KYMO_FRAME_SESSION) {
        (void)read_u32(&r);
        (void)read_varint(&r);
        (void)read_varint(&r);
        stands = (read_u8(&r) & KYMO_SESSION_CLOCK_STANDS) != 0u;
        assert_false(r.bad);
    }
}

static int set_up(void **state) {
    (void)state;
    fake_reset();
    trace_power_up();
    trace_init(&trace);
    trace.frame = on_frame;
    stands = false;
    return 0;
}

static void record_all_kinds(void) {
    const kymo_zone open = kymo_zone_begin(&zone);
    assert_null(open);
    kymo_zone_end(open);
    const kymo_context before = kymo_interrupt_enter((kymo_context)(uintptr_t)&timer);
    kymo_plot_int(&plot, 1);
    kymo_interrupt_leave(before);
    (void)kymo_context_switch(0u);
    kymo_frame(&plot);
    kymo_clock_keepalive();
    kymo_lane_name("none");
}

static void a_core_without_a_lane_is_refused_and_counted(void **state) {
    static const uintptr_t wrong[] = {KYMO_LANES, KYMO_LANES + 1u, 1000u, UINTPTR_MAX};
    (void)state;
    kymo_init(&trace.transport, "test");
    for (uint32_t i = 0u; i < sizeof wrong / sizeof wrong[0]; i++) {
        fake.lane = 0u;
        kymo_plot_int(&plot, 1);
        fake.lane = wrong[i];
        record_all_kinds();
        fake.lane = KYMO_LANES - 1u;
        kymo_plot_int(&plot, 1);
    }
    assert_int_equal(trace_finish(&trace), 0u);
    assert_int_equal(trace_events(&trace), 8u);
    /* Begin and end; entry, plot and return; switch; frame. */
    assert_int_equal(trace.unknown_lane, 7u * 4u);
    assert_false(stands);
}

static void nothing_is_said_of_cores_that_have_lanes(void **state) {
    (void)state;
    kymo_init(&trace.transport, "test");
    fake.lane = KYMO_LANES - 1u;
    kymo_zone_end(kymo_zone_begin(&zone));
    assert_int_equal(trace_finish(&trace), 0u);
    assert_int_equal(trace_events(&trace), 2u);
    assert_int_equal(trace.unknown_lane, 0u);
}

static void a_standing_clock_is_told_and_stops_recording(void **state) {
    (void)state;
    fake.clock_step = 0u;
    kymo_init(&trace.transport, "test");
    assert_null(kymo_zone_begin(&zone));
    kymo_start(); /* nor on the host's command */
    assert_null(kymo_zone_begin(&zone));
    assert_int_equal(trace_finish(&trace), 0u);
    assert_true(stands);
    assert_int_equal(trace_events(&trace), 0u);
    assert_int_equal(trace.flags, KYMO_STATUS_FINAL | KYMO_STATUS_STOPPED);
}

static void a_clock_that_is_started_late_serves(void **state) {
    (void)state;
    fake.clock_step = 0u;
    kymo_init(&trace.transport, "test");
    fake.clock_step = 1u;
    kymo_init(&trace.transport, "test");
    assert_null(kymo_zone_begin(&zone)); /* who stopped it is not known */
    kymo_start();
    kymo_zone_end(kymo_zone_begin(&zone));
    assert_int_equal(trace_finish(&trace), 0u);
    assert_false(stands);
    assert_int_equal(trace_events(&trace), 2u);
}

static void whoever_stopped_it_before_the_start_is_obeyed(void **state) {
    (void)state;
    kymo_stop();
    kymo_init(&trace.transport, "test");
    assert_null(kymo_zone_begin(&zone));
    assert_int_equal(trace_finish(&trace), 0u);
    assert_false(stands);
    assert_int_equal(trace.flags, KYMO_STATUS_FINAL | KYMO_STATUS_STOPPED);
}

#define TEST(name) cmocka_unit_test_setup(name, set_up)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_core_without_a_lane_is_refused_and_counted),
        TEST(nothing_is_said_of_cores_that_have_lanes),
        TEST(a_standing_clock_is_told_and_stops_recording),
        TEST(a_clock_that_is_started_late_serves),
        TEST(whoever_stopped_it_before_the_start_is_obeyed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
