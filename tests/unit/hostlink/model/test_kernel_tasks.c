/* SPDX-License-Identifier: MIT */
/* A kernel of the test's own, which reports its tasks like the hooks of real ones: early, twice,
 * not in pairs. It knows the truth; hostlink must come to the same from the recorder's stream. */
#include <string.h>

#include "cases.h"
#include "kymo/tasks.h"
#include "kymo_arch.h"
#include "trace.h"
#include "trace/pipeline.h"

#define LIVES 40u
#define SEEN 4096u
#define HZ 1000000u

enum { LOW = 1, MIDDLE, HIGH, BRIEF };
enum { QUEUE = 0x20001000, STREAM = 0x20002000 };
enum { TICK = 15, UART = 21 };

KYMO_CONTEXT(tick, "tick", KYMO_CONTEXT_INTERRUPT);
KYMO_CONTEXT(uart, "uart", KYMO_CONTEXT_INTERRUPT);

/* ---- arrived states ---- */

static struct pipeline *pipeline;
static bool connected, was_late;

/* A change of a task's state. */
static struct seen {
    const struct track *track;
    const char *object; /* that it waits for */
    struct event event;
} seen[SEEN];
static uint32_t seen_count, looked_at;
static struct event period; /* that a task has, as told last */
static const struct board_info *board;

static int on_event(void *context, const struct event *event) {
    (void)context;
    if (event->kind == EVENT_SESSION) {
        board = event->u.session.info;
    } else if (event->kind == EVENT_TASK_PERIOD) {
        period = *event;
    } else if (event->kind == EVENT_TASK) {
        assert_true(seen_count < SEEN);
        seen[seen_count++] =
            (struct seen){event->track, event->object != NULL ? event->object->name : "", *event};
    }
    return 0;
}

static size_t deliver(void *context, const uint8_t *bytes, size_t length) {
    (void)context;
    if (connected) {
        assert_int_equal(pipeline_feed(pipeline, bytes, length), 0);
    }
    return length;
}

static size_t from_host(void *context, uint8_t *bytes, size_t length) {
    (void)context, (void)bytes, (void)length;
    return 0;
}

static const struct kymo_transport transport = {.write = deliver, .read = from_host};

/* A status says of the lane without events that it has none: then hostlink shows those of the other. */
static void arrive(void) {
    fake.lane = 0u;
    while (kymo_drain(0u)) {}
    fake.clock += HZ;
    while (kymo_drain(0u)) {}
}

/* The next change that arrived. */
static const struct event *change(const char *name, enum task_state state) {
    arrive();
    assert_true(looked_at < seen_count);
    const struct event *event = &seen[looked_at++].event;
    assert_string_equal(event->track->name, name);
    assert_string_equal(task_state_word((enum task_state)event->u.task.state),
                        task_state_word(state));
    return event;
}

static void waits(const char *name, enum kymo_why why, uintptr_t object) {
    const struct event *event = change(name, TASK_WAITING);
    assert_int_equal(event->u.task.why, why);
    assert_int_equal(event->object != NULL ? event->object->identity : 0u, object);
}

static void no_more(void) {
    arrive();
    assert_int_equal(looked_at, seen_count);
}

static void look_away(void) {
    arrive();
    looked_at = seen_count;
}

/* ---- the kernel ---- */

static kymo_context of(uint32_t number) { return kymo_task_numbered(number); }
static void ready(uint32_t number) { kymo_task_ready(of(number), KYMO_WAKER_RUNS); }

static void create(uint32_t number, const char *name) {
    kymo_task_new(of(number), KYMO_CONTEXT_TASK, name, (int32_t)number);
    ready(number);
}

/* The scheduler: the running task goes on to be ready, or waits. */
static void preempt(uint32_t next) {
    kymo_task_out(true, 0u);
    kymo_task_in(of(next));
}
static void wait_until(uint32_t next) {
    kymo_task_out(false, 0u);
    kymo_task_in(of(next));
}
static void delay(uint32_t next) {
    kymo_task_why(KYMO_WHY_DELAY, 0u);
    wait_until(next);
}

FIXTURE(power_up) {
    const struct pipeline_callbacks callbacks = {.event = on_event};
    trace_power_up();
    fake_reset();
    fake.clock_hz = HZ;
    seen_count = looked_at = 0u;
    connected = true;
    was_late = false;
    pipeline = pipeline_new(&callbacks, NULL);
    return 0;
}

