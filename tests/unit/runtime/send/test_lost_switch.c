/* SPDX-License-Identifier: MIT */
/* A full ring refuses a switch, and then takes the end of a zone, which was promised: hostlink
 * does not leave the zone open that has ended. */
#include <stdio.h>
#include <string.h>

#include "cases.h"
#include "kept.h"
#include "kymo/kymo.h"
#include "kymo_arch.h"
#include "ring/ring.h"
#include "trace.h"
#include "trace/pipeline.h"

#define TASK ((kymo_context)0x20001000u)

KYMO_SITE_DEFINE_GLOBAL(loop_site, KYMO_SITE_ZONE, "loop", 0u, 0u, NULL);
KYMO_SITE_DEFINE_GLOBAL(work_site, KYMO_SITE_ZONE, "work", 0u, 0u, NULL);
KYMO_SITE_DEFINE_GLOBAL(frame_site, KYMO_SITE_FRAME, "frame", 0u, 0u, NULL);

static char zones[256];
static uint32_t reports; /* of ends without a zone */

static int on_event(void *context, const struct event *event) {
    static const char *const reasons[] = {"", " lost", " open"};
    const size_t used = strlen(zones);
    (void)context;
    reports += event->kind == EVENT_REPAIR ? 1u : 0u;
    if (event->kind == EVENT_ZONE_END) {
        assert_true(event->u.zone.repaired < sizeof reasons / sizeof reasons[0]);
        (void)snprintf(zones + used, sizeof zones - used, "%s%s\n", event->site->name,
                       reasons[event->u.zone.repaired]);
    }
    return 0;
}

static void drain(void) {
    while (kymo_drain(0)) {}
}

FIXTURE(set_up) {
    fake_reset();
    trace_power_up();
    kept.length = 0;
    zones[0] = '\0';
    reports = 0u;
    kymo_init(&kept_transport, "lost switch");
    drain();
    return 0;
}

static void fill(void) {
    while (kymo_lane_here()->lost == 0u) {
        kymo_frame(&frame_site);
    }
}

/* With room again: the loss is recorded, and the context stated again. */
static void go_on(void) {
    drain();
    kymo_frame(&frame_site);
    drain();
    assert_int_equal(kymo_lane_here()->lost, 0u);
}

static void read_back(void) {
    const struct pipeline_callbacks callbacks = {.event = on_event};
    struct pipeline *p = pipeline_new(&callbacks, NULL);
    kymo_finish();
    while (kymo_pending()) {
        (void)kymo_drain(0);
    }
    assert_non_null(p);
    assert_int_equal(pipeline_feed(p, kept.bytes, kept.length), 0);
    assert_int_equal(pipeline_end(p), 0);
    pipeline_free(p);
}

/* The switch back to the main context is refused; with "again" the next one, to the task, too. */
static void end_behind_lost_switch(bool again) {
    const kymo_zone loop = kymo_zone_begin(&loop_site);
    (void)kymo_context_switch(TASK);
    fill();
    (void)kymo_context_switch(0u);
    kymo_zone_end(loop);
    if (again) {
        (void)kymo_context_switch(TASK);
    }
    go_on();
    kymo_zone_end(kymo_zone_begin(&work_site));
    read_back();
    assert_string_equal(zones, "loop lost\nwork\n");
}

CASE(a_zone_ends_behind_a_lost_switch, set_up) { end_behind_lost_switch(false); }

/* The same context runs before and after the loss. */
CASE(two_switches_are_lost, set_up) { end_behind_lost_switch(true); }

/* It does not count as lost, and no event that is recorded later does. */
CASE(a_switch_while_stopped, set_up) {
    const kymo_zone loop = kymo_zone_begin(&loop_site);
    (void)kymo_context_switch(TASK);
    kymo_stop();
    (void)kymo_context_switch(0u);
    kymo_zone_end(loop);
    kymo_start();
    kymo_zone_end(kymo_zone_begin(&work_site));
    read_back();
    assert_string_equal(zones, "loop lost\nwork\n");
}

/* The zones end where the context that hostlink still sees has none: the firmware is right. */
CASE(its_end_finds_no_zone, set_up) {
    const kymo_zone loop = kymo_zone_begin(&loop_site);
    const kymo_zone work = kymo_zone_begin(&work_site);
    (void)kymo_context_switch(TASK);
    fill();
    (void)kymo_context_switch(0u);
    kymo_zone_end(work);
    kymo_zone_end(loop);
    go_on();
    read_back();
    assert_string_equal(zones, "work lost\nloop lost\n");
    assert_int_equal(reports, 0u);
}

/* Nothing is lost: it is said, once the next event has shown that. */
CASE(a_zone_that_is_ended_twice_is_reported, set_up) {
    const kymo_zone work = kymo_zone_begin(&work_site);
    kymo_zone_end(work);
    kymo_zone_end(work);
    read_back();
    assert_int_equal(reports, 1u);
    assert_string_equal(zones, "work\n");
}

CASE(without_a_switch_zones_are_whole, set_up) {
    const kymo_zone loop = kymo_zone_begin(&loop_site);
    const kymo_zone work = kymo_zone_begin(&work_site);
    fill();
    kymo_zone_end(work);
    go_on();
    kymo_zone_end(loop);
    read_back();
    assert_string_equal(zones, "work\nloop\n");
}

/* Nothing that was promised came since the ring was full. */
CASE(without_an_end_zones_are_whole, set_up) {
    const kymo_zone loop = kymo_zone_begin(&loop_site);
    (void)kymo_context_switch(TASK);
    fill();
    (void)kymo_context_switch(0u);
    go_on();
    kymo_zone_end(loop);
    read_back();
    assert_string_equal(zones, "loop\n");
}
