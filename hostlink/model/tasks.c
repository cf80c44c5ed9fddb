/* SPDX-License-Identifier: MIT */
#include "model/tasks.h"

#include "base/kinds.h"
#include "model/board_info.h"
#include "model/object_events.h"
#include "model/resolve.h"
#include "model/timeline_rows.h"

/* A cycle of tasks that wait for each other is found if it is no longer. */
#define CHAIN_MAX 16u

static uint32_t word(const struct wire_event *wire, uint32_t index) {
    return index < wire->words ? wire->word[index] : 0;
}

/* Contexts beyond TRACKS_MAX share one track, whose state is unknown. */
static bool is_task(const struct track_state *state) {
    return !state->shared && (state->reference & 1u) != 0 &&
           state->reference != CONTEXT_MAIN_REFERENCE;
}

/* ---- one task ---- */

static void take_out(struct track_task *task) {
    if (task->at != NULL) {
        *task->at = task->next;
        if (task->next != NULL) {
            task->next->task.at = task->at;
        }
        task->at = NULL;
    }
}

static void put_in(struct tasks *tasks, struct track_state *state) {
    struct track_task *task = &state->task;
    if (task->at == NULL) {
        task->at = &tasks->known;
        task->next = tasks->known;
        if (task->next != NULL) {
            task->next->task.at = &task->next;
        }
        tasks->known = state;
    }
}

/* Events about a task have their own order: they also come from other lanes, and move no other event of the task. */
static int send(struct timeline *t, struct track_state *state, struct event *event) {
    struct track_task *task = &state->task;
    int result = state->announced ? 0 : timeline_announce(t, state, event->time_ns);
    event->track = state->track;
    event->time_ns = event->time_ns > task->last_ns ? event->time_ns : task->last_ns;
    task->last_ns = event->time_ns;
    return result != 0 ? result : t->emit(t->context, event);
}

/* "task" has all new values but the time. */
static int change(struct timeline *t, struct track_state *state, enum task_state to,
                  int64_t time_ns) {
    struct track_task *task = &state->task;
    const bool waits = to == TASK_WAITING || to == TASK_SUSPENDED;
    struct event event = {.kind = EVENT_TASK, .time_ns = time_ns};
    event.object = waits && task->object != NULL ? &task->object->object : NULL;
    event.u.task.state = (uint8_t)to;
    event.u.task.before = (uint8_t)task->state;
    event.u.task.why = task->why;
    event.u.task.woken = task->woken;
    event.u.task.guess = task->guess;
    event.u.task.has_base = task->has_base;
    event.u.task.base = task->base;
    event.u.task.priority = task->priority;
    event.u.task.greater_first =
        t->info == NULL ||
        (t->info->number[KYMO_INFO_KERNEL][0] & KYMO_KERNEL_GREATER_FIRST) != 0 ||
        !t->info->has[KYMO_INFO_KERNEL];
    event.u.task.since_ns = task->since_ns;
    event.u.task.other = task->other;
    event.u.task.deadlock = waits && task->deadlock;
    event.u.task.interrupt = task->interrupt;
    task->state = to;
    task->leaves = task->suspends = false;
    if (to == TASK_UNKNOWN || to == TASK_OVER) {
        take_out(task);
    } else {
        put_in(&t->tasks, state);
    }
    const int result = send(t, state, &event);
    task->since_ns = event.time_ns;
    return result;
}

static int becomes_unknown(struct timeline *t, struct track_state *state, int64_t time_ns) {
    state->task.other = NULL;
    state->task.woken = state->task.guess = state->task.deadlock = state->task.interrupt = false;
    return change(t, state, TASK_UNKNOWN, time_ns);
}

/* ---- what it waits for ---- */

/* A chain of waiting tasks leads from the lock that it waits for to one that it holds itself. A wait with a limit
 * breaks the chain. */