static int start(void **state) {
    (void)power_up(state);
    kymo_init(&transport, "kernel");
    kymo_tasks_kernel("kernel 1.2", 1000u, true);
    kymo_task_object(QUEUE, KYMO_OBJECT_QUEUE, "rx");
    kymo_task_object(STREAM, KYMO_OBJECT_STREAM, NULL);
    create(LOW, "low");
    create(MIDDLE, "middle");
    create(HIGH, "high");
    kymo_task_in(of(HIGH));
    delay(MIDDLE);
    delay(LOW);
    look_away();
    return 0;
}

/* For the next test: no lane runs a task, and no name is kept. */
static void forget_tasks(void) {
    uint32_t place = 0u;
    kymo_context task;
    const char *name;
    for (uint32_t lane = 0u; lane < KYMO_LANES; lane++) {
        fake.lane = lane;
        kymo_task_why_ends();
        kymo_task_out(true, 0u);
        kymo_task_in(of(0u));
    }
    while (kymo_task_at(&place, &task, &name)) {
        kymo_task_ends(task);
    }
    kymo_task_object_over(QUEUE);
    kymo_task_object_over(STREAM);
}

FIXTURE(stop) {
    struct pipeline_totals totals;
    kymo_finish();
    arrive();
    assert_int_equal(pipeline_end(pipeline), 0);
    pipeline_totals(pipeline, &totals);
    assert_true(totals.repairs == 0 || was_late);
    pipeline_free(pipeline);
    forget_tasks();
    return 0;
}

/* ---- scenes ---- */

CASE(wakes_and_waits, start, stop) {
    ready(HIGH);
    preempt(HIGH);
    const struct event *event = change("high", TASK_READY);
    assert_true(event->u.task.woken);
    assert_string_equal(event->u.task.other->name, "low");
    (void)change("low", TASK_READY);
    (void)change("high", TASK_RUNNING);
    kymo_task_why(KYMO_WHY_EMPTY, QUEUE);
    wait_until(LOW);
    waits("high", KYMO_WHY_EMPTY, QUEUE);
    assert_string_equal(seen[looked_at - 1u].object, "rx");
    (void)change("low", TASK_RUNNING);
    no_more();
}

/* Hooks tell of a switch also where the same task goes on. */
CASE(same_task_is_no_switch, start, stop) {
    preempt(LOW);
    preempt(LOW);
    no_more();
}

/* The reason is that of the switch, not of the call. */
CASE(preempted_between_call_and_wait, start, stop) {
    ready(HIGH);
    kymo_task_why_of_call(KYMO_WHY_EMPTY, STREAM);
    preempt(HIGH);
    kymo_task_new(of(LOW), KYMO_CONTEXT_TASK, "low",
                  LOW); /* a name that comes again changes nothing */
    look_away();
    delay(LOW);
    waits("high", KYMO_WHY_DELAY, 0u);
    (void)change("low", TASK_RUNNING);
    kymo_task_why(KYMO_WHY_NOTIFICATION, 0u); /* by which the call waits */
    wait_until(MIDDLE);
    waits("low", KYMO_WHY_EMPTY, STREAM);
}

/* And the call's reason is over with it, though it did not wait. */
CASE(call_that_need_not_wait, start, stop) {
    kymo_task_why_of_call(KYMO_WHY_EMPTY, STREAM);
    kymo_task_why_ends();
    kymo_task_why(KYMO_WHY_NOTIFICATION, 0u);
    wait_until(MIDDLE);
    waits("low", KYMO_WHY_NOTIFICATION, 0u);
}

/* Something comes before the switch: the task takes it, and waits for another thing later. */
CASE(wait_that_is_taken_back, start, stop) {
    kymo_task_why(KYMO_WHY_EMPTY, QUEUE);
    ready(LOW);
    preempt(MIDDLE);
    (void)change("low", TASK_READY);
    (void)change("middle", TASK_RUNNING);
    preempt(LOW);
    look_away();
    wait_until(MIDDLE);
    waits("low", KYMO_WHY_UNKNOWN, 0u);
}

/* The hook of a wake-up also comes for a task that inherits a priority, ready or running. */
CASE(inheritance_is_no_wake_up, start, stop) {
    ready(MIDDLE);
    (void)change("middle", TASK_READY);
    kymo_task_priority(of(LOW), HIGH, KYMO_PRIORITY_INHERITED);
    ready(LOW);
    ready(MIDDLE);
    preempt(MIDDLE);
    const struct event *event = change("low", TASK_READY);
    assert_false(event->u.task.woken);
    assert_int_equal(event->u.task.priority, HIGH);
    assert_int_equal(event->u.task.base, LOW);
    (void)change("middle", TASK_RUNNING);
    no_more();
}

