/* SPDX-License-Identifier: MIT */
/* A port that does not hold its contract: a core without a lane, a clock that stands still. Nothing of it may look
 * like a trace, and the host is told. */
#include "cases.h"
#include "kymo_arch.h"
#include "ring/ring.h"
#include "trace.h"

KYMO_CONTEXT(timer, "timer", KYMO_CONTEXT_INTERRUPT);
KYMO_SITE_DEFINE_GLOBAL(zone, KYMO_SITE_ZONE, "zone", 0u, 0u, NULL);
KYMO_SITE_DEFINE_GLOBAL(plot, KYMO_SITE_PLOT, "plot", 0u, 0u, NULL);

static struct trace trace;
static bool stands; /* by the last SESSION: WIRE.md, section 2 */

static void on_packet(void *user, const uint8_t *bytes, size_t length) {
    struct reader r = {.bytes = bytes, .length = length, .at = 2u};
    (void)user;
    if ((bytes[0] & KYMO_WIRE_TYPE_MASK) == KYMO_PACKET_SESSION) {
        (void)read_u32(&r);
        (void)read_varint(&r);
        (void)read_varint(&r);
        stands = (read_u8(&r) & KYMO_SESSION_CLOCK_STANDS) != 0u;
        assert_false(r.bad);
    }
}

static uint64_t seen_ticks;

static void last_time(void *user, uint32_t lane, uint32_t context, const struct wire_event *event) {
    (void)user;
    (void)lane;
    (void)context;
    seen_ticks = event->ticks;
}

FIXTURE(set_up) {
    fake_reset();
    trace_power_up();
    trace_init(&trace);
    trace.packet = on_packet;
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

CASE(a_core_without_a_lane_is_refused_and_counted, set_up) {
    static const uintptr_t wrong[] = {KYMO_LANES, KYMO_LANES + 1u, 1000u, UINTPTR_MAX};
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
    /* Begin and end; entry, plot and return; switch; packet. */
    assert_int_equal(trace.unknown_lane, 7u * 4u);
    assert_false(stands);
}

CASE(nothing_is_said_of_cores_that_have_lanes, set_up) {
    kymo_init(&trace.transport, "test");
    fake.lane = KYMO_LANES - 1u;
    kymo_zone_end(kymo_zone_begin(&zone));
    assert_int_equal(trace_finish(&trace), 0u);
    assert_int_equal(trace_events(&trace), 2u);
    assert_int_equal(trace.unknown_lane, 0u);
}

CASE(a_standing_clock_is_told_and_stops_recording, set_up) {
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

CASE(a_clock_that_is_started_late_serves, set_up) {
    fake.clock_step = 0u;
    kymo_init(&trace.transport, "test");
    fake.clock_step = 1u;
    kymo_init(&trace.transport, "test");
    assert_null(kymo_zone_begin(&zone)); /* it is not known which call stopped it */
    kymo_start();
    kymo_zone_end(kymo_zone_begin(&zone));
    assert_int_equal(trace_finish(&trace), 0u);
    assert_false(stands);
    assert_int_equal(trace_events(&trace), 2u);
}

CASE(whoever_stopped_it_before_the_start_is_obeyed, set_up) {
    kymo_stop();
    kymo_init(&trace.transport, "test");
    assert_null(kymo_zone_begin(&zone));
    assert_int_equal(trace_finish(&trace), 0u);
    assert_false(stands);
    assert_int_equal(trace.flags, KYMO_STATUS_FINAL | KYMO_STATUS_STOPPED);
}

/* ---- a clock of 32 bits that is not read ---- */

#define HALF_WRAP (UINT64_C(1) << 31)
#define IS_NARROW (KYMO_ARCH_CLOCK_BITS == 32)

static void start_and_record(void) {
    kymo_init(&trace.transport, "test");
    kymo_plot_int(&plot, 1);
    trace_drain(&trace);
}

static void expect_usage(enum kymo_usage usage, bool is_set) {
    trace.takes = trace.room = SIZE_MAX;
    assert_int_equal(trace_finish(&trace), 0u);
    assert_int_equal(trace.usage, is_set ? 1u << usage : 0u);
}

CASE(a_silence_of_half_a_wrap_is_told, set_up) {
    start_and_record();
    fake.clock += HALF_WRAP + 0x20000u;
    kymo_plot_int(&plot, 2); /* its time may be wrong */
    trace_drain(&trace);
    expect_usage(KYMO_USAGE_SILENCE, IS_NARROW);
}

CASE(a_silence_of_nearly_a_wrap_is_told, set_up) {
    start_and_record();
    fake.clock += 2u * HALF_WRAP - 0x20000u;
    kymo_clock_keepalive();
    expect_usage(KYMO_USAGE_SILENCE, IS_NARROW);
}

/* With a mask the keepalive needs the span of the clock for itself. */
#define MARGIN (0x20000u + (KYMO_ARCH_ATOMIC ? 0u : 0x1000000u))

CASE(a_shorter_silence_is_none, set_up) {
    start_and_record();
    for (uint32_t i = 0u; i < 100u; i++) {
        fake.clock += HALF_WRAP - MARGIN;
        kymo_plot_int(&plot, 2);
        trace_drain(&trace);
    }
    expect_usage(KYMO_USAGE_SILENCE, false);
}

/* Each lane keeps itself alive without a drain for hours. */
CASE(keepalive_stands_in_for_the_drain, set_up) {
    start_and_record();
    for (uint32_t i = 0u; i < 100u; i++) {
        fake.clock += HALF_WRAP - MARGIN;
        for (fake.lane = 0u; fake.lane < KYMO_LANES; fake.lane++) {
            kymo_clock_keepalive();
        }
    }
    fake.lane = 0u;
    expect_usage(KYMO_USAGE_SILENCE, false);
}

/* Events recorded after a silence that was seen have the right time again. */
CASE(after_a_silence_times_are_right, set_up) {
    uint64_t before = 0u;
    trace.event = last_time;
    start_and_record();
    before = seen_ticks;
    fake.clock += 2u * HALF_WRAP - 0x20000u;
    (void)kymo_drain(0u);
    kymo_plot_int(&plot, 2);
    expect_usage(KYMO_USAGE_SILENCE, IS_NARROW);
    assert_in_range(seen_ticks - before, 2u * HALF_WRAP - 0x20000u, 2u * HALF_WRAP);
}

/* ---- a core that drains and does not record ---- */

CASE(a_drain_by_another_core_is_told, set_up) {
    start_and_record();
    fake.lane = 1u;
    (void)kymo_drain(0u);
    fake.lane = 0u;
    expect_usage(KYMO_USAGE_DRAIN_CORE, KYMO_LANES == 1);
}

CASE(a_transport_that_was_not_set_up_is_none, set_up) {
    static const struct kymo_transport empty;
    kymo_init(&empty, "no line");
    KYMO_FRAME();
    kymo_finish();
    assert_false(kymo_drain(0u));
    assert_false(kymo_pending());
    kymo_init(&trace.transport, "a line");
    assert_true(kymo_drain(0u));
}
