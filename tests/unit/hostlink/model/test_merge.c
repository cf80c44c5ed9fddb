/* SPDX-License-Identifier: MIT */
/* The events of two cores in one order: the runtime on a scripted clock, whose drain sends the
 * packet of lane 0 before that of lane 1, in any order of time. */
#include "trace/pipeline.h"

#include <string.h>

#include "cases.h"
#include "kymo/kymo.h"
#include "kymo_arch.h"
#include "model/merge.h"
#include "ring/lane.h"
#include "ring/ring.h"
#include "send/link.h"
#include "trace.h"

#define HZ 1000000000u
#define MS (HZ / 1000u)
#define EVENTS_MAX 16u

KYMO_POOL(heap, "heap");
static uint64_t task; /* its address is the task */

static struct seen {
    struct event event[EVENTS_MAX];
    size_t count;
    uint64_t zones;
    int64_t last_ns;
} seen;
static struct pipeline *pipeline;
static size_t sent_bytes;
static unsigned times;

static int on_event(void *context, const struct event *event) {
    (void)context;
    if (event->kind == EVENT_SESSION || event->kind == EVENT_TRACK || event->kind == EVENT_SWITCH ||
        event->kind == EVENT_TRACK_END) {
        return 0;
    }
    assert_true(event->time_ns >= seen.last_ns);
    seen.last_ns = event->time_ns;
    seen.zones += event->kind == EVENT_ZONE_END;
    if (seen.count < EVENTS_MAX) {
        seen.event[seen.count++] = *event;
    }
    return 0;
}

/* Each packet so many times. */
static size_t take(void *context, const uint8_t *bytes, size_t length) {
    static uint8_t packet[1024];
    static size_t used;
    (void)context;
    sent_bytes += length;
    for (size_t i = 0; i < length; i++) {
        packet[used++] = bytes[i];
        for (unsigned k = 0; bytes[i] == 0 && k < times; k++) {
            assert_int_equal(pipeline_feed(pipeline, packet, used), 0);
        }
        used = bytes[i] == 0 ? 0 : used;
    }
    return length;
}

static const struct kymo_transport transport = {.write = take};

static void drain_at(uint64_t clock) {
    fake.clock = clock;
    while (kymo_drain(0)) {}
}

/* From here on "core" records, beginning at "clock". */
static void on_core(uintptr_t core, uint64_t clock) {
    fake.lane = core;
    fake.clock = clock;
}

static void zone(uint64_t end) {
    KYMO_ZONE("zone");
    fake.clock = end > fake.clock ? end : fake.clock; /* beginning has looked at it */
}

static struct pipeline_totals totals_at_end(void) {
    struct pipeline_totals totals;
    kymo_finish();
    drain_at(fake.clock);
    assert_int_equal(pipeline_end(pipeline), 0);
    pipeline_totals(pipeline, &totals);
    assert_int_equal(totals.lost, 0);
    assert_int_equal(totals.repairs, 0);
    return totals;
}

FIXTURE(start) {
    const struct pipeline_callbacks callbacks = {.event = on_event};
    fake_reset();
    trace_power_up();
    fake.clock_hz = HZ;
    seen = (struct seen){0};
    sent_bytes = 0;
    times = 1;
    pipeline = pipeline_new(&callbacks, NULL);
    assert_non_null(pipeline);
    kymo_init(&transport, "merge");
    return 0;
}

static int set_up(void **state) {
    (void)start(state);
    drain_at(1);
    return 0;
}

FIXTURE(tear_down) {
    pipeline_free(pipeline);
    return 0;
}

CASE(memory_is_freed_on_another_core, set_up, tear_down) {
    on_core(1, 10 * MS);
    KYMO_ALLOC(heap, &seen, 640);
    on_core(0, 20 * MS);
    KYMO_FREE(heap, &seen);
    drain_at(300 * MS);
    totals_at_end();
    assert_int_equal(seen.count, 2);
    assert_int_equal(seen.event[0].kind, EVENT_ALLOC);
    assert_int_equal(seen.event[1].kind, EVENT_FREE);
    assert_int_equal(seen.event[1].u.memory.bytes, 640);
}

