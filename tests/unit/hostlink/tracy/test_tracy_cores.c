/* SPDX-License-Identifier: MIT */
/* Context switches: which row each core runs, in every protocol, in any order of the cores'
 * reports. */
#include <string.h>

#include "cases.h"
#include "kymo/wire.h"
#include "tracy_run.h"

static struct track core0 = {1, 0, 0, KYMO_CONTEXT_MAIN, "core 0", NULL, NULL, 0};
static struct track core1 = {2, 1, 0, KYMO_CONTEXT_MAIN, "core 1", NULL, NULL, 0};
static struct track timer = {3, 0, 0, KYMO_CONTEXT_INTERRUPT, "timer", NULL, NULL, 0};
static struct track task = {4, 0, 0, KYMO_CONTEXT_TASK, "task", NULL, NULL, 0};

static struct tracy_run *start(uint32_t protocol) {
    struct tracy_run *run = tracy_run_new();
    tracy_run_connect(run, protocol);
    return run;
}

static void run_on(struct tracy_run *run, struct track *track, uint32_t core, int64_t time_ns) {
    track->core = core;
    struct event event = {.kind = EVENT_SWITCH, .time_ns = time_ns, .track = track};
    assert_int_equal(tracy_run_event(run, &event), 0);
}

static void end(struct tracy_run *run) {
    tracy_run_end(run);
    assert_string_equal(run->peer->failure, "");
    assert_int_equal(run->terminates, 1);
    assert_int_equal(run->peer->external_open, 0);
}

/* It is unknown what ran there. */
CASE(a_gap_is_no_one_s_time) {
    struct tracy_run *run = start(82);
    struct event gap = {.kind = EVENT_GAP, .time_ns = 900, .track = &task};
    run_on(run, &task, 0, 100);
    gap.u.gap.start_ns = 300;
    assert_int_equal(tracy_run_event(run, &gap), 0);
    run_on(run, &core0, 0, 1000);
    end(run);
    assert_int_equal(tracy_peer_ran_ns(run->peer, task.id), 300);
    assert_int_equal(run->encode->repairs.total, 0);
    tracy_run_free(run);
}

CASE(every_protocol_sees_what_ran) {
    for (size_t i = 0; tracy_proto_known(i) != 0; i++) {
        struct tracy_run *run = start(tracy_proto_known(i));
        run_on(run, &core0, 0, 100);
        run_on(run, &core1, 1, 50); /* earlier: each core has its own order */
        run_on(run, &timer, 0, 1000);
        run_on(run, &core0, 0, 1010);
        run_on(run, &timer, 0, 2000);
        run_on(run, &timer, 0, 2005); /* told twice */
        run_on(run, &core0, 0, 2030);
        run_on(run, &task, 1, 3050);
        end(run);
        assert_int_equal(tracy_peer_ran_ns(run->peer, timer.id), 40);
        assert_int_equal(tracy_peer_ran_ns(run->peer, core1.id), 3000);
        assert_int_equal(tracy_peer_ran_ns(run->peer, core0.id), 900 + 990 + 3050 - 2030);
        assert_int_equal(tracy_peer_ran_ns(run->peer, task.id), 0);
        assert_int_equal(run->encode->repairs.total, 0);
        tracy_run_free(run);
    }
}

/* The core that takes the task over is heard before the one that gave it away. */
CASE(a_task_moves) {
    struct tracy_run *run = start(82);
    run_on(run, &core0, 0, 0);
    run_on(run, &core1, 1, 0);
    run_on(run, &task, 0, 100);
    run_on(run, &task, 1, 500);
    run_on(run, &core0, 0, 400); /* late */
    run_on(run, &core1, 1, 700);
    run_on(run, &task, 0, 300); /* even later */
    run_on(run, &core0, 0, 350);
    end(run);
    assert_int_equal(tracy_peer_ran_ns(run->peer, task.id), 400 + 200);
    tracy_run_free(run);
}

