/* SPDX-License-Identifier: MIT */
/* Locks from the macros to the outputs: two cores that contend, with known counts, and all that firmware can do in a
 * wrong order. */
#include "trace/pipeline.h"

#include <stdio.h>
#include <string.h>

#include "cases.h"
#include "kept.h"
#include "kymo/kymo.h"
#include "kymo_arch.h"
#include "model/objects.h"
#include "sink/sink.h"
#include "trace.h"
#include "tracy_run.h"

#define ROUNDS 20u
#define CSV "locks.events.csv"
#define JSON "locks.json"
#define PERFETTO "locks.pftrace"

static uint32_t lock_memory[4]; /* two locks side by side, of 4 bytes each, and further ones */

static struct {
    uint32_t waits, obtains, releases, shared, ends, repairs, named, objects_over;
    int64_t held_ns, waited_ns;
    enum hold_repair last_repair;
    const char *last_name;
    uint32_t last_core;
} seen;

static struct outputs {
    struct consumer sink[3];
    struct tracy_run *run;
} outputs;
static const char *const paths[3] = {CSV, JSON, PERFETTO};

static void see_hold(const struct event *event) {
    const enum event_hold what = event_hold(event->kind);
    const int64_t took_ns = event->time_ns - event->u.hold.start_ns;
    assert_non_null(event->object);
    seen.waits += what == EVENT_WAITS;
    seen.obtains += what == EVENT_TAKES;
    seen.releases += what == EVENT_GIVES && event->kind != EVENT_HOLD_END;
    seen.ends += event->kind == EVENT_HOLD_END;
    seen.shared += what == EVENT_TAKES && event->u.hold.shared;
    seen.held_ns += what == EVENT_GIVES && !event->u.hold.waited ? took_ns : 0;
    seen.waited_ns += what == EVENT_TAKES ? took_ns : 0;
    seen.last_repair = event->kind == EVENT_HOLD_END ? event->u.hold.repaired : seen.last_repair;
    seen.last_name = event->object->name;
    seen.last_core = event->track->core;
}

static int on_event(void *context, const struct event *event) {
    (void)context;
    if (event_holds(event->kind)) {
        see_hold(event);
    }
    seen.repairs += event->kind == EVENT_REPAIR;
    seen.named += event->kind == EVENT_OBJECT;
    seen.objects_over += event->kind == EVENT_OBJECT_END;
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(outputs.sink[i].event(outputs.sink[i].state, event), 0);
    }
    return tracy_run_event(outputs.run, event);
}

static struct pipeline *pipeline;
static struct pipeline_totals totals;

FIXTURE(set_up) {
    trace_power_up();
    fake_reset();
    fake.clock_hz = 1000000000u;
    fake.clock = 1000u;
    memset(&seen, 0, sizeof seen);
    kept.length = 0;
    kymo_init(&kept_transport, "locks");
    fake.clock_step = 0;
    return 0;
}

FIXTURE(tear_down) { return 0; }

/* Everything recorded goes to each output, and to a viewer of this protocol. */
static void read_back(uint32_t protocol) {
    const struct pipeline_callbacks callbacks = {.event = on_event};
    pipeline = pipeline_new(&callbacks, NULL);
    assert_non_null(pipeline);
    outputs.run = tracy_run_new();
    tracy_run_connect(outputs.run, protocol);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(sink_open(sink_for_path(paths[i]), &outputs.sink[i], paths[i]), 0);
    }
    assert_int_equal(pipeline_feed(pipeline, kept.bytes, kept.length), 0);
    assert_int_equal(pipeline_end(pipeline), 0);
    pipeline_totals(pipeline, &totals);
    tracy_run_end(outputs.run);
    assert_string_equal(outputs.run->peer->failure, "");
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(outputs.sink[i].close(outputs.sink[i].state), 0);
    }
    pipeline_free(pipeline);
}

static void finish(void) {
    kymo_finish();
    while (kymo_pending()) {
        (void)kymo_drain(0u);
    }
}

static void all_of(void) {
    finish();
    read_back(tracy_proto_known(6));
}

static void free_run(void) { tracy_run_free(outputs.run); }

static uint32_t count(const char *path, const char *text) {
    static char content[1u << 20];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    const size_t length = fread(content, 1, sizeof content - 1, file);
    (void)fclose(file);
    content[length] = '\0';
    uint32_t found = 0;
    for (const char *at = content; (at = strstr(at, text)) != NULL; at += strlen(text)) {
        found++;
    }
    return found;
}