CASE(a_task_moves_between_cores, set_up, tear_down) {
    kymo_context_name((kymo_context)&task, KYMO_CONTEXT_TASK, "task");
    for (unsigned turn = 0; turn < 4; turn++) {
        on_core(turn % 2 == 0 ? 1 : 0, (10 + turn * 10) * MS);
        kymo_context before = KYMO_CONTEXT_SWITCH(&task);
        zone((13 + turn * 10) * MS);
        KYMO_CONTEXT_SWITCH(before);
    }
    drain_at(300 * MS);
    totals_at_end();
    assert_int_equal(seen.zones, 4);
    for (unsigned turn = 0; turn < 4; turn++) {
        const struct event *end = &seen.event[2 * turn + 1];
        assert_int_equal(end->kind, EVENT_ZONE_END);
        assert_string_equal(end->track->name, "task");
        assert_in_range(end->time_ns - end->u.zone.start_ns, 3 * MS - MS / 10, 3 * MS + MS / 10);
    }
}

/* Events that wait at that time go out in a packet. */
static void send_at(uint64_t clock) {
    drain_at(clock);
    drain_at(clock + 100 * MS);
}

/* Three packets of core 0 come before that of core 1, whose events are earlier; the second one has a
 * name, which does not count, so the third one begins where that does. on_event() compares the times. */
static void core_0_is_ahead(void) {
    on_core(0, 20 * MS);
    zone(21 * MS);
    send_at(22 * MS);
    kymo_context_name((kymo_context)&task, KYMO_CONTEXT_TASK, "task");
    send_at(fake.clock + MS);
    zone(fake.clock + MS);
    send_at(fake.clock + MS);
    assert_int_equal(seen.zones, 0);
    on_core(1, 10 * MS);
    zone(11 * MS);
    send_at(340 * MS);
    totals_at_end();
    assert_int_equal(seen.zones, 3);
}

CASE(packets_that_do_not_count_let_nothing_pass, set_up, tear_down) { core_0_is_ahead(); }

CASE(nor_do_copies, set_up, tear_down) {
    times = 2;
    core_0_is_ahead();
}

static void a_zone_waits_for_the_other_core(void) {
    on_core(0, 10 * MS);
    zone(11 * MS);
    drain_at(12 * MS);
    drain_at(200 * MS);
    assert_int_equal(seen.zones, 0);
}

/* The other core records nothing, and the board's clock goes on. */
CASE(an_idle_core_is_not_waited_for, set_up, tear_down) {
    a_zone_waits_for_the_other_core();
    drain_at(1500 * MS);
    assert_int_equal(seen.zones, 1);
    totals_at_end();
}

CASE(a_board_that_says_nothing_is_not_waited_for, set_up, tear_down) {
    a_zone_waits_for_the_other_core();
    assert_int_equal(pipeline_quiet(pipeline), 0);
    assert_int_equal(seen.zones, 1);
    totals_at_end();
}

/* Its name is an event of the packet, but none that counts: the next packet still is the next. */
CASE(a_named_task_is_no_repetition, set_up, tear_down) {
    on_core(0, 10 * MS);
    kymo_context_name((kymo_context)&task, KYMO_CONTEXT_TASK, "task");
    zone(11 * MS);
    drain_at(12 * MS);
    drain_at(150 * MS);
    zone(151 * MS);
    drain_at(152 * MS);
    drain_at(260 * MS);
    assert_int_equal(seen.zones, 0);
    totals_at_end();
    assert_int_equal(seen.zones, 2);
}

/* However much comes in a short time, a part of it goes on. */
CASE(what_is_held_is_bounded, set_up, tear_down) {
    uint64_t zones = 0;
    on_core(0, 10 * MS);
    while (sent_bytes < 2 * MERGE_BYTES_MAX) {
        zone(fake.clock + 10); /* the first one reads the clock more often */
        zones++;
        while (kymo_drain(0)) {}
    }
    assert_true(seen.zones > zones / 4);
    assert_true(seen.zones < zones);
    struct pipeline_totals totals = totals_at_end();
    assert_int_equal(seen.zones, zones);
    assert_int_equal(totals.delivered, 2 * zones);
}

