/* SPDX-License-Identifier: MIT */
/* The states of a kernel's tasks, as its hooks report them to the timeline: states that hooks
 * leave out, say twice or say too late, played by name. */
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "kymo/wire.h"
#include "legal_events.h"
#include "model/objects.h"
#include "model/timeline.h"
#include "wire/site_entry.h"

#define HZ UINT64_C(1000000000) /* ticks are nanoseconds */
#define LANES 2u
#define SEEN 64u

/* References of contexts as they travel; sites are even. */
enum { MAIN = 1, LOW = 17, MIDDLE = 33, HIGH = 49, TICK = 0, UART = 2 };
enum { BUS = 0x1000, OTHER_BUS = 0x2000, QUEUE = 0x3000 };

static struct names *names;
static struct clockfit board_clock;
static struct timeline *timeline;
static struct legal legal;
static uint64_t now;
static uint64_t events[LANES];

/* The changes of states since the last look, with the names that they have. */
static struct event seen[SEEN];
static uint32_t seen_count, all_count;

static int on_event(void *context, const struct event *event) {
    const char *wrong = legal_event(&legal, event);
    (void)context;
    if (wrong != NULL) {
        fail_msg("%s", wrong);
    }
    if (event->kind == EVENT_TASK) {
        seen[seen_count++ % SEEN] = *event;
        all_count++;
    }
    return 0;
}

static void name_site(uint32_t site, const char *name) {
    const struct site_entry entry = {.kind = KYMO_SITE_CONTEXT,
                                     .detail = KYMO_CONTEXT_INTERRUPT,
                                     .name = name,
                                     .name_bytes = strlen(name),
                                     .function = "",
                                     .file = ""};
    (void)names_define(names, 0, site, &entry);
}

static void packet(uint32_t lane, uint32_t context) {
    const struct wire_head head = {.lane = lane,
                                   .slots = 8,
                                   .count = 1,
                                   .first = events[lane],
                                   .ticks = now,
                                   .context = context};
    (void)timeline_order(timeline, &head);
    assert_int_equal(timeline_packet(timeline, &head), 0);
}

FIXTURE(setup) {
    board_clock = (struct clockfit){.board_hz = HZ};
    now = 1000;
    seen_count = all_count = 0;
    memset(events, 0, sizeof events);
    names = names_new();
    timeline = timeline_new(names, &board_clock, on_event, NULL);
    name_site(TICK / 2, "tick");
    name_site(UART / 2, "uart");
    assert_int_equal(timeline_session(timeline, "image", NULL, 0), 0);
    for (uint32_t lane = 0; lane < LANES; lane++) {
        packet(lane, MAIN);
    }
    return 0;
}

FIXTURE(teardown) {
    assert_int_equal(timeline_end(timeline), 0);
    assert_null(legal_end(&legal));
    legal_free(&legal);
    timeline_free(timeline);
    names_free(names);
    return 0;
}

/* ---- the kernel ---- */

static void send(uint32_t lane, uint8_t kind, uint32_t reference, uint32_t a, uint32_t b) {
    const struct wire_event event = {
        .kind = kind, .reference = reference, .ticks = now, .words = 2, .word = {a, b}};
    events[lane] += KYMO_KIND_IS_COUNTED(kind) ? 1 : 0;
    assert_int_equal(timeline_wire_event(timeline, lane, &event), 0);
}

static void run(uint32_t task) { send(0, KYMO_KIND_CONTEXT, task, 0, 0); }
static void ready(uint32_t task) { send(0, KYMO_KIND_TASK_READY, task, 0, 0); }
static void wait_for(uint32_t object, enum kymo_why why) {
    send(0, KYMO_KIND_TASK_WAITS, object, why, 0);
}
static void take(uint32_t lock) { send(0, KYMO_KIND_LOCK_OBTAIN, lock, 0, 0); }
static void give(uint32_t lock) { send(0, KYMO_KIND_LOCK_RELEASE, lock, 0, 0); }

static void create(uint32_t task, const char *name, uint32_t priority) {
    struct wire_event event = {.kind = KYMO_KIND_CONTEXT_NAME,
                               .reference = task,
                               .ticks = now,
                               .words = 4,
                               .word = {KYMO_CONTEXT_TASK, (uint32_t)strlen(name), 0, 0}};
    memcpy(&event.word[2], name, strlen(name));
    assert_int_equal(timeline_wire_event(timeline, 0, &event), 0);
    send(0, KYMO_KIND_TASK_PRIORITY, task, priority, KYMO_PRIORITY_SET);
}