static void core(uint64_t ticks, uintptr_t lane) {
    fake.clock = ticks;
    fake.lane = lane;
    while (fake.lane == 0u && kymo_drain(0u)) {}
}

/* One core holds it for 60 ns of 100, and the other waits meanwhile for 50 and holds it for 30. The release and the
 * obtain are of one time. */
static void contend(uintptr_t one, uintptr_t other) {
    KYMO_LOCK(&lock_memory[0], "bus");
    for (uint32_t i = 0; i < ROUNDS; i++) {
        const uint64_t start = 10000u + 100u * i;
        core(start, one);
        KYMO_LOCK_OBTAIN(&lock_memory[0]);
        core(start + 10u, other);
        KYMO_LOCK_WAIT(&lock_memory[0]);
        core(start + 60u, one);
        KYMO_LOCK_RELEASE(&lock_memory[0]);
        core(start + 60u, other);
        KYMO_LOCK_OBTAIN(&lock_memory[0]);
        core(start + 90u, other);
        KYMO_LOCK_RELEASE(&lock_memory[0]);
    }
    core(20000u, 0u);
    KYMO_LOCK_END(&lock_memory[0]);
}

/* Events of one time come in the order of lanes, so here each obtain comes before the release. */
CASE(obtained_in_the_tick_of_the_release, set_up, tear_down) {
    contend(1u, 0u);
    all_of();
    assert_int_equal(seen.obtains, 2u * ROUNDS);
    assert_int_equal(seen.releases + seen.ends, 2u * ROUNDS);
    assert_int_equal(seen.held_ns, 90 * ROUNDS);
    assert_int_equal(seen.repairs, 0);
    assert_int_equal(totals.repairs, 0);
    free_run();
}

CASE(two_cores_contend, set_up, tear_down) {
    contend(0u, 1u);
    finish();
    for (size_t i = 0; tracy_proto_known(i) != 0; i++) {
        memset(&seen, 0, sizeof seen);
        read_back(tracy_proto_known(i));
        assert_int_equal(seen.waits, ROUNDS);
        assert_int_equal(seen.obtains, 2u * ROUNDS);
        assert_int_equal(seen.releases, 2u * ROUNDS);
        assert_int_equal(seen.ends, 0);
        assert_int_equal(seen.repairs, 0);
        assert_int_equal(seen.held_ns, 90 * ROUNDS);
        assert_int_equal(seen.waited_ns, 50 * ROUNDS);
        assert_int_equal(totals.lost, 0);
        const struct tracy_peer *peer = outputs.run->peer;
        assert_int_equal(peer->lock_count, 1);
        assert_string_equal(peer->locks[0].name, "bus");
        assert_true(peer->locks[0].terminated);
        assert_int_equal(peer->locks[0].held_ns, 90 * ROUNDS);
        assert_int_equal(peer->counts.lock_obtains[0], 2u * ROUNDS);
        assert_int_equal(peer->counts.lock_releases[0], 2u * ROUNDS);
        assert_int_equal(outputs.run->encode->repairs.total, 0);
        free_run();
    }
    assert_int_equal(count(CSV, ",lock wait,bus,"), ROUNDS);
    assert_int_equal(count(CSV, ",lock obtain,bus,50"), ROUNDS);
    assert_int_equal(count(CSV, ",lock release,bus,60"), ROUNDS);
    assert_int_equal(count(CSV, ",lock release,bus,30"), ROUNDS);
    assert_int_equal(count(JSON, "bus: held by core 0"), 2u * ROUNDS);
    assert_int_equal(count(JSON, "bus: core 1 waits"), 2u * ROUNDS);
    assert_true(count(PERFETTO, "lock: bus") != 0);
}

CASE(locks_side_by_side_are_two, set_up, tear_down) {
    KYMO_LOCK(&lock_memory[0], "left");
    KYMO_LOCK(&lock_memory[1], "right");
    for (uint32_t i = 0; i < 8u; i++) {
        KYMO_LOCK_OBTAIN(&lock_memory[i % 2u]);
        fake.clock += 10u;
        KYMO_LOCK_RELEASE(&lock_memory[i % 2u]);
    }
    all_of();
    assert_int_equal(seen.named, 2);
    assert_int_equal(count(CSV, ",lock obtain,left,"), 4);
    assert_int_equal(count(CSV, ",lock obtain,right,"), 4);
    free_run();
}