/* The scheduler is suspended while an interrupt puts something: the task that resumes it reports the wake-up. */
CASE(interrupt_under_a_suspended_scheduler, start, stop) {
    ready(HIGH);
    preempt(HIGH);
    kymo_task_why(KYMO_WHY_EMPTY, QUEUE);
    wait_until(LOW);
    look_away();
    kymo_irq_enter((kymo_context)&uart, UART);
    kymo_task_put(QUEUE, 1u);
    kymo_irq_leave(UART);
    ready(HIGH);
    assert_string_equal(change("high", TASK_READY)->u.task.other->name, "uart");
}

/* One without a context is never taken for the task that it interrupts. */
CASE(interrupt_wakes, start, stop) {
    kymo_task_ready(of(HIGH), TICK + 1u);
    const struct event *event = change("high", TASK_READY);
    assert_true(event->u.task.interrupt);
    assert_null(event->u.task.other);
    kymo_irq_enter((kymo_context)&tick, TICK);
    kymo_task_ready(of(MIDDLE), TICK + 1u);
    kymo_irq_leave(TICK);
    event = change("middle", TASK_READY);
    assert_string_equal(event->u.task.other->name, "tick");
    no_more();
}

/* An exit without an entry, and one of an interrupt in another. */
CASE(lone_exits, start, stop) {
    kymo_irq_leave(UART);
    kymo_irq_enter((kymo_context)&tick, TICK);
    kymo_irq_leave(UART);
    kymo_irq_enter((kymo_context)&uart, UART);
    kymo_irq_leave(UART);
    kymo_irq_leave(UART);
    kymo_task_ready(of(HIGH), TICK + 1u);
    kymo_irq_leave(TICK);
    assert_string_equal(change("high", TASK_READY)->u.task.other->name, "tick");
    ready(MIDDLE);
    assert_string_equal(change("middle", TASK_READY)->u.task.other->name, "low");
}

CASE(too_deep_interrupts_come_back, start, stop) {
    for (uint32_t i = 0u; i < LIVES; i++) {
        kymo_irq_enter((kymo_context)&uart, i);
    }
    for (uint32_t i = LIVES; i > 0u; i--) {
        kymo_irq_leave(i - 1u);
    }
    ready(HIGH);
    assert_string_equal(change("high", TASK_READY)->u.task.other->name, "low");
}

/* It runs on until the switch, also across an interrupt. A thread made in its place is another task. */
CASE(forty_lives_end_themselves, start, stop) {
    const struct track *before = NULL;
    for (uint32_t life = 0u; life < LIVES; life++) {
        create(BRIEF + life, "brief");
        look_away();
        preempt(BRIEF + life);
        (void)change("low", TASK_READY);
        const struct track *track = change("brief", TASK_RUNNING)->track;
        assert_true(track != before);
        kymo_task_ends(of(BRIEF + life));
        kymo_irq_enter((kymo_context)&tick, TICK);
        kymo_irq_leave(TICK);
        no_more();
        wait_until(LOW);
        assert_true(change("brief", TASK_OVER)->track == track);
        (void)change("low", TASK_RUNNING);
        no_more();
        before = track;
    }
}

CASE(other_task_is_deleted, start, stop) {
    kymo_task_ends(of(HIGH));
    assert_int_equal(change("high", TASK_OVER)->u.task.before, TASK_WAITING);
    no_more();
}

/* Whether it is ready, waits or is suspended already, until it is resumed. */
CASE(other_task_is_suspended, start, stop) {
    ready(MIDDLE);
    look_away();
    kymo_task_suspended(of(MIDDLE));
    kymo_task_suspended(of(MIDDLE));
    const struct event *event = change("middle", TASK_SUSPENDED);
    assert_int_equal(event->u.task.before, TASK_READY);
    assert_int_equal(event->u.task.why, KYMO_WHY_SUSPENDED);
    kymo_task_suspended(of(HIGH));
    event = change("high", TASK_SUSPENDED);
    assert_int_equal(event->u.task.before, TASK_WAITING);
    ready(MIDDLE);
    event = change("middle", TASK_READY);
    assert_true(event->u.task.woken);
    assert_string_equal(event->u.task.other->name, "low");
    kymo_task_ends(of(HIGH));
    kymo_task_suspended(of(HIGH));
    (void)change("high", TASK_OVER);
    kymo_task_suspended(of(LOW)); /* which runs */
    preempt(MIDDLE);
    (void)change("low", TASK_READY);
    (void)change("middle", TASK_RUNNING);
    no_more();
}