/* Three of them, of which the low one runs, and the others wait. */
static void three_tasks(void) {
    create(LOW, "low", 1);
    create(MIDDLE, "middle", 2);
    create(HIGH, "high", 3);
    run(MIDDLE);
    wait_for(0, KYMO_WHY_DELAY);
    run(HIGH);
    wait_for(0, KYMO_WHY_DELAY);
    run(LOW);
    seen_count = 0;
}

/* The change of that number since the last look. */
static const struct event *change(uint32_t number, const char *name, enum task_state state) {
    assert_true(number < seen_count);
    assert_string_equal(seen[number].track->name, name);
    assert_string_equal(task_state_word((enum task_state)seen[number].u.task.state),
                        task_state_word(state));
    return &seen[number];
}

static void no_more(uint32_t count) {
    assert_int_equal(seen_count, count);
    seen_count = 0;
}

/* ---- scenes ---- */

CASE(woken_and_preempted, setup, teardown) {
    three_tasks();
    now += 100;
    ready(HIGH);
    const struct event *event = change(0, "high", TASK_READY);
    assert_true(event->u.task.woken);
    assert_string_equal(event->u.task.other->name, "low");
    assert_int_equal(event->u.task.before, TASK_WAITING);
    assert_int_equal(event->u.task.why, KYMO_WHY_DELAY);
    now += 7;
    run(HIGH);
    event = change(1, "low", TASK_READY);
    assert_false(event->u.task.woken);
    event = change(2, "high", TASK_RUNNING);
    assert_true(event->u.task.woken);
    assert_int_equal(event->time_ns - event->u.task.since_ns, 7);
    assert_int_equal(event->u.task.priority, 3);
    wait_for(QUEUE, KYMO_WHY_EMPTY);
    now += 3;
    run(LOW);
    event = change(3, "high", TASK_WAITING);
    assert_int_equal(event->object->identity, QUEUE);
    assert_int_equal(event->u.task.why, KYMO_WHY_EMPTY);
    assert_false(change(4, "low", TASK_RUNNING)->u.task.woken); /* waited for its turn */
    no_more(5);
}

/* The call says what it will wait for, and is preempted before it does; an item put meanwhile cancels the wait. */
CASE(preempted_between_call_and_wait, setup, teardown) {
    three_tasks();
    wait_for(QUEUE, KYMO_WHY_EMPTY);
    ready(LOW);
    run(HIGH);
    (void)change(0, "low", TASK_READY);
    (void)change(1, "high", TASK_RUNNING);
    run(LOW);
    seen_count = 0;
    wait_for(QUEUE, KYMO_WHY_EMPTY);
    run(HIGH);
    (void)change(0, "low", TASK_WAITING);
}

/* An interrupt puts something while the scheduler is suspended: the task that resumes it reports the wake-up. */
CASE(put_by_an_interrupt_while_the_scheduler_is_suspended, setup, teardown) {
    three_tasks();
    run(HIGH);
    wait_for(QUEUE, KYMO_WHY_EMPTY);
    run(LOW);
    seen_count = 0;
    now += 50;
    run(UART);
    send(0, KYMO_KIND_OBJECT_PUT, QUEUE, 1, 0);
    run(LOW);
    now += 30;
    ready(HIGH);
    const struct event *event = change(0, "high", TASK_READY);
    assert_string_equal(event->u.task.other->name, "uart");
    assert_int_equal(event->time_ns - event->u.task.since_ns, 50);
    no_more(1);
}

CASE(ready_of_what_is_ready_is_no_wake_up, setup, teardown) {
    three_tasks();
    ready(LOW); /* it runs: inherits */
    send(0, KYMO_KIND_TASK_PRIORITY, LOW, 3, KYMO_PRIORITY_INHERITED);
    ready(MIDDLE);
    ready(MIDDLE);
    (void)change(0, "middle", TASK_READY);
    no_more(1);
    run(MIDDLE);
    const struct event *event = change(0, "low", TASK_READY);
    assert_int_equal(event->u.task.base, 1);
    assert_int_equal(event->u.task.priority, 3);
}