CASE(readers_share, set_up, tear_down) {
    KYMO_LOCK(&lock_memory[0], "table");
    for (uintptr_t lane = 0; lane < 2u; lane++) {
        core(2000u + 10u * lane, lane);
        KYMO_LOCK_WAIT_SHARED(&lock_memory[0]);
        KYMO_LOCK_OBTAIN_SHARED(&lock_memory[0]);
    }
    for (uintptr_t lane = 0; lane < 2u; lane++) {
        core(2100u + 10u * lane, lane);
        KYMO_LOCK_RELEASE_SHARED(&lock_memory[0]);
    }
    all_of();
    assert_int_equal(seen.shared, 2);
    assert_int_equal(seen.releases, 2);
    assert_int_equal(seen.ends + seen.repairs, 0);
    assert_int_equal(outputs.run->peer->counts.lock_obtains[1], 2);
    free_run();
}

/* ---- impossible events ---- */

CASE(released_without_an_obtain, set_up, tear_down) {
    KYMO_LOCK(&lock_memory[0], "bus");
    KYMO_LOCK_RELEASE(&lock_memory[0]);
    all_of();
    assert_int_equal(seen.repairs, 1);
    assert_int_equal(seen.releases, 0);
    assert_int_equal(totals.repairs, 1);
    assert_int_equal(count(CSV, "released without being held"), 1);
    assert_int_equal(count(JSON, "released without being held"), 1);
    free_run();
}

CASE(obtained_twice, set_up, tear_down) {
    KYMO_LOCK(&lock_memory[0], "bus");
    KYMO_LOCK_OBTAIN(&lock_memory[0]);
    fake.clock += 10u;
    KYMO_LOCK_OBTAIN(&lock_memory[0]);
    fake.clock += 10u;
    core(fake.clock, 1u);
    KYMO_LOCK_OBTAIN(&lock_memory[0]);
    fake.clock += 10u;
    KYMO_LOCK_RELEASE(&lock_memory[0]);
    all_of();
    assert_int_equal(seen.obtains, 3);
    assert_int_equal(seen.ends, 2);
    assert_int_equal(seen.last_repair, HOLD_TAKEN_OVER);
    assert_int_equal(seen.releases, 1);
    assert_int_equal(totals.repairs, 2);
    free_run();
}

CASE(over_while_held, set_up, tear_down) {
    KYMO_LOCK(&lock_memory[0], "bus");
    KYMO_LOCK_OBTAIN(&lock_memory[0]);
    core(2000u, 1u);
    KYMO_LOCK_WAIT(&lock_memory[0]);
    core(2100u, 0u);
    KYMO_LOCK_END(&lock_memory[0]);
    KYMO_LOCK_RELEASE(&lock_memory[0]);
    all_of();
    assert_int_equal(seen.ends, 2);
    assert_int_equal(seen.last_repair, HOLD_END_OBJECT);
    assert_int_equal(seen.objects_over, 1);
    const struct tracy_peer *peer = outputs.run->peer; /* as a viewer has a deadlock */
    assert_int_equal(peer->counts.lock_waits[0], 2);
    assert_int_equal(peer->counts.lock_obtains[0], 1);
    assert_int_equal(peer->counts.lock_releases[0], 0);
    assert_true(peer->locks[0].terminated);
    free_run();
}

CASE(never_announced, set_up, tear_down) {
    kymo_object_event(KYMO_KIND_LOCK_OBTAIN, UINT64_C(0x7f0020001004));
    fake.clock += 10u;
    kymo_object_event(KYMO_KIND_LOCK_RELEASE, UINT64_C(0x7f0020001004));
    all_of();
    assert_int_equal(seen.releases, 1);
    assert_int_equal(count(CSV, ",lock release,lock 0x7f0020001004,10"), 1);
    assert_int_equal(totals.repairs, 1);
    free_run();
}

CASE(without_a_name, set_up, tear_down) {
    kymo_object(UINT64_C(0x7f0020001004), KYMO_OBJECT_LOCK, NULL, NULL);
    KYMO_LOCK(&lock_memory[0], "");
    all_of();
    assert_int_equal(seen.named, 2);
    assert_int_equal(count(CSV, ",object,lock 0x7f0020001004,"), 1);
    assert_int_equal(totals.repairs, 0);
    free_run();
}