/* Both rings hold many packets before the first byte is sent; core 1's events are the earlier ones. */
static void fill_both_rings(uint64_t later, uint64_t zone_ticks) {
    uint32_t random = 1;
    on_core(1, 10 * MS);
    for (unsigned i = 0; i < 300; i++) {
        random = random * 1664525u + 1013904223u;
        zone(fake.clock + (random >> 15));
    }
    on_core(0, later);
    for (unsigned i = 0; i < 300; i++) {
        zone(fake.clock + zone_ticks);
    }
}

/* on_event() compares the times. */
CASE(a_core_with_much_in_its_ring_is_waited_for, set_up, tear_down) {
    fill_both_rings(1000 * MS, 10 * MS);
    drain_at(fake.clock);
    totals_at_end();
    assert_int_equal(seen.zones, 600);
}

/* Nothing is sent before the end: SESSION's clock shows how old the first packets are.
 * Core 0 is idle for longer than others are waited for. */
CASE(a_board_that_sends_late_is_waited_for, start, tear_down) {
    on_core(1, 10 * MS);
    for (unsigned i = 0; i < 1000; i++) {
        zone(fake.clock + MS / 10);
    }
    on_core(0, 5 * MS);
    for (unsigned i = 0; i < 20; i++) {
        zone(fake.clock + 10 * MS);
    }
    fake.clock = 600 * MS;
    for (unsigned i = 0; i < 400; i++) {
        zone(fake.clock + MS / 10);
    }
    drain_at(700 * MS);
    totals_at_end();
    assert_int_equal(seen.zones, 1420);
}

/* The rest is less than a packet of each core, which may yet fill. */
CASE(many_packets_do_not_wait_for_their_time, set_up, tear_down) {
    for (uintptr_t core = 0; core < 2; core++) {
        on_core(core, 10 * MS);
        for (unsigned i = 0; i < 2500; i++) {
            zone(fake.clock + 10);
        }
    }
    drain_at(fake.clock);
    for (unsigned i = 0; i < 2; i++) {
        assert_in_range(kymo_ring_used_bytes(&kymo_lanes[i]), 0, 6 * KYMO_PACKET_BYTES);
    }
    totals_at_end();
    assert_int_equal(seen.zones, 5000);
}

/* A slow line: STATUS comes each second while the rest is still in the rings. */
CASE(nor_does_the_clock_alone_let_others_pass, set_up, tear_down) {
    fill_both_rings(11 * MS, MS / 10);
    while (kymo_drain(16)) {
        fake.clock += 20 * MS;
    }
    totals_at_end();
    assert_int_equal(seen.zones, 600);
}

/* A record that is begun and never completed: STATUS says each second that something waits, and nothing comes. */
CASE(what_never_comes_is_not_waited_for, set_up, tear_down) {
    a_zone_waits_for_the_other_core();
    kymo_link.lanes_hold = true;
    drain_at(1300 * MS);
    assert_int_equal(seen.zones, 0);
    kymo_link.lanes_hold = true;
    drain_at(2400 * MS);
    assert_int_equal(seen.zones, 1);
    totals_at_end();
}

/* Once the core has caught up, and the others with it, it is as before. */
CASE(it_is_not_waited_for_longer_than_it_was_late, set_up, tear_down) {
    fill_both_rings(1000 * MS, 10 * MS);
    drain_at(fake.clock);
    for (unsigned i = 0; i < 300; i++) {
        on_core(0, fake.clock);
        zone(fake.clock + 10 * MS);
        drain_at(fake.clock);
    }
    const uint64_t held = 900 - seen.zones;
    assert_in_range(held, 20, 45);
    totals_at_end();
}

/* A lost packet is reported at its place, and a STATUS packet meanwhile does not make it two. */
CASE(what_is_held_does_not_count_as_lost, set_up, tear_down) {
    struct pipeline_totals totals;
    on_core(0, 2500 * MS);
    zone(2501 * MS);
    drain_at(2502 * MS);
    drain_at(2700 * MS);
    pipeline_totals(pipeline, &totals);
    assert_int_equal(totals.delivered, 0);
    assert_int_equal(totals.lost, 0);
    totals = totals_at_end();
    assert_int_equal(totals.delivered, 2);
}