/* A viewer that joins in the middle sees the running tasks from then on. */
CASE(a_later_viewer) {
    struct tracy_run *run = start(76);
    run_on(run, &core0, 0, 0);
    run_on(run, &timer, 0, 500);
    tracy_run_connect(run, 69);
    run_on(run, &core0, 0, 520);
    run_on(run, &timer, 0, 600);
    end(run);
    assert_int_equal(tracy_peer_ran_ns(run->peer, timer.id), 20);
    assert_int_equal(tracy_peer_ran_ns(run->peer, core0.id), 80);
    tracy_run_free(run);
}

CASE(cores_beyond_what_is_shown) {
    struct tracy_run *run = start(76);
    run_on(run, &core0, TRACY_CORES_MAX - 1, 10);
    run_on(run, &core1, TRACY_CORES_MAX, 10);
    run_on(run, &task, UINT32_MAX, 20);
    run_on(run, &timer, TRACY_CORES_MAX - 1, 30);
    end(run);
    assert_int_equal(tracy_peer_ran_ns(run->peer, core0.id), 20);
    assert_int_equal(tracy_peer_ran_ns(run->peer, core1.id), -1);
    tracy_run_free(run);
}

static void change(struct tracy_run *run, struct track *track, enum task_state before,
                   enum task_state state, uint8_t why, int64_t time_ns) {
    struct event event = {.kind = EVENT_TASK, .time_ns = time_ns, .track = track};
    event.u.task.before = (uint8_t)before;
    event.u.task.state = (uint8_t)state;
    event.u.task.why = why;
    event.u.task.woken = state == TASK_READY && before == TASK_WAITING;
    assert_int_equal(tracy_run_event(run, &event), 0);
}

static void priority(struct tracy_run *run, struct track *track, int32_t value) {
    struct event event = {.kind = EVENT_TASK_PRIORITY, .time_ns = 10, .track = track};
    event.u.priority.value = value;
    assert_int_equal(tracy_run_event(run, &event), 0);
}

/* Reasons and states by the numbers of Windows' kernel, which viewers show by name. */
CASE(why_a_task_left_and_when_it_was_woken) {
    for (size_t i = 0; tracy_proto_known(i) != 0; i++) {
        static struct track other = {5, 0, 0, KYMO_CONTEXT_TASK, "other", NULL, NULL, 0};
        struct tracy_run *run = start(tracy_proto_known(i));
        priority(run, &task, 5);
        priority(run, &other, 1000);
        change(run, &task, TASK_UNKNOWN, TASK_READY, KYMO_WHY_UNKNOWN, 50);
        run_on(run, &task, 0, 100);
        change(run, &task, TASK_READY, TASK_RUNNING, KYMO_WHY_UNKNOWN, 100);
        run_on(run, &timer, 0, 150);
        tracy_run_pump(run);
        const struct peer_external *row = tracy_peer_row(run->peer, task.id);
        assert_int_equal(row->reason, 32); /* WrPreempted */
        assert_int_equal(row->state, 3);   /* Standby */
        run_on(run, &task, 0, 160);
        change(run, &task, TASK_RUNNING, TASK_WAITING, KYMO_WHY_LOCK, 200);
        run_on(run, &other, 0, 200);
        change(run, &other, TASK_UNKNOWN, TASK_RUNNING, KYMO_WHY_UNKNOWN, 200);
        change(run, &task, TASK_WAITING, TASK_READY, KYMO_WHY_LOCK, 300);
        change(run, &other, TASK_RUNNING, TASK_READY, KYMO_WHY_UNKNOWN, 350);
        run_on(run, &task, 0, 350);
        change(run, &task, TASK_READY, TASK_RUNNING, KYMO_WHY_UNKNOWN, 350);
        tracy_run_pump(run);
        row = tracy_peer_row(run->peer, task.id);
        assert_int_equal(row->reason, 29); /* WrMutex */
        assert_int_equal(row->state, 5);   /* Waiting */
        assert_int_equal(row->ready_ns, 50);
        assert_int_equal(row->priority, tracy_proto_known(i) >= 74 ? 5 : 0);
        row = tracy_peer_row(run->peer, other.id);
        assert_int_equal(row->reason, 32);
        assert_int_equal(row->state, 1); /* Ready */
        assert_int_equal(row->priority, tracy_proto_known(i) >= 74 ? 127 : 0);
        change(run, &task, TASK_RUNNING, TASK_OVER, KYMO_WHY_OVER, 400);
        run_on(run, &core0, 0, 400);
        tracy_run_pump(run);
        row = tracy_peer_row(run->peer, task.id);
        assert_int_equal(row->reason, 22); /* WrTerminated */
        assert_int_equal(row->state, 4);   /* Terminated */
        end(run);
        assert_int_equal(run->peer->counts.wakeups, 1);
        assert_int_equal(run->encode->repairs.total, 0);
        tracy_run_free(run);
    }
}

