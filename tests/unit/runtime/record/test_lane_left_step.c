/* SPDX-License-Identifier: MIT */
/* A thread that ends while another one ends a zone of it: that one comes at each instruction of kymo_lane_left(), finds
 * the zone's promise before or after it was given back, and never neither. */
#include "cases.h"
#include "kymo/functions.h"
#include "kymo_arch.h"
#include "preempt.h"
#include "preempt_each.h"
#include "ring/ring.h"

#define ZONES_MOST 2u

KYMO_SITE_DEFINE_GLOBAL(zone, KYMO_SITE_ZONE, "zone", 0u, 0u, NULL);

static kymo_zone open[ZONES_MOST];
static uint32_t zones, count;

static void begin(void) {
    for (count = 0u; count < zones; count++) {
        open[count] = kymo_zone_begin(&zone);
    }
}

static void end_elsewhere(void) {
    fake.lane = 1u;
    kymo_zone_end(open[--count]);
    fake.lane = 0u;
}

static void check(bool has_room) {
    (void)has_room;
    while (count > 0u) {
        end_elsewhere();
    }
    assert_false(kymo_usage_seen[KYMO_USAGE_UNPROMISED]);
    assert_int_equal(kymo_lanes[0].orphans, 0u);
    assert_int_equal(kymo_lanes[1].lost, 0u);
    fake.lane = 1u;
    kymo_zone_end(open[0]);
    fake.lane = 0u;
    assert_true(kymo_usage_seen[KYMO_USAGE_UNPROMISED]);
}

CASE(each_zone_has_its_one_end) {
    static const struct preempted_call test = {begin, kymo_lane_left, end_elsewhere, check};
    for (zones = 1u; zones <= ZONES_MOST; zones++) {
        (void)preempt_each(&test, 0u, 0u, true);
    }
}

CASES_BETWEEN(preempt_set_up, NULL);
