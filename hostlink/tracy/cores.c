/* SPDX-License-Identifier: MIT */
#include "tracy/cores.h"

#include "kymo/wire.h"

static int64_t later(int64_t a, int64_t b) { return a > b ? a : b; }

/* Why a row left its core, and what it does then, by the names that viewers show: those of another kernel. */
enum reason {
    DELAY_EXECUTION = 4,
    SUSPENDED = 5,
    WR_EXECUTIVE = 7,
    WR_QUEUE = 15,
    WR_VIRTUAL_MEMORY = 18,
    WR_KEYED_EVENT = 21,
    WR_TERMINATED = 22,
    WR_RESOURCE = 27,
    WR_PUSH_LOCK = 28,
    WR_MUTEX = 29,
    WR_PREEMPTED = 32,
    WR_RUNDOWN = 36,
    WR_ALERT_BY_THREAD_ID = 37
};
enum state { READY = 1, STANDBY = 3, TERMINATED = 4, WAITING = 5 };
/* A reason and a state; viewers show both as unknown. */
#define UNKNOWN 100u

static uint8_t reason_of(uint8_t why) {
    static const uint8_t reasons[] = {[KYMO_WHY_UNKNOWN] = UNKNOWN,
                                      [KYMO_WHY_DELAY] = DELAY_EXECUTION,
                                      [KYMO_WHY_EMPTY] = WR_QUEUE,
                                      [KYMO_WHY_FULL] = WR_QUEUE,
                                      [KYMO_WHY_SEMAPHORE] = WR_RESOURCE,
                                      [KYMO_WHY_LOCK] = WR_MUTEX,
                                      [KYMO_WHY_NOTIFICATION] = WR_ALERT_BY_THREAD_ID,
                                      [KYMO_WHY_FLAGS] = WR_KEYED_EVENT,
                                      [KYMO_WHY_SUSPENDED] = SUSPENDED,
                                      [KYMO_WHY_JOIN] = WR_RUNDOWN,
                                      [KYMO_WHY_MEMORY] = WR_VIRTUAL_MEMORY,
                                      [KYMO_WHY_IO] = WR_EXECUTIVE,
                                      [KYMO_WHY_CONDITION] = WR_PUSH_LOCK,
                                      [KYMO_WHY_OVER] = WR_TERMINATED};
    return why < sizeof reasons ? reasons[why] : UNKNOWN;
}

/* An interrupt is no state of a task: it goes on after it. */
static void explain(struct tracy_switch *change, const struct tracy_track *before,
                    const struct tracy_track *after) {
    const bool interrupted = after != NULL && before->told && after->interrupt;
    change->before_priority = before->priority;
    if (interrupted) {
        change->reason = WR_PREEMPTED;
        change->state = STANDBY;
    } else if (before->leaves) {
        change->reason = before->reason;
        change->state = before->state;
    }
}

/* The core leaves its row for "row", 0 = none. */
static void tell(struct tracy_cores *cores, struct tracy_tracks *tracks,
                 struct tracy_stream *stream, uint32_t number, uint32_t row, int64_t time_ns) {
    struct tracy_core *core = &cores->core[number];
    struct tracy_switch change = {.time_ns = time_ns,
                                  .before = core->shown,
                                  .after = row,
                                  .core = (uint8_t)number,
                                  .reason = UNKNOWN,
                                  .state = UNKNOWN};
    if (core->shown != 0) {
        explain(&change, &tracks->tracks[core->shown], row != 0 ? &tracks->tracks[row] : NULL);
        tracks->tracks[core->shown].off_ns = time_ns;
        tracks->tracks[core->shown].sent_core = 0;
    }
    change.after_priority = row != 0 ? tracks->tracks[row].priority : 0;
    tracy_put_context_switch(stream, &change);
    if (row != 0) {
        tracks->tracks[row].sent_core = number + 1;
        tracks->tracks[row].woken = false;
    }
    core->shown = row;
    core->last_ns = time_ns;
}

