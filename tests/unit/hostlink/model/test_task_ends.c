/* SPDX-License-Identifier: MIT */
/* Tasks of one number, one after the other: whose a zone and a name is goes by time, also where the packets of a core
 * come late. */
#include "trace/pipeline.h"

#include <string.h>

#include "cases.h"
#include "kept.h"
#include "kymo/kymo.h"
#include "kymo/wire.h"
#include "kymo_arch.h"
#include "trace.h"

#define TASK ((kymo_context)0x1000u)
#define LATE_LANE 1u
#define PACKET_BYTES 65536u
#define ZONES_MAX 9u

KYMO_SITE_DEFINE_GLOBAL(work, KYMO_SITE_ZONE, "work", 0u, 0u, NULL);
KYMO_CONTEXT(tick, "tick", KYMO_CONTEXT_INTERRUPT);
KYMO_CONTEXT(alarm_site, "alarm", KYMO_CONTEXT_INTERRUPT);

static struct pipeline *pipeline;
static uint64_t emitted;

static struct {
    uint32_t zones;
    const struct track *track[ZONES_MAX];
    enum zone_repair repaired[ZONES_MAX];
    int64_t end_ns[ZONES_MAX];
} seen;

static int on_event(void *context, const struct event *event) {
    (void)context;
    if (event->kind == EVENT_ZONE_END) {
        assert_true(seen.zones < ZONES_MAX);
        seen.track[seen.zones] = event->track;
        seen.repaired[seen.zones] = event->u.zone.repaired;
        seen.end_ns[seen.zones] = event->time_ns;
        seen.zones++;
    }
    return 0;
}

static int set_up(void **state) {
    const struct pipeline_callbacks callbacks = {.event = on_event};
    (void)state;
    trace_power_up();
    fake_reset();
    fake.clock_hz = 1000000000u;
    fake.clock = 1000u;
    memset(&seen, 0, sizeof seen);
    kept.length = 0;
    emitted = 0;
    pipeline = pipeline_new(&callbacks, NULL);
    assert_non_null(pipeline);
    kymo_init(&kept_transport, "ends");
    fake.clock_step = 0; /* from now on the test says how late it is */
    return 0;
}

FIXTURE(tear_down) {
    pipeline_free(pipeline);
    return 0;
}

/* ---- the firmware ---- */

static void at(uint64_t ticks, uintptr_t lane) {
    fake.clock = ticks;
    fake.lane = lane;
}

static void run(kymo_context context) {
    (void)kymo_context_switch(context);
    emitted++;
}

static void zone(uint64_t ticks) {
    const kymo_zone open = kymo_zone_begin(&work);
    fake.clock += ticks;
    kymo_zone_end(open);
    emitted += 2u;
}

static void end_task(void) {
    kymo_context_end(TASK);
    emitted++;
}

static void drain(void) {
    while (kymo_drain(0u)) {}
}

/* ---- the line ---- */

static void feed(const uint8_t *bytes, size_t length) {
    assert_int_equal(pipeline_feed(pipeline, bytes, length), 0);
}

/* Events of the late core, and the number of events that all have. */
static bool is_late(const uint8_t *chunk, size_t length) {
    uint8_t packet[PACKET_BYTES];
    const size_t bytes = packet_unstuff(chunk, length, packet);
    const uint32_t type = bytes > 2u ? packet[0] & ((1u << KYMO_WIRE_VERSION_SHIFT) - 1u) : 0u;
    return type == KYMO_PACKET_STATUS ||
           (type == KYMO_PACKET_EVENTS && (packet[2] & 63u) == LATE_LANE);
}

static void feed_those(bool late) {
    size_t start = 0;
    for (size_t i = 0; i < kept.length; i++) {
        if (kept.bytes[i] == 0u) {
            if (is_late(kept.bytes + start, i - start) == late) {
                feed(kept.bytes + start, i + 1u - start);
            }
            start = i + 1u;
        }
    }
}

/* The packets of the late core come when those of the others have been let go. */
static void read_back(void) {
    struct pipeline_totals totals;
    kymo_finish();
    while (kymo_pending()) {
        (void)kymo_drain(0u);
    }
    feed_those(false);
    assert_int_equal(pipeline_quiet(pipeline), 0);
    feed_those(true);
    assert_int_equal(pipeline_end(pipeline), 0);
    pipeline_totals(pipeline, &totals);
    assert_int_equal(totals.delivered, emitted);
    assert_int_equal(totals.lost, 0);
}

static void assert_zone(uint32_t number, const char *name) {
    assert_true(number < seen.zones);
    assert_string_equal(seen.track[number]->name, name);
}

/* ---- the cases ---- */

CASE(the_next_one_has_its_own_name, set_up, tear_down) {
    at(2000u, 0u);
    kymo_context_name(TASK, KYMO_CONTEXT_TASK, "first");
    for (uint32_t i = 0u; i < 3u; i++) {
        run(TASK);
        zone(10u);
        run(0u);
        end_task();
        if (i == 1u) {
            kymo_context_name(TASK, KYMO_CONTEXT_TASK, "third");
        }
    }
    read_back();
    assert_int_equal(seen.zones, 3u);
    assert_zone(0u, "first");
    assert_zone(1u, "task 0x1000");
    assert_zone(2u, "third");
}