/* It leaves its core a little later, unless it is resumed before. */
CASE(task_on_another_core_is_suspended, start, stop) {
    ready(MIDDLE);
    ready(HIGH);
    fake.lane = 1u;
    kymo_task_in(of(MIDDLE));
    look_away();
    kymo_task_suspended(of(MIDDLE));
    fake.clock++;
    fake.lane = 1u;
    wait_until(HIGH);
    (void)change("middle", TASK_SUSPENDED);
    (void)change("high", TASK_RUNNING);
    kymo_task_suspended(of(HIGH));
    fake.clock++;
    ready(HIGH);
    fake.clock++;
    fake.lane = 1u;
    wait_until(MIDDLE); /* nobody said why */
    waits("high", KYMO_WHY_UNKNOWN, 0u);
    (void)change("middle", TASK_RUNNING);
    no_more();
}

/* A task becomes ready while it runs on the other core, and moves without a wake-up. */
CASE(two_cores, start, stop) {
    ready(MIDDLE);
    fake.lane = 1u;
    kymo_task_in(of(MIDDLE));
    look_away();
    ready(MIDDLE);
    fake.lane = 1u;
    kymo_task_why(KYMO_WHY_NOTIFICATION, 0u);
    fake.lane = 0u;
    kymo_task_why(KYMO_WHY_DELAY, 0u); /* of the task here */
    fake.lane = 1u;
    ready(HIGH);
    wait_until(HIGH);
    fake.lane = 0u;
    (void)kymo_context_switch(of(LOW)); /* lets the other lane's events out */
    assert_string_equal(change("high", TASK_READY)->u.task.other->name, "middle");
    waits("middle", KYMO_WHY_NOTIFICATION, 0u);
    (void)change("high", TASK_RUNNING);
}

/* The kernel's lock is free before its hook tells what the core runs next. The task that left
 * may be woken, and run elsewhere. */
CASE(leaves_one_core_while_another_takes_it, start, stop) {
    fake.lane = 1u;
    kymo_task_in(of(MIDDLE));
    look_away();
    kymo_task_why(KYMO_WHY_EMPTY, QUEUE);
    kymo_task_out(false, 0u);
    fake.lane = 1u;
    fake.clock++;
    ready(LOW);
    kymo_task_out(true, 0u);
    kymo_task_in(of(LOW));
    fake.lane = 0u;
    fake.clock++;
    kymo_task_in(of(HIGH));
    fake.lane = 1u;
    fake.clock++;
    kymo_task_out(true, 0u);
    fake.lane = 0u;
    kymo_task_out(true, 0u);
    kymo_task_in(of(LOW));
    fake.lane = 1u;
    fake.clock++;
    kymo_task_in(of(HIGH));
    waits("low", KYMO_WHY_EMPTY, QUEUE);
    assert_string_equal(change("low", TASK_READY)->u.task.other->name, "middle");
    (void)change("middle", TASK_READY);
    (void)change("low", TASK_RUNNING);
    (void)change("high", TASK_RUNNING);
    (void)change("high", TASK_READY);
    (void)change("low", TASK_READY); /* it did not wait, or its core had said so */
    (void)change("low", TASK_RUNNING);
    (void)change("high", TASK_RUNNING);
    no_more();
}

/* The time in which events were lost belongs to no task: each is unknown from its begin on,
 * until an event names it again. */
CASE(lost_events_leave_no_task_running, start, stop) {
    was_late = true; /* a ring that was full */
    for (uint32_t i = 0u; i < 2000u; i++) {
        fake.clock += 10u;
        ready(HIGH);
        preempt(HIGH);
        delay(LOW);
    }
    arrive();
    ready(MIDDLE);
    arrive();
    uint32_t unknown = 0u;
    for (uint32_t i = looked_at; i < seen_count; i++) {
        const struct event *event = &seen[i].event;
        const int64_t after_ns = event->time_ns - seen[looked_at].event.time_ns;
        if (event->u.task.state == TASK_UNKNOWN) {
            unknown++;
            assert_true(after_ns < 10000000);
        } else if (unknown != 0u) { /* woken after the gap, or running on the lane there */
            assert_true(after_ns > 19000000);
        }
    }
    assert_int_equal(unknown, 3u);
    look_away();
}

