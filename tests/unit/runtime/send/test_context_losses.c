/* SPDX-License-Identifier: MIT */
/* The effect of a loss on the open zones of contexts: after one without ends they are known as
 * before, and a task's end gives their room back; after one with ends they are not. */
#include "cases.h"
#include "kymo/kymo.h"
#include "kymo_arch.h"
#include "ring/ring.h"
#include "send/contexts.h"
#include "trace.h"

#define TASK ((kymo_context)0x20001000u)
#define PACKETS (KYMO_RING_BYTES / 4u)

KYMO_SITE_DEFINE_GLOBAL(work, KYMO_SITE_ZONE, "work", 0u, 0u, NULL);
KYMO_SITE_DEFINE_GLOBAL(frame, KYMO_SITE_FRAME, "frame", 0u, 0u, NULL);

static struct trace trace;

FIXTURE(set_up) {
    fake_reset();
    trace_power_up();
    trace_init(&trace);
    kymo_init(&trace.transport, "losses");
    trace_drain(&trace);
    return 0;
}

/* More than the lane of this core holds. */
static void fill(void) {
    for (uint32_t i = 0u; i < PACKETS; i++) {
        kymo_frame(&frame);
    }
    assert_int_not_equal(kymo_lane_here()->lost, 0u);
}

/* The events in the ring, then the record of the loss, which the next event writes. */
static void tell_loss(void) {
    trace_drain(&trace);
    kymo_frame(&frame);
    trace_drain(&trace);
    assert_int_equal(kymo_lane_here()->lost, 0u);
}

static kymo_zone begin_in_task(void) {
    (void)kymo_context_switch(TASK);
    const kymo_zone zone = kymo_zone_begin(&work);
    assert_non_null(zone);
    trace_drain(&trace);
    return zone;
}

static void end_task(void) {
    (void)kymo_context_switch(0u);
    kymo_context_end(TASK);
    trace_drain(&trace);
}

CASE(a_loss_without_ends_leaves_zones_known, set_up) {
    (void)begin_in_task();
    fill();
    tell_loss();
    end_task();
    assert_false(kymo_usage_seen[KYMO_USAGE_CONTEXTS]);
}

#if KYMO_LANES > 1

/* The zone of lane 0 ends on lane 1, which has no room to say so. */
CASE(a_lost_end_leaves_zones_in_doubt, set_up) {
    const kymo_zone moved = begin_in_task();
    (void)kymo_zone_begin(&work);
    trace_drain(&trace);
    (void)kymo_context_switch(0u);
    fake.lane = 1u;
    (void)kymo_context_switch(TASK);
    fill();
    kymo_zone_end(moved);
    assert_int_equal(kymo_lane_here()->lost_ends, 1u);
    tell_loss();
    end_task();
    assert_true(kymo_usage_seen[KYMO_USAGE_CONTEXTS]);
}

#endif
