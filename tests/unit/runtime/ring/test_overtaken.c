/* SPDX-License-Identifier: MIT */
/* An event is preempted at each instruction by the work of another core's keepalive, which
 * closes the fast path: it is recorded all the same, as the ring has room. */
#include "cases.h"
#include "kymo_arch.h"
#include "preempt.h"
#include "preempt_each.h"
#include "ring/ring.h"
#include "trace.h"

KYMO_SITE_DEFINE_GLOBAL(zone_site, KYMO_SITE_ZONE, "zone", 0u, 0u, NULL);

static kymo_zone zone;
static bool is_recorded;

static void nothing(void) {}

/* Plays a long silence: the records that must stand before the next event are due. */
static void close_path(void) { kymo_ring_attention(&kymo_lanes[0]); }

/* Without a mask an interrupt during the hand-over of freed room finds no room, and is refused; the call never is. */
static void nothing_is_lost(void) { assert_true(KYMO_ARCH_ATOMIC || kymo_lanes[0].lost == 0u); }

static void begin_zone(void) { zone = kymo_zone_begin(&zone_site); }

static void zone_has_begun(bool has_room) {
    assert_true(has_room);
    assert_non_null(zone);
    nothing_is_lost();
    kymo_zone_end(zone);
}

static void record_long(void) {
    static const uint32_t words[2] = {1u, 2u};
    is_recorded = kymo_ring_long(KYMO_KIND_ZONE_VALUE, 0u, words, 2u);
}

static void long_is_recorded(bool has_room) {
    assert_true(has_room);
    assert_true(is_recorded);
    nothing_is_lost();
}

CASE(a_zone_begins) {
    const struct preempted_call first = {nothing, begin_zone, close_path, zone_has_begun};
    const struct preempted_call later = {close_path, begin_zone, close_path, zone_has_begun};
    preempt_each_with_room(&first);
    preempt_each_with_room(&later);
}

CASE(an_event_with_payload_is_recorded) {
    const struct preempted_call test = {nothing, record_long, close_path, long_is_recorded};
    preempt_each_with_room(&test);
}

CASES_BETWEEN(preempt_set_up, NULL);
