/* SPDX-License-Identifier: MIT */
/* Very many short-lived tasks: each has its row, up to a limit that is reported, and none is on another's. */
#include <stdio.h>
#include <string.h>

#include "cases.h"
#include "kymo/wire.h"
#include "model/timeline.h"
#include "model/tracks.h"

#define LANE 1u
#define SITE 1u

static struct names *names;
static struct clockfit board_clock;
static struct timeline *timeline;
static struct seen {
    const struct track *track; /* that runs */
    uint64_t zones, repaired, wrong_row, shared_zones;
    uint32_t task;        /* that runs in truth */
    uint64_t unannounced; /* events of tracks that no EVENT_TRACK came of */
    uint64_t over;        /* tracks that an EVENT_TRACK_END came of; none has an event after it */
} seen;
static bool announced[2 * TRACKS_MAX]; /* by number of the track */

static int on_event(void *context, const struct event *event) {
    char name[32];
    (void)context;
    if (event->kind == EVENT_TRACK) {
        announced[event->track->id] = true;
    } else if (event->kind != EVENT_SESSION) {
        seen.unannounced += announced[event->track->id] ? 0 : 1;
    }
    if (event->kind == EVENT_TRACK_END) {
        announced[event->track->id] = false;
        seen.over++;
    }
    if (event->kind == EVENT_SWITCH) {
        seen.track = event->track;
    }
    if (event->kind == EVENT_ZONE_END) {
        seen.zones++;
        seen.repaired += event->u.zone.repaired ? 1 : 0;
        (void)snprintf(name, sizeof name, "task %#x", seen.task * 8);
        if (strncmp(event->track->name, "tasks beyond the first ", 23) == 0) {
            seen.shared_zones++;
        } else if (strcmp(event->track->name, name) != 0) {
            seen.wrong_row++;
        }
    }
    return 0;
}

static void record(uint32_t kind, uint32_t reference) {
    static uint64_t ticks;
    const struct wire_event event = {
        .kind = (uint8_t)kind, .reference = reference, .ticks = ++ticks};
    assert_int_equal(timeline_wire_event(timeline, LANE, &event), 0);
}

static void run(uint32_t task) {
    seen.task = task;
    record(KYMO_KIND_CONTEXT, task * 2 + 1);
}

static void zone(uint32_t task) {
    run(task);
    record(KYMO_KIND_ZONE_BEGIN, SITE * 2);
    record(KYMO_KIND_ZONE_END, 0);
}

FIXTURE(setup) {
    const struct wire_head head = {.lane = LANE, .slots = 8, .context = CONTEXT_MAIN_REFERENCE};
    seen = (struct seen){0};
    memset(announced, 0, sizeof announced);
    board_clock = (struct clockfit){.board_hz = 1000000000u};
    names = names_new();
    timeline = timeline_new(names, &board_clock, on_event, NULL);
    return timeline_session(timeline, "image", NULL, 0) != 0 ||
           timeline_packet(timeline, &head) != 0;
}

FIXTURE(teardown) {
    assert_int_equal(seen.unannounced, 0);
    timeline_free(timeline);
    names_free(names);
    return 0;
}

static struct timeline_counts counts(void) {
    struct timeline_counts result;
    timeline_counts(timeline, &result);
    return result;
}

CASE(each_has_its_row, setup, teardown) {
    const uint32_t tasks = 70000;
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t task = 1; task <= tasks; task++) {
            zone(task);
        }
    }
    assert_int_equal(seen.zones, 2 * tasks);
    assert_int_equal(seen.wrong_row, 0);
    assert_int_equal(seen.shared_zones, 0);
    assert_int_equal(counts().shared_switches, 0);
    assert_int_equal(counts().tracks, tasks + 1);
}

/* The main context has one as well, so that this is one more than fits. */
CASE(those_beyond_the_limit_share_one_that_says_so, setup, teardown) {
    const uint32_t beyond = 1000;
    for (uint32_t task = 1; task < TRACKS_MAX + beyond; task++) {
        zone(task);
    }
    assert_int_equal(seen.wrong_row, 0);
    assert_int_equal(seen.shared_zones, beyond);
    assert_int_equal(counts().shared_switches, beyond);
    assert_int_equal(counts().repairs, 0);
    zone(1); /* the first ones stay where they were */
    assert_int_equal(seen.wrong_row, 0);
    assert_int_equal(seen.shared_zones, beyond);
}