/* More than one switch in a tick of the clock. */
CASE(slow_clock_has_every_switch, start, stop) {
    for (uint32_t i = 0u; i < 100u; i++) {
        ready(HIGH);
        preempt(HIGH);
        delay(LOW);
    }
    for (uint32_t i = 0u; i < 100u; i++) {
        assert_true(change("high", TASK_READY)->u.task.woken);
        (void)change("low", TASK_READY);
        (void)change("high", TASK_RUNNING);
        waits("high", KYMO_WHY_DELAY, 0u);
        (void)change("low", TASK_RUNNING);
    }
    no_more();
}

/* The names were sent while no host listened. */
CASE(host_comes_late, start, stop) {
    const struct pipeline_callbacks callbacks = {.event = on_event};
    assert_int_equal(pipeline_end(pipeline), 0);
    pipeline_free(pipeline);
    connected = false;
    was_late = true; /* objects that it hears of before their names */
    kymo_task_priority(of(LOW), 9, KYMO_PRIORITY_SET);
    arrive();
    pipeline = pipeline_new(&callbacks, NULL);
    seen_count = looked_at = 0u;
    connected = true;
    for (uint32_t i = 0u; i < 8u; i++) {
        fake.clock += fake.clock_hz;
        ready(HIGH);
        preempt(HIGH);
        kymo_task_why(KYMO_WHY_EMPTY, QUEUE);
        wait_until(LOW);
        arrive();
    }
    look_away();
    ready(HIGH);
    preempt(HIGH);
    (void)change("high", TASK_READY);
    const struct event *event = change("low", TASK_READY);
    assert_int_equal(event->u.task.base, 9);
    (void)change("high", TASK_RUNNING);
    kymo_task_why(KYMO_WHY_EMPTY, QUEUE);
    wait_until(LOW);
    waits("high", KYMO_WHY_EMPTY, QUEUE);
    assert_string_equal(seen[looked_at - 1u].object, "rx");
    assert_true(board->has[KYMO_INFO_KERNEL]);
    assert_string_equal(board->text[KYMO_INFO_KERNEL], "kernel 1.2");
    assert_int_equal(board->number[KYMO_INFO_KERNEL][1], 1000);
}

/* More tasks than names are kept of, and names of any length. */
CASE(more_tasks_than_places, start, stop) {
    static char name[200];
    memset(name, 'n', sizeof name);
    name[sizeof name - 1u] = '\0';
    for (uint32_t i = 0u; i < 1000u; i++) {
        create(BRIEF + i, i % 2u == 0u ? name : NULL);
        preempt(BRIEF + i);
        kymo_task_why_of_call(KYMO_WHY_FULL, STREAM);
        preempt(LOW);
        preempt(BRIEF + i);
        wait_until(LOW);
        if (i % 3u != 0u) {
            kymo_task_ends(of(BRIEF + i));
        }
        arrive();
        looked_at = seen_count = 0u;
    }
}

/* The kernel runs before kymo_init(), and after the end. */
CASE(before_and_after, power_up, stop) {
    KYMO_TASK_PERIOD(1000u, 0u);
    kymo_tasks_kernel("kernel", 0u, false);
    create(LOW, "low");
    create(HIGH, "high");
    kymo_task_in(of(HIGH));
    delay(LOW);
    kymo_init(&transport, "kernel");
    ready(HIGH);
    preempt(HIGH);
    look_away();
    delay(LOW);
    waits("high", KYMO_WHY_DELAY, 0u);
    (void)change("low", TASK_RUNNING);
    kymo_finish();
    KYMO_TASK_PERIOD(1000u, 0u);
    create(MIDDLE, "middle");
    preempt(MIDDLE);
    kymo_task_ends(of(MIDDLE));
    wait_until(LOW);
}

static void has(const char *name, uint32_t period_us, uint32_t deadline_us) {
    arrive();
    assert_string_equal(period.track->name, name);
    assert_int_equal(period.u.period.period_us, period_us);
    assert_int_equal(period.u.period.deadline_us, deadline_us);
}

CASE(periods, start, stop) {
    KYMO_TASK_PERIOD(10000u, 0u);
    has("low", 10000u, 10000u);
    preempt(HIGH);
    KYMO_TASK_PERIOD(UINT32_MAX, 5000u);
    has("high", UINT32_MAX, 5000u);
}

CASE(stack_and_long_waits, start, stop) {
    kymo_task_stack(of(LOW), 420u, 1024u);
    kymo_task_why(KYMO_WHY_SEMAPHORE, 0u);
    kymo_task_out(false, UINT32_MAX);
    kymo_task_in(of(HIGH));
    waits("low", KYMO_WHY_SEMAPHORE, 0u);
}
