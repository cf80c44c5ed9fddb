/* SPDX-License-Identifier: MIT */
/* Zones that end on another lane than they began on, by the runtime and by hostlink's timeline's rules: the end is
 * recorded there, the promise goes back, and events add up. */
#include <string.h>

#include "cases.h"
#include "kymo_arch.h"
#include "ring/ring.h"
#include "trace.h"

KYMO_SITE_DEFINE_GLOBAL(zone, KYMO_SITE_ZONE, "zone", 0u, 0u, NULL);
KYMO_SITE_DEFINE_GLOBAL(plot, KYMO_SITE_PLOT, "plot", 0u, 0u, NULL);

static struct trace trace;

static struct {
    uint32_t ends_on, ends, lost_ends;
    uint32_t lane, owner;
} seen;

static void on_event(void *user, uint32_t lane, uint32_t context, const struct wire_event *event) {
    (void)user;
    (void)context;
    if (event->kind == KYMO_KIND_ZONE_END_ON) {
        assert_int_equal(event->words, 1u);
        seen.ends_on++;
        seen.lane = lane;
        seen.owner = event->word[0];
    } else if (event->kind == KYMO_KIND_ZONE_END) {
        seen.ends++;
    } else if (event->kind == KYMO_KIND_LOSS && event->words == 3u) {
        seen.lost_ends += event->word[2];
    }
}

FIXTURE(set_up) {
    fake_reset();
    trace_power_up();
    trace_init(&trace);
    trace.event = on_event;
    memset(&seen, 0, sizeof seen);
    kymo_init(&trace.transport, "lanes");
    return 0;
}

CASE(the_end_is_recorded_where_it_happens, set_up) {
    fake.lane = 1u;
    const kymo_zone open = kymo_zone_begin(&zone);
    assert_non_null(open);
    fake.lane = 2u;
    kymo_zone_end(open);
    assert_int_equal(trace_finish(&trace), 0u);
    assert_int_equal(trace_events(&trace), 2u);
    assert_int_equal(seen.ends_on, 1u);
    assert_int_equal(seen.ends, 0u);
    assert_int_equal(seen.lane, 2u);
    assert_int_equal(seen.owner, 1u);
}

#if KYMO_CHECK
void kymo_check_failed(enum kymo_usage what, const struct kymo_site *site) {
    (void)what;
    (void)site;
    fail();
}
#endif

/* Thousands of them in small rings: a lane that lost a promise to each would soon be deaf. */
CASE(promises_go_back, set_up) {
    for (uint32_t i = 0u; i < 5000u; i++) {
        fake.lane = i % KYMO_LANES;
        const kymo_zone open = kymo_zone_begin(&zone);
        assert_non_null(open);
        fake.lane = (i + 1u + i / KYMO_LANES % 2u) % KYMO_LANES;
        kymo_zone_end(open);
        trace_drain(&trace);
    }
    assert_int_equal(trace_finish(&trace), 0u);
    assert_int_equal(trace_events(&trace), 10000u);
    assert_int_equal(seen.ends_on, 5000u);
    assert_int_equal(trace.usage, 0u);
}

#if !KYMO_KEEP_NEWEST /* its rings are never full, and one that is stopped takes no end */
/* The ring is empty except for promises: nothing that is read lets events in again. */
CASE(promises_that_go_back_open_an_empty_ring, set_up) {
    static kymo_zone open[KYMO_RING_BYTES / 8u];
    uint32_t count = 0u;
    while (kymo_lanes[0].lost == 0u) {
        open[count++] = kymo_zone_begin(&zone);
        trace_drain(&trace);
    }
    fake.lane = 1u;
    while (count > 0u) {
        kymo_zone_end(open[--count]);
        trace_drain(&trace);
    }
    fake.lane = 0u;
    assert_non_null(kymo_zone_begin(&zone));
    (void)trace_finish(&trace);
}

/* The lane is full on which it ends: a loss of one, of which the host is told that it was an end. */
CASE(a_full_lane_refuses_the_end_and_says_so, set_up) {
    uint64_t refused = 1u;
    const kymo_zone open = kymo_zone_begin(&zone);
    fake.lane = 1u;
    while (kymo_lanes[1].lost == 0u) {
        kymo_plot_int(&plot, 1);
    }
    kymo_zone_end(open);
    refused += 1u;
    assert_int_equal(kymo_lanes[1].lost, refused);
    trace_drain(&trace);
    kymo_plot_int(&plot, 1);
    assert_int_equal(trace_finish(&trace), refused);
    assert_int_equal(seen.lost_ends, 1u);
}

CASE(it_ends_also_while_stopped, set_up) {
    const kymo_zone open = kymo_zone_begin(&zone);
    kymo_stop();
    fake.lane = 1u;
    kymo_zone_end(open);
    assert_int_equal(trace_finish(&trace), 0u);
    assert_int_equal(seen.ends_on, 1u);
}

/* Twice on another lane: the second end takes the promise of another zone, whose own end is then refused; nothing
 * leaves the ring, and it adds up. */
CASE(a_double_end_adds_up, set_up) {
    kymo_zone open[KYMO_RING_BYTES / 16u];
    uint32_t zones = 0u;
    while ((open[zones] = kymo_zone_begin(&zone)) != NULL) {
        zones++;
    }
    fake.lane = 1u;
    kymo_zone_end(open[0]);
    kymo_zone_end(open[0]);
    fake.lane = 0u;
    uint64_t emitted = 2u + 2u + zones;
    for (uint32_t i = 1u; i < zones; i++) {
        kymo_zone_end(open[i]);
        emitted++;
        trace_drain(&trace);
        kymo_plot_int(&plot, 1);
        emitted++;
    }
    const uint64_t lost = trace_finish(&trace);
    assert_int_equal(trace_events(&trace) + lost, emitted);
}

#endif

/* However many lanes a call has time to look at: false says that nothing is left, and an event on any lane is news. */
CASE(an_idle_drain_stays_idle, set_up) {
    for (uint32_t lane = 0u; lane < KYMO_LANES; lane++) {
        fake.lane = lane;
        kymo_plot_int(&plot, 1);
        while (kymo_drain(0u)) {}
        assert_int_equal(trace.lane[lane].events, 1u);
        for (uint32_t i = 0u; i < 2u * KYMO_LANES; i++) {
            assert_false(kymo_drain(0u));
        }
    }
    assert_int_equal(trace_finish(&trace), 0u);
}