/* Zones of several tasks do not nest in each other. */
CASE(zones_do_not_mix_on_the_shared_row, setup, teardown) {
    for (uint32_t task = 1; task < TRACKS_MAX; task++) {
        run(task);
    }
    run(TRACKS_MAX + 1);
    record(KYMO_KIND_ZONE_BEGIN, SITE * 2);
    run(TRACKS_MAX + 2); /* closes it */
    assert_int_equal(seen.repaired, 1);
    record(KYMO_KIND_ZONE_BEGIN, SITE * 2);
    run(1);
    run(TRACKS_MAX + 2);
    record(KYMO_KIND_ZONE_END, 0);
    assert_int_equal(seen.zones, 2);
    assert_int_equal(seen.repaired, 1);
}

/* A loss closes the lane's running task, once, and nothing of another lane's. */
CASE(a_loss_closes_what_the_lane_ran, setup, teardown) {
    const struct wire_head other = {.lane = 0, .slots = 8, .context = 7 * 2 + 1};
    run(1);
    record(KYMO_KIND_ZONE_BEGIN, SITE * 2);
    run(2);
    record(KYMO_KIND_ZONE_BEGIN, SITE * 2);
    run(7);
    record(KYMO_KIND_ZONE_BEGIN, SITE * 2);
    run(1);
    assert_int_equal(timeline_packet(timeline, &other), 0); /* task 7 moves to lane 0 */
    const struct wire_head late = {
        .lane = LANE, .slots = 8, .first = 100, .ticks = 1000000, .context = 1 * 2 + 1};
    assert_int_equal(timeline_packet(timeline, &late), 0);
    assert_int_equal(seen.repaired, 2);
    record(KYMO_KIND_ZONE_BEGIN, SITE * 2); /* without a switch before it */
    const struct wire_head later = {
        .lane = LANE, .slots = 8, .first = 200, .ticks = 2000000, .context = 1 * 2 + 1};
    assert_int_equal(timeline_packet(timeline, &later), 0);
    assert_int_equal(seen.repaired, 3);
}

static void name_task(uint32_t task, const char *name) {
    struct wire_event event = {
        .kind = KYMO_KIND_CONTEXT_NAME, .reference = task * 2 + 1, .words = 3};
    event.word[0] = KYMO_CONTEXT_TASK;
    event.word[1] = (uint32_t)strlen(name);
    memcpy(&event.word[2], name, strlen(name));
    assert_int_equal(timeline_wire_event(timeline, LANE, &event), 0);
}

static uint32_t unnamed(void) {
    struct timeline_counts counts;
    timeline_counts(timeline, &counts);
    return counts.unnamed_tasks;
}

/* It is shown by the address of its context, and counted. */
CASE(an_empty_name_is_none, setup, teardown) {
    run(5);
    name_task(5, "");
    assert_string_equal(seen.track->name, "task 0x28");
    assert_int_equal(unnamed(), 1);
    name_task(5, "five");
    assert_string_equal(seen.track->name, "five");
    assert_int_equal(unnamed(), 0);
    name_task(5, "");
    assert_string_equal(seen.track->name, "task 0x28");

    const struct site_entry nameless = {.kind = KYMO_SITE_CONTEXT,
                                        .detail = KYMO_CONTEXT_INTERRUPT,
                                        .name = "",
                                        .function = "",
                                        .file = ""};
    assert_int_equal(names_define(names, 0, 9, &nameless), 0);
    record(KYMO_KIND_CONTEXT, 9 * 2);
    assert_string_equal(seen.track->name, "context 9");
}

CASE(names_that_come_late_are_taken, setup, teardown) {
    const struct site_entry timer = {.kind = KYMO_SITE_CONTEXT,
                                     .detail = KYMO_CONTEXT_INTERRUPT,
                                     .name = "timer",
                                     .name_bytes = 5,
                                     .function = "",
                                     .file = ""};
    assert_string_equal(seen.track->name, "core 1");
    assert_int_equal(names_define_lane(names, 0, LANE, "second", 6), 0);
    assert_int_equal(timeline_named_lanes(timeline), 0);
    assert_string_equal(seen.track->name, "second");
    record(KYMO_KIND_CONTEXT, 9 * 2);
    assert_string_equal(seen.track->name, "site 9 (core 1)");
    assert_int_equal(names_define(names, 0, 9, &timer), 0);
    assert_int_equal(timeline_named_site(timeline, 9), 0);
    assert_string_equal(seen.track->name, "timer (core 1)");
    assert_int_equal(seen.track->kind, KYMO_CONTEXT_INTERRUPT);
}