CASE(interrupts_change_no_state, setup, teardown) {
    three_tasks();
    run(TICK);
    run(UART);
    send(0, KYMO_KIND_TASK_READY, HIGH, 16, 0); /* by an interrupt without a context */
    run(TICK);
    ready(MIDDLE);
    run(LOW);
    assert_true(change(0, "high", TASK_READY)->u.task.interrupt);
    assert_null(seen[0].u.task.other);
    assert_string_equal(change(1, "middle", TASK_READY)->u.task.other->name, "tick");
    no_more(2);
    run(TICK);
    run(HIGH); /* straight from the interrupt */
    (void)change(0, "low", TASK_READY);
    (void)change(1, "high", TASK_RUNNING);
    no_more(2);
}

/* It runs on until the switch, also across an interrupt; the next one of its address is another. */
CASE(ends_while_it_runs, setup, teardown) {
    three_tasks();
    send(0, KYMO_KIND_CONTEXT_END, LOW, 0, 0);
    run(TICK);
    run(LOW);
    assert_int_equal(seen_count, 0);
    run(HIGH);
    (void)change(0, "low", TASK_OVER);
    now++;
    create(LOW, "next", 1);
    ready(LOW);
    assert_int_equal(change(2, "next", TASK_READY)->u.task.before, TASK_UNKNOWN);
    assert_true(seen[2].track != seen[0].track);
}

CASE(says_that_it_ends, setup, teardown) {
    three_tasks();
    wait_for(0, KYMO_WHY_OVER);
    run(HIGH);
    (void)change(0, "low", TASK_OVER);
    send(0, KYMO_KIND_CONTEXT_END, LOW, 0, 0);
    assert_int_equal(seen_count, 2);
}

CASE(lock_has_waiter_and_holder, setup, teardown) {
    three_tasks();
    take(BUS);
    ready(HIGH);
    run(HIGH);
    seen_count = 0;
    wait_for(BUS, KYMO_WHY_LOCK);
    run(LOW);
    const struct event *event = change(0, "high", TASK_WAITING);
    assert_string_equal(event->u.task.other->name, "low");
    assert_false(event->u.task.deadlock);
    give(BUS);
    seen_count = 0;
    run(MIDDLE);
    wait_for(BUS, KYMO_WHY_LOCK); /* in which nobody holds it */
    run(LOW);
    assert_null(change(2, "middle", TASK_WAITING)->u.task.other);
}

CASE(deadlock_of_three, setup, teardown) {
    static const uint32_t tasks[] = {LOW, MIDDLE, HIGH}, locks[] = {BUS, OTHER_BUS, QUEUE};
    three_tasks();
    for (uint32_t i = 0; i < 3; i++) {
        run(tasks[i]);
        take(locks[i]);
    }
    for (uint32_t i = 0; i < 3; i++) {
        run(tasks[i]);
        wait_for(locks[(i + 1) % 3], KYMO_WHY_LOCK);
        seen_count = 0;
        run(MAIN);
        const char *const name[] = {"low", "middle", "high"};
        const struct event *event = change(0, name[i], TASK_WAITING);
        assert_string_equal(event->u.task.other->name, name[(i + 1) % 3]);
        assert_int_equal(event->u.task.deadlock, i == 2);
    }
}

/* Each of them would wait for the other, but the first stops waiting after 10 ticks, and so does
 * a task that waits for a lock it holds itself. */
CASE(waits_with_a_limit_are_no_deadlock, setup, teardown) {
    three_tasks();
    run(LOW);
    take(BUS);
    send(0, KYMO_KIND_TASK_WAITS, BUS, KYMO_WHY_LOCK | 10u << KYMO_WHY_TICKS_SHIFT, 0);
    run(MIDDLE);
    assert_false(change(0, "low", TASK_WAITING)->u.task.deadlock);
    take(OTHER_BUS);
    ready(LOW);
    run(LOW);
    send(0, KYMO_KIND_TASK_WAITS, OTHER_BUS, KYMO_WHY_LOCK | 10u << KYMO_WHY_TICKS_SHIFT, 0);
    run(MIDDLE);
    wait_for(BUS, KYMO_WHY_LOCK);
    seen_count = 0;
    run(MAIN);
    assert_false(change(0, "middle", TASK_WAITING)->u.task.deadlock);
}