/* Suspended while it is ready, and ready again: of two, a viewer would give the second to a later run. */
CASE(one_wake_up_for_a_run) {
    struct tracy_run *run = start(82);
    run_on(run, &core0, 0, 100);
    change(run, &task, TASK_WAITING, TASK_READY, KYMO_WHY_DELAY, 200);
    change(run, &task, TASK_READY, TASK_SUSPENDED, KYMO_WHY_SUSPENDED, 210);
    change(run, &task, TASK_WAITING, TASK_READY, KYMO_WHY_SUSPENDED, 220);
    run_on(run, &task, 0, 300);
    change(run, &task, TASK_READY, TASK_RUNNING, KYMO_WHY_UNKNOWN, 300);
    change(run, &task, TASK_RUNNING, TASK_WAITING, KYMO_WHY_DELAY, 400);
    run_on(run, &core0, 0, 400);
    change(run, &task, TASK_WAITING, TASK_READY, KYMO_WHY_DELAY, 500);
    end(run);
    assert_int_equal(run->peer->counts.wakeups, 2);
    tracy_run_free(run);
}

CASE(the_last_run_lasts_to_the_last_event) {
    static struct track other = {5, 0, 0, KYMO_CONTEXT_TASK, "other", NULL, NULL, 0};
    struct tracy_run *run = start(82);
    run_on(run, &task, 0, 100);
    change(run, &task, TASK_READY, TASK_RUNNING, KYMO_WHY_UNKNOWN, 100);
    change(run, &other, TASK_WAITING, TASK_READY, KYMO_WHY_DELAY, 1100);
    end(run);
    assert_int_equal(tracy_peer_ran_ns(run->peer, task.id), 1000);
    tracy_run_free(run);
}

/* A task's state is not known after a gap, and nothing says that it was woken before it left. */
CASE(a_gap_has_no_reason) {
    struct tracy_run *run = start(82);
    struct event gap = {.kind = EVENT_GAP, .time_ns = 900, .track = &task};
    gap.u.gap.start_ns = 300;
    run_on(run, &task, 0, 100);
    change(run, &task, TASK_UNKNOWN, TASK_RUNNING, KYMO_WHY_UNKNOWN, 100);
    change(run, &task, TASK_RUNNING, TASK_UNKNOWN, KYMO_WHY_LOCK, 300);
    assert_int_equal(tracy_run_event(run, &gap), 0);
    tracy_run_pump(run);
    const struct peer_external *row = tracy_peer_row(run->peer, task.id);
    assert_int_equal(row->reason, 100);
    assert_int_equal(row->state, 100);
    change(run, &task, TASK_WAITING, TASK_READY, KYMO_WHY_LOCK, 200); /* late: it runs */
    end(run);
    assert_int_equal(run->peer->counts.wakeups, 0);
    tracy_run_free(run);
}