static bool is_deadlock(const struct track_state *state, const struct track_state *holder) {
    for (uint32_t i = 0; i < CHAIN_MAX && holder != NULL && holder != state; i++) {
        const struct track_task *task = &holder->task;
        const bool locked =
            task->state == TASK_WAITING && task->why == KYMO_WHY_LOCK && !task->limited;
        holder = locked && task->object != NULL ? objects_holder(task->object) : NULL;
    }
    return holder == state;
}

static int waits(struct timeline *t, struct track_state *state, int64_t time_ns) {
    struct track_task *task = &state->task;
    const struct track *other = NULL;
    task->object = task->object != NULL && !task->object->ended ? task->object : NULL;
    task->guess = task->deadlock = false;
    if (task->object != NULL && task->why == KYMO_WHY_LOCK) {
        const struct track_state *holder = objects_holder(task->object);
        other = holder != NULL ? holder->track : NULL;
        task->deadlock = holder != NULL && !task->limited && is_deadlock(state, holder);
    } else if (task->object != NULL && task->why == KYMO_WHY_SEMAPHORE) {
        other = task->object->taken_by != state->track ? task->object->taken_by : NULL;
        task->guess = other != NULL;
    }
    task->other = other;
    return change(t, state, TASK_WAITING, time_ns);
}

/* ---- the running task of a core ---- */

static int leave(struct timeline *t, struct track_state *state, int64_t time_ns, bool certain) {
    struct track_task *task = &state->task;
    if (task->state != TASK_RUNNING) {
        return 0;
    }
    task->woken = task->interrupt = false;
    if (task->ended || (certain && task->leaves && task->why == KYMO_WHY_OVER)) {
        return change(t, state, TASK_OVER, time_ns);
    }
    if (!certain || !is_task(state)) {
        return becomes_unknown(t, state, time_ns);
    }
    if (!task->leaves) {
        task->other = NULL;
        task->why = KYMO_WHY_UNKNOWN;
        return change(t, state, TASK_READY, time_ns);
    }
    return task->why == KYMO_WHY_SUSPENDED ? change(t, state, TASK_SUSPENDED, time_ns)
                                           : waits(t, state, time_ns);
}

/* It has left the other core, whose switch comes later: some kernels report that when their lock is free again. Had it
 * waited, that core would have said so before. */
static int moves(struct timeline *t, struct track_state *state, int64_t time_ns) {
    const bool is_ready = !state->task.leaves && !state->task.ended;
    t->tasks.runs[state->task.core] = NULL;
    return is_ready ? leave(t, state, time_ns, true) : becomes_unknown(t, state, time_ns);
}

int tasks_leave(struct timeline *t, uint32_t lane, struct track_state *next, int64_t time_ns,
                bool certain) {
    struct track_state *state = t->tasks.runs[lane];
    int result = 0;
    if (next->track->kind == KYMO_CONTEXT_INTERRUPT || state == next) {
        return 0;
    }
    t->tasks.runs[lane] = NULL;
    if (state != NULL && state->task.core == lane) {
        result = leave(t, state, time_ns, certain);
    }
    return result == 0 && next->task.state == TASK_RUNNING && !next->shared
               ? moves(t, next, time_ns)
               : result;
}

int tasks_enter(struct timeline *t, uint32_t lane, struct track_state *state, int64_t time_ns) {
    struct track_task *task = &state->task;
    if (state->track->kind == KYMO_CONTEXT_INTERRUPT || state->shared ||
        t->tasks.runs[lane] == state) {
        return 0;
    }
    task->woken = task->woken && task->state == TASK_READY;
    task->other = NULL;
    task->ended = false;
    task->core = lane;
    t->tasks.runs[lane] = state;
    return change(t, state, TASK_RUNNING, time_ns);
}

int tasks_go_on(struct timeline *t, uint32_t lane, int64_t time_ns) {
    struct track_state *state = t->lanes[lane].current;
    const bool elsewhere = state->task.state == TASK_RUNNING;
    return elsewhere ? 0 : tasks_enter(t, lane, state, time_ns);
}

int tasks_over(struct timeline *t, struct track_state *state, int64_t time_ns) {
    struct track_task *task = &state->task;
    if (task->state == TASK_RUNNING) {
        task->ended = true; /* until its lane runs another one */
        return 0;
    }
    const bool known = task->state != TASK_UNKNOWN && task->state != TASK_OVER;
    return known ? change(t, state, TASK_OVER, time_ns) : 0;
}