/* The kernel goes on in the context of a task that has ended itself, until it switches. */
CASE(a_lane_goes_on_in_what_is_over, set_up, tear_down) {
    at(2000u, 0u);
    run(TASK);
    kymo_context_name(TASK, KYMO_CONTEXT_TASK, "first");
    end_task();
    drain(); /* the head of the next packet has the reference once more */
    zone(10u);
    run(0u);
    run(TASK);
    zone(10u);
    read_back();
    assert_int_equal(seen.zones, 2u);
    assert_zone(0u, "first");
    assert_zone(1u, "task 0x1000");
}

/* The next task runs on core 0; then the late core records again, in the one that it says to run. */
static void run_second_then_late(void) {
    kymo_context_name(TASK, KYMO_CONTEXT_TASK, "second");
    run(TASK);
    zone(10u);
    run(0u);
    at(5000u, LATE_LANE);
    run(TASK);
    zone(10u);
}

/* Another core ends the task and makes the next one, and its packets come first. */
CASE(what_comes_late_goes_to_the_one_that_lived_then, set_up, tear_down) {
    at(2000u, 0u);
    run(TASK);
    kymo_context_name(TASK, KYMO_CONTEXT_TASK, "first");
    run(0u);
    at(3000u, LATE_LANE);
    run(TASK);
    zone(10u);
    (void)kymo_zone_begin(&work); /* ends with its task */
    emitted++;
    run(0u);
    at(4000u, 0u);
    end_task();
    run_second_then_late();
    read_back();
    assert_int_equal(seen.zones, 4u);
    assert_zone(0u, "second");
    assert_zone(1u, "first");
    assert_zone(2u, "second");
    assert_ptr_equal(seen.track[2], seen.track[0]);
    assert_zone(3u, "first");
    assert_int_equal(seen.repaired[3], ZONE_END_TASK);
    assert_int_equal(seen.end_ns[3], 4000);
}

/* The end itself comes late: the tasks known by this reference began after it. */
CASE(a_late_end_leaves_the_next_one_alone, set_up, tear_down) {
    at(2000u, 0u);
    zone(10u);
    at(3000u, LATE_LANE);
    run(TASK);
    zone(10u);
    run(0u);
    end_task();
    at(4000u, 0u);
    run_second_then_late();
    end_task();
    zone(10u);
    run(0u);
    run(TASK);
    zone(10u);
    read_back();
    assert_int_equal(seen.zones, 6u);
    assert_zone(1u, "second");
    /* By its time the first zone that came late is of the task before, but its row could not be distinguished yet. */
    assert_zone(3u, "second");
    assert_zone(4u, "second");
    assert_zone(5u, "task 0x1000");
}

/* The running task is unknown where packets are missing: the head tells it, by its time. */
CASE(a_gap_ends_what_is_over, set_up, tear_down) {
    at(2000u, 0u);
    run(TASK);
    kymo_context_name(TASK, KYMO_CONTEXT_TASK, "first");
    zone(10u);
    drain();
    feed(kept.bytes, kept.length);
    kept.length = 0;
    run(0u);
    end_task();
    run(TASK);
    drain();
    kept.length = 0; /* lost */
    at(3000u, LATE_LANE);
    end_task();
    drain();
    at(4000u, 0u);
    zone(10u);
    kymo_finish();
    while (kymo_pending()) {
        (void)kymo_drain(0u);
    }
    feed(kept.bytes, kept.length);
    assert_int_equal(pipeline_end(pipeline), 0);
    assert_int_equal(seen.zones, 2u);
    assert_zone(0u, "first");
    assert_zone(1u, "task 0x1000");
}

/* The tick comes between a task's own end and the switch away from it: its return begins no other life, so that the
 * next one has its own name and row, and each is a row. */
CASE(an_interrupt_returns_to_what_is_over, set_up, tear_down) {
    static const char *const names[] = {"first", "second", "third"};
    struct pipeline_totals totals;
    for (uint32_t i = 0; i < 3u; i++) {
        at(2000u + 1000u * i, 0u);
        kymo_context_name(TASK, KYMO_CONTEXT_TASK, names[i]);
        run(TASK);
        zone(10u);
        end_task();
        fake.clock += 10u;
        const kymo_context before = kymo_interrupt_enter((kymo_context)&tick);
        zone(10u);
        const kymo_context nested = kymo_interrupt_enter((kymo_context)&alarm_site);
        fake.clock += 10u;
        kymo_interrupt_leave(nested);
        kymo_interrupt_leave(before);
        emitted += 4u;
        fake.clock += 10u;
        zone(10u);
        run(0u);
    }
    read_back();
    pipeline_totals(pipeline, &totals);
    assert_int_equal(totals.unnamed_tasks, 0u);
    assert_int_equal(seen.zones, 9u);
    for (uint32_t i = 0; i < 3u; i++) {
        assert_zone(3u * i, names[i]);
        assert_zone(3u * i + 1u, "tick");
        assert_zone(3u * i + 2u, names[i]);
        assert_ptr_equal(seen.track[3u * i], seen.track[3u * i + 2u]);
    }
    assert_ptr_not_equal(seen.track[0], seen.track[3]);
}