CASE(deep_zones_are_all_there, setup, teardown) {
    for (uint32_t i = 0; i < TRACK_DEPTH_MAX + 10; i++) {
        record(KYMO_KIND_ZONE_BEGIN, SITE * 2);
    }
    assert_int_equal(counts().repairs, 10);
    for (uint32_t i = 0; i < TRACK_DEPTH_MAX + 10; i++) {
        record(KYMO_KIND_ZONE_END, 0);
    }
    assert_int_equal(seen.zones, TRACK_DEPTH_MAX);
    assert_int_equal(counts().repairs, 10);
}

/* The end comes on a lane that has brought nothing yet. */
CASE(an_end_on_another_lane_needs_no_zone, setup, teardown) {
    const struct wire_event event = {
        .kind = KYMO_KIND_ZONE_END_ON, .ticks = 1, .words = 1, .word = {5}};
    assert_int_equal(timeline_wire_event(timeline, LANE, &event), 0);
    assert_int_equal(timeline_end(timeline), 0); /* until then a lost switch might show */
    assert_int_equal(counts().repairs, 1);
    assert_int_equal(seen.zones, 0);
}

/* The same begins, and no end follows: after a while room is made for new zones. */
CASE(zones_that_never_end_make_room, setup, teardown) {
    const uint32_t left_out = 1024;
    for (uint32_t i = 0; i < TRACK_DEPTH_MAX + left_out; i++) {
        record(KYMO_KIND_ZONE_BEGIN, SITE * 2);
    }
    assert_int_equal(counts().repairs, left_out);
    assert_int_equal(seen.zones, 0);
    record(KYMO_KIND_ZONE_BEGIN, SITE * 2);
    assert_int_equal(seen.repaired, TRACK_DEPTH_MAX);
    record(KYMO_KIND_ZONE_END, 0);
    assert_int_equal(seen.zones, TRACK_DEPTH_MAX + 1);
    assert_int_equal(seen.repaired, TRACK_DEPTH_MAX);
}

/* A lane that goes on with a task after its end keeps it, and so do locks held and zones open. */
CASE(ended_tasks_are_forgotten, setup, teardown) {
    const uint32_t tasks = 3000;
    const struct wire_head other = {.lane = 0, .slots = 8, .context = 7 * 2 + 1};
    assert_int_equal(timeline_packet(timeline, &other), 0);
    run(5);
    record(KYMO_KIND_CONTEXT_END, 5 * 2 + 1);
    record(KYMO_KIND_ZONE_BEGIN, SITE * 2); /* begins after its end */
    record(KYMO_KIND_CONTEXT_END, 7 * 2 + 1);
    for (uint32_t task = 100; task < 100 + tasks; task++) {
        zone(task);
        record(KYMO_KIND_CONTEXT, CONTEXT_MAIN_REFERENCE);
        record(KYMO_KIND_CONTEXT_END, task * 2 + 1);
    }
    assert_int_equal(seen.over, tasks + 2 - TRACK_LIVES_MAX);
    assert_int_equal(seen.wrong_row, 0);
    const struct wire_event late = {
        .kind = KYMO_KIND_ZONE_BEGIN, .reference = SITE * 2, .ticks = 1u << 30};
    assert_int_equal(timeline_wire_event(timeline, 0, &late), 0);
    assert_int_equal(timeline_end(timeline), 0);
    assert_int_equal(seen.over, counts().tracks);
}

CASE(lives_of_one_task_are_forgotten, setup, teardown) {
    for (uint32_t life = 0; life < 3000; life++) {
        zone(9);
        record(KYMO_KIND_CONTEXT, CONTEXT_MAIN_REFERENCE);
        record(KYMO_KIND_CONTEXT_END, 9 * 2 + 1);
    }
    assert_int_equal(seen.over, 3000 - TRACK_LIVES_MAX);
    assert_int_equal(counts().tracks, 3001);
    assert_int_equal(timeline_session(timeline, "image", NULL, 0), 0);
    assert_int_equal(seen.over, 3001);
}