int tasks_lost(struct timeline *t, uint32_t lane, int64_t start_ns) {
    struct track_state *next;
    int result = 0;
    for (struct track_state *s = t->tasks.known; s != NULL && result == 0; s = next) {
        next = s->task.next;
        if (s->task.state != TASK_RUNNING || s->task.core == lane) {
            result = becomes_unknown(t, s, start_ns);
        }
    }
    t->tasks.runs[lane] = NULL;
    return result;
}

/* ---- reports of the kernel ---- */

/* The kernel begins to report: the running task is known from here on. */
static int begin(struct timeline *t, int64_t time_ns) {
    int result = 0;
    t->tasks.told = true;
    for (uint32_t lane = 0; lane < WIRE_LANES && result == 0; lane++) {
        struct track_state *state = t->lanes[lane].current;
        const bool interrupts = state != NULL && state->track->kind == KYMO_CONTEXT_INTERRUPT;
        state = interrupts ? t->lanes[lane].preempted : state;
        /* Two cores may show the same task: one of them has not yet reported what it runs next. */
        const bool enters = state != NULL && state->task.state != TASK_RUNNING;
        result = enters ? tasks_enter(t, lane, state, time_ns) : 0;
    }
    return result;
}

static int task_waits(struct timeline *t, uint32_t lane, const struct wire_event *wire,
                      int64_t time_ns) {
    struct track_state *state = t->tasks.runs[lane];
    const uint8_t why = (uint8_t)(word(wire, 0) & 0xffu);
    const uint8_t of = why == KYMO_WHY_LOCK        ? KYMO_OBJECT_LOCK
                       : why == KYMO_WHY_SEMAPHORE ? KYMO_OBJECT_SEMAPHORE
                                                   : UINT8_MAX;
    struct object_state *object = object_of_event(t, t->lanes[lane].current, wire, of, time_ns);
    if (state != NULL) {
        const bool suspends = why == KYMO_WHY_UNKNOWN && state->task.suspends;
        state->task.leaves = true;
        state->task.why = suspends ? KYMO_WHY_SUSPENDED : why;
        state->task.limited = word(wire, 0) >> KYMO_WHY_TICKS_SHIFT != 0;
        state->task.object = object;
    }
    return 0;
}

/* A kernel whose scheduler was suspended reports a task only when it resumes. It then names the running task in place
 * of the interrupt that put something into the awaited object. */
static bool was_put_before(const struct track_task *task) {
    const struct object_state *object = task->object;
    return task->state == TASK_WAITING && object != NULL && object->put_by != NULL &&
           object->put_by->kind == KYMO_CONTEXT_INTERRUPT && object->put_ns >= task->since_ns;
}

static void set_waker(struct track_state *state, const struct track_state *runs, uint32_t waker,
                      int64_t *time_ns) {
    struct track_task *task = &state->task;
    task->woken = true;
    task->guess = task->deadlock = false;
    task->interrupt = waker != KYMO_WAKER_RUNS;
    task->other = waker == KYMO_WAKER_RUNS && runs != state ? runs->track : NULL;
    if (waker == KYMO_WAKER_RUNS && runs->track->kind != KYMO_CONTEXT_INTERRUPT &&
        was_put_before(task)) {
        task->other = task->object->put_by;
        *time_ns = task->object->put_ns;
    }
}

/* It waits, and another core wakes it before its own core has reported what it runs next. A nanosecond later: not all
 * readers take two changes at one time. */
static int wakes_before_switch(struct timeline *t, uint32_t lane, struct track_state *state,
                               const struct wire_event *wire, int64_t time_ns) {
    const int result = leave(t, state, time_ns, true);
    set_waker(state, t->lanes[lane].current, word(wire, 0), &time_ns);
    return result != 0 ? result : change(t, state, TASK_READY, time_ns + 1);
}