/* Lost events belong to no task: the current run ends at the loss, and the other tasks' states are unknown. */
CASE(lost_events_make_states_unknown, setup, teardown) {
    three_tasks();
    const uint64_t before = now;
    now += 1000;
    const struct wire_event loss = {
        .kind = KYMO_KIND_LOSS, .ticks = now, .words = 3, .word = {40, 900, 0}};
    assert_int_equal(timeline_wire_event(timeline, 0, &loss), 0);
    events[0] += 40;
    assert_int_equal(seen_count, 4);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(seen[i].u.task.state, TASK_UNKNOWN);
        assert_int_equal(seen[i].time_ns, (int64_t)before + 100);
    }
    const struct event *event = change(3, "low", TASK_RUNNING);
    assert_int_equal(event->time_ns, (int64_t)now);
    seen_count = 0;
    send(0, KYMO_KIND_CONTEXT_NOW, MIDDLE, 0, 0); /* its switch was refused */
    (void)change(0, "low", TASK_UNKNOWN);
    (void)change(1, "middle", TASK_RUNNING);
    no_more(2);
    run(HIGH);
    (void)change(0, "middle", TASK_READY);
    assert_false(change(1, "high", TASK_RUNNING)->u.task.woken);
}

CASE(lost_packets_make_states_unknown, setup, teardown) {
    three_tasks();
    events[0] += 10;
    now += 500;
    packet(0, MIDDLE);
    assert_int_equal(seen[0].u.task.state, TASK_UNKNOWN);
    assert_int_equal(seen[2].u.task.state, TASK_UNKNOWN);
    (void)change(3, "middle", TASK_RUNNING);
    no_more(4);
}

/* A task that runs on one core may become ready by the other, and move without having left. */
CASE(two_cores, setup, teardown) {
    three_tasks();
    send(1, KYMO_KIND_CONTEXT, MIDDLE, 0, 0);
    seen_count = 0;
    ready(MIDDLE); /* it runs */
    no_more(0);
    send(1, KYMO_KIND_TASK_WAITS, 0, KYMO_WHY_NOTIFICATION, 0);
    send(1, KYMO_KIND_CONTEXT, HIGH, 0, 0);
    (void)change(0, "middle", TASK_WAITING);
    (void)change(1, "high", TASK_RUNNING);
    run(HIGH); /* here, before the other core says what it runs: had it waited, that one had said so */
    (void)change(2, "low", TASK_READY);
    (void)change(3, "high", TASK_READY);
    (void)change(4, "high", TASK_RUNNING);
    /* lost on one lane: the other's running task is known */
    seen_count = 0;
    const struct wire_event loss = {.kind = KYMO_KIND_LOSS, .ticks = now, .words = 1, .word = {4}};
    assert_int_equal(timeline_wire_event(timeline, 1, &loss), 0);
    events[1] += 4;
    assert_int_equal(seen[0].u.task.state, TASK_UNKNOWN);
    assert_int_equal(seen[1].u.task.state, TASK_UNKNOWN);
    assert_int_equal(seen_count, 2); /* low and middle */
}

CASE(one_task_on_two_cores_when_reports_begin, setup, teardown) {
    run(LOW);
    send(1, KYMO_KIND_CONTEXT, LOW, 0, 0);
    seen_count = 0;
    ready(HIGH);
    assert_int_equal(seen[0].u.task.state, TASK_RUNNING);
    for (uint32_t i = 1; i < seen_count; i++) {
        assert_ptr_not_equal(seen[i].track, seen[0].track);
    }
}

/* A kernel without hooks of its own: the reason why a task leaves is unknown. */
CASE(nothing_is_told_of_switches_alone, setup, teardown) {
    run(LOW);
    run(HIGH);
    send(0, KYMO_KIND_CONTEXT_END, HIGH, 0, 0);
    assert_int_equal(all_count, 0);
}

/* Thousands of them, of any numbers; each loss costs no more than the events received since the last one. */
CASE(thousands_of_tasks, setup, teardown) {
    enum { TASKS = 10000, LOSSES = 2000 };
    for (uint32_t i = 0; i < TASKS; i++) {
        const uint32_t task = 1001 + 16 * i;
        now++;
        run(task);
        wait_for(i * 0x1234567u, (enum kymo_why)(i % 300u));
        seen_count = 0;
    }
    all_count = 0;
    for (uint32_t i = 0; i < LOSSES; i++) {
        const struct wire_event loss = {
            .kind = KYMO_KIND_LOSS, .ticks = now, .words = 1, .word = {1}};
        assert_int_equal(timeline_wire_event(timeline, 0, &loss), 0);
        events[0]++;
        seen_count = 0;
    }
    assert_true(all_count < TASKS + 2 * LOSSES + 3);
}