static void tell_running(struct tracy_cores *cores, struct tracy_tracks *tracks,
                         struct tracy_stream *stream, uint32_t number, int64_t time_ns) {
    struct tracy_core *core = &cores->core[number];
    uint32_t row = core->running;
    if (core->shown == row) {
        return;
    }
    time_ns = later(time_ns, later(core->last_ns, tracks->tracks[row].off_ns));
    uint32_t other = tracks->tracks[row].sent_core;
    if (other != 0) {
        time_ns = later(time_ns, cores->core[other - 1].last_ns);
        tell(cores, tracks, stream, other - 1, 0, time_ns);
    }
    tell(cores, tracks, stream, number, row, time_ns);
}

void tracy_cores_run(struct tracy_cores *cores, struct tracy_tracks *tracks,
                     struct tracy_stream *stream, const struct track *track, int64_t time_ns) {
    if (track->core >= TRACY_CORES_MAX) {
        return;
    }
    cores->core[track->core].running = track->id;
    tracks->tracks[track->id].interrupt = track->kind == KYMO_CONTEXT_INTERRUPT;
    if (stream != NULL) {
        tell_running(cores, tracks, stream, track->core, time_ns);
    }
}

static void will_leave(struct tracy_track *row, const struct event *event) {
    switch ((enum task_state)event->u.task.state) {
    case TASK_READY:
        row->reason = WR_PREEMPTED;
        row->state = READY;
        break;
    case TASK_OVER:
        row->reason = WR_TERMINATED;
        row->state = TERMINATED;
        break;
    case TASK_WAITING:
    case TASK_SUSPENDED:
        row->reason = reason_of(event->u.task.why);
        row->state = WAITING;
        break;
    default:
        row->leaves = false;
        break;
    }
}

static int8_t clamped(int32_t priority) {
    return (int8_t)(priority < INT8_MIN ? INT8_MIN : priority > INT8_MAX ? INT8_MAX : priority);
}

void tracy_cores_task(struct tracy_tracks *tracks, struct tracy_stream *stream,
                      const struct event *event, int64_t time_ns) {
    struct tracy_track *row = &tracks->tracks[event->track->id];
    if (event->kind == EVENT_TASK_PRIORITY) {
        row->priority = clamped(event->u.priority.value);
        return;
    }
    row->told = event->track->kind != KYMO_CONTEXT_MAIN;
    row->leaves = event->u.task.before == TASK_RUNNING;
    if (row->leaves) {
        will_leave(row, event);
    } else if (stream != NULL && event->u.task.state == TASK_READY && event->u.task.woken &&
               row->sent_core == 0 && !row->woken) {
        row->woken = true; /* a viewer keeps a second one for a later run */
        row->off_ns = later(row->off_ns, time_ns);
        tracy_put_wakeup(stream, row->off_ns, event->track->id, (uint8_t)event->track->core);
    }
}

void tracy_cores_gap(struct tracy_cores *cores, struct tracy_tracks *tracks,
                     struct tracy_stream *stream, uint32_t number, int64_t start_ns,
                     int64_t end_ns) {
    const struct tracy_core *core = &cores->core[number];
    if (core->shown != 0 && start_ns < end_ns) {
        tell(cores, tracks, stream, number, 0, later(start_ns, core->last_ns));
        tell_running(cores, tracks, stream, number, end_ns);
    }
}

void tracy_cores_begin(struct tracy_cores *cores, struct tracy_tracks *tracks,
                       struct tracy_stream *stream, int64_t now_ns) {
    for (uint32_t i = 0; i < tracks->count; i++) {
        tracks->tracks[i].woken = false;
        tracks->tracks[i].off_ns = 0;
        tracks->tracks[i].sent_core = 0;
    }
    for (uint32_t i = 0; i < TRACY_CORES_MAX; i++) {
        cores->core[i].shown = 0;
        cores->core[i].last_ns = 0;
    }
    for (uint32_t i = 0; i < TRACY_CORES_MAX; i++) {
        if (cores->core[i].running != 0) {
            tell_running(cores, tracks, stream, i, now_ns);
        }
    }
}

void tracy_cores_end(struct tracy_cores *cores, struct tracy_tracks *tracks,
                     struct tracy_stream *stream, int64_t now_ns) {
    for (uint32_t i = 0; i < TRACY_CORES_MAX; i++) {
        if (cores->core[i].shown != 0) {
            tell(cores, tracks, stream, i, 0, later(now_ns, cores->core[i].last_ns));
        }
    }
}