static int task_ready(struct timeline *t, uint32_t lane, struct track_state *state,
                      const struct wire_event *wire, int64_t time_ns) {
    struct track_task *task = &state->task;
    switch (task->state) {
    case TASK_RUNNING: /* and before it leaves, it waits no more */
        if (task->leaves && task->core != lane) {
            return wakes_before_switch(t, lane, state, wire, time_ns);
        }
        task->leaves = task->suspends = false;
        return 0;
    case TASK_READY: /* its place among the ready ones changes, as with its priority */
    case TASK_OVER:
        return 0;
    default:
        set_waker(state, t->lanes[lane].current, word(wire, 0), &time_ns);
        return change(t, state, TASK_READY, time_ns);
    }
}

/* It waits for nothing else then. One that runs on another core leaves that with its next switch. */
static int task_suspended(struct timeline *t, struct track_state *state, int64_t time_ns) {
    struct track_task *task = &state->task;
    task->suspends = task->state == TASK_RUNNING;
    if (task->suspends || task->state == TASK_SUSPENDED || task->state == TASK_OVER) {
        return 0;
    }
    task->why = KYMO_WHY_SUSPENDED;
    task->object = NULL;
    task->other = NULL;
    task->woken = task->guess = task->deadlock = task->interrupt = false;
    return change(t, state, TASK_SUSPENDED, time_ns);
}

static void keep_priority(struct track_task *task, const struct event *event) {
    const bool own = event->u.priority.cause == KYMO_PRIORITY_SET;
    task->base = own || !task->has_base ? event->u.priority.value : task->base;
    task->priority = event->u.priority.value;
    task->has_base = true;
}

/* The event is another task's than the lane's: of one that has a name, or has run. */
static int of_task(struct timeline *t, uint32_t lane, const struct wire_event *wire,
                   int64_t time_ns) {
    const struct track_query query = {timeline_session_number(t), lane, wire->reference,
                                      wire->ticks};
    struct track_state *state = tracks_known(&t->tracks, &query);
    const struct resolve_place place = {.text = t->text, .text_bytes = sizeof t->text};
    if (state == NULL || !is_task(state)) {
        return 0;
    }
    if (wire->kind == KYMO_KIND_TASK_READY) {
        return task_ready(t, lane, state, wire, time_ns);
    }
    if (wire->kind == KYMO_KIND_TASK_SUSPENDED) {
        return task_suspended(t, state, time_ns);
    }
    struct event event = {.time_ns = time_ns};
    if (!resolve_event(&event, wire, &place)) {
        return 0;
    }
    if (wire->kind == KYMO_KIND_TASK_PRIORITY) {
        keep_priority(&state->task, &event);
    }
    return send(t, state, &event);
}

/* The lane's current context put something into an object or took it out. */
static int of_object(struct timeline *t, struct track_state *state, const struct wire_event *wire,
                     int64_t time_ns) {
    const struct resolve_place place = {.text = t->text, .text_bytes = sizeof t->text};
    struct event event = {.time_ns = time_ns};
    struct object_state *object = object_of_event(t, state, wire, UINT8_MAX, time_ns);
    if (object == NULL || !resolve_event(&event, wire, &place)) {
        return 0;
    }
    if (wire->kind == KYMO_KIND_OBJECT_PUT) {
        object->put_by = state->track;
        object->put_ns = time_ns;
    } else {
        object->taken_by = state->track;
    }
    event.object = &object->object;
    return send(t, state, &event);
}

int tasks_event(struct timeline *t, uint32_t lane, const struct wire_event *wire, int64_t time_ns) {
    const int result = t->tasks.told ? 0 : begin(t, time_ns);
    if (result != 0) {
        return result;
    }
    switch (wire->kind) {
    case KYMO_KIND_TASK_WAITS:
        return task_waits(t, lane, wire, time_ns);
    case KYMO_KIND_OBJECT_PUT:
    case KYMO_KIND_OBJECT_GET:
        return of_object(t, t->lanes[lane].current, wire, time_ns);
    default:
        return of_task(t, lane, wire, time_ns);
    }
}