static int pass_by(void *context, struct track_state *by, struct event *event) {
    (void)context, (void)by, (void)event;
    return 0;
}

/* Locks left out are counted as such, and are no fault of the firmware. */
CASE(more_than_are_kept) {
    struct names *names = names_new();
    struct objects objects = {.names = names, .send = pass_by};
    struct track row = {0};
    struct track_state by = {.track = &row};
    struct object_event of = {.of = KYMO_OBJECT_LOCK};
    for (uint32_t i = 0; i < OBJECTS_MAX; i++) {
        of.identity = i;
        assert_int_equal(objects_name(&objects, &by, &of, "short", 5, NULL), 0);
        assert_int_equal(objects_end(&objects, &by, &of), 0);
    }
    assert_int_equal(objects.refused, 0);
    for (uint64_t identity = OBJECTS_MAX - 1; identity <= OBJECTS_MAX; identity++) {
        of.identity = identity;
        objects.refused = 0;
        assert_int_equal(objects_name(&objects, &by, &of, "short", 5, NULL), 0);
        assert_null(objects_find(&objects, &by, &of));
        assert_int_equal(objects_end(&objects, &by, &of), 0);
        assert_int_equal(objects.refused, 3);
    }
    assert_int_equal(objects.repairs, 0);
    objects_free(&objects);
    names_free(names);
}

CASE(of_one_address_one_after_the_other, set_up, tear_down) {
    for (uint32_t i = 0; i < 2u; i++) {
        KYMO_LOCK(&lock_memory[0], i == 0u ? "first" : "second");
        KYMO_LOCK_OBTAIN(&lock_memory[0]);
        fake.clock += 10u;
        KYMO_LOCK_RELEASE(&lock_memory[0]);
    }
    all_of();
    assert_int_equal(seen.objects_over, 1);
    assert_int_equal(outputs.run->peer->lock_count, 2);
    assert_int_equal(count(CSV, ",lock release,first,10"), 1);
    assert_int_equal(count(CSV, ",lock release,second,10"), 1);
    free_run();
}

CASE(a_wait_that_ends_without_the_lock, set_up, tear_down) {
    KYMO_LOCK(&lock_memory[0], "bus");
    core(2000u, 1u);
    KYMO_LOCK_OBTAIN(&lock_memory[0]);
    core(2010u, 0u);
    KYMO_LOCK_WAIT(&lock_memory[0]);
    core(2050u, 0u);
    KYMO_LOCK_RELEASE(&lock_memory[0]); /* the holder is the other core */
    core(2100u, 1u);
    KYMO_LOCK_RELEASE(&lock_memory[0]);
    all_of();
    assert_int_equal(totals.repairs, 0);
    assert_int_equal(count(CSV, ",lock release,bus,40,not obtained"), 1);
    assert_int_equal(count(CSV, ",lock release,bus,100,"), 1);
    free_run();
}

CASE(held_to_the_end, set_up, tear_down) {
    KYMO_LOCK(&lock_memory[0], "bus");
    KYMO_LOCK_OBTAIN(&lock_memory[0]);
    all_of();
    assert_int_equal(seen.ends, 1);
    assert_int_equal(totals.repairs, 0); /* a program may hold it for good */
    assert_int_equal(seen.last_repair, HOLD_END_OPEN);
    assert_int_equal(outputs.run->peer->counts.lock_releases[0], 0);
    assert_int_equal(outputs.run->encode->repairs.total, 0);
    free_run();
}

CASE(held_where_events_were_lost, set_up, tear_down) {
    KYMO_LOCK(&lock_memory[0], "bus");
    core(2000u, 1u);
    (void)kymo_context_switch(0x2000u);
    KYMO_LOCK_OBTAIN(&lock_memory[0]);
    core(2010u, 0u);
    const size_t arrived = kept.length;
    core(2020u, 0u);
    (void)kymo_context_switch(0x2000u); /* the task goes on here, and releases */
    KYMO_LOCK_RELEASE(&lock_memory[0]);
    core(2100u, 0u);
    kept.length = arrived; /* these packets are lost */
    KYMO_PLOT("level", 1);
    core(2200u, 0u);
    all_of();
    assert_int_equal(totals.lost, 2);
    assert_int_equal(seen.obtains, 1);
    assert_int_equal(seen.ends, 1);
    assert_int_equal(seen.last_repair, HOLD_END_LOST);
    free_run();
}
