/* SPDX-License-Identifier: MIT */
#include "sink/perfetto_tasks.h"

#include <errno.h>
#include <string.h>

#include "kymo/wire.h"
#include "sink/perfetto_runs.h"
#include "sink/task_reason.h"

/* Numbers of protos/perfetto/trace/ftrace/{ftrace_event_bundle,ftrace_event,sched}.proto, as of Perfetto v55. */
enum {
    BUNDLE_CPU = 1,
    BUNDLE_EVENT = 2,
    FTRACE_TIMESTAMP = 1,
    FTRACE_PID = 2,
    FTRACE_BLOCKED_REASON = 18,
    FTRACE_WAKING = 20,
    WAKING_COMM = 1,
    WAKING_PID = 2,
    WAKING_PRIORITY = 3,
    WAKING_SUCCESS = 4,
    WAKING_CPU = 5,
    BLOCKED_PID = 1,
    BLOCKED_CALLER = 2,
    BLOCKED_IO_WAIT = 3,
    INTERNED_KERNEL_SYMBOLS = 26,
    SYMBOL_IID = 1,
    SYMBOL_TEXT = 2
};
/* First byte of the key of a reason among the interned. */
enum { KEY_REASON = 102 };

/* A reader takes one change of a task at a time, and those of a core in order. */
static int64_t next_ns(struct perfetto_track *track, const struct perfetto_line *core,
                       int64_t time_ns) {
    time_ns = time_ns > track->state_ns ? time_ns : track->state_ns + 1;
    const int64_t least_ns = core == NULL ? 0 : core->left ? core->next_ns : core->next_ns + 1;
    time_ns = time_ns > least_ns ? time_ns : least_ns;
    track->state_ns = time_ns;
    return time_ns;
}

static int write_state(struct perfetto_rows *rows, const struct perfetto_track *track,
                       enum perfetto_state state, const struct event *event) {
    const struct perfetto_state_change change = {.time_ns = track->state_ns,
                                                 .cpu = event->track->core,
                                                 .tid = track->tid,
                                                 .name = event->track->name,
                                                 .state = state,
                                                 .has_priority = event->u.task.has_base,
                                                 .priority = event->u.task.priority};
    return perfetto_task(&rows->writer, &change);
}

/* ---- ftrace events ---- */

/* One event of the core; its own field is still to be written. */
static void ftrace_begin(struct perfetto_rows *rows, uint32_t cpu, int64_t time_ns, uint32_t tid,
                         size_t *event) {
    struct protobuf *bundle = &rows->writer.event;
    perfetto_sample_begin(&rows->writer, &rows->ftrace, time_ns);
    protobuf_varint(bundle, BUNDLE_CPU, cpu);
    *event = protobuf_begin(bundle, BUNDLE_EVENT);
    protobuf_varint(bundle, FTRACE_TIMESTAMP, (uint64_t)time_ns);
    protobuf_varint(bundle, FTRACE_PID, tid);
}

static int write_waking(struct perfetto_rows *rows, const struct perfetto_track *track,
                        const struct perfetto_track *waker, const struct event *event) {
    size_t begun;
    struct protobuf *bundle = &rows->writer.event;
    ftrace_begin(rows, event->u.task.other->core, track->state_ns, waker->tid, &begun);
    const size_t waking = protobuf_begin(bundle, FTRACE_WAKING);
    protobuf_string(bundle, WAKING_COMM, event->track->name, strlen(event->track->name));
    protobuf_varint(bundle, WAKING_PID, track->tid);
    protobuf_varint(bundle, WAKING_PRIORITY, (uint64_t)(int64_t)event->u.task.priority);
    protobuf_varint(bundle, WAKING_SUCCESS, 1);
    protobuf_varint(bundle, WAKING_CPU, event->track->core);
    protobuf_end(bundle, waking);
    protobuf_end(bundle, begun);
    return perfetto_ftrace_end(&rows->writer);
}

static uint64_t intern_reason(struct perfetto_writer *writer, const char *text) {
    bool fresh;
    char key[1 + TASK_REASON_BYTES] = {KEY_REASON};
    const size_t length = strlen(text);
    memcpy(key + 1, text, length);
    const uint64_t iid = perfetto_intern(writer, key, length + 1, &fresh);
    if (fresh) {
        const size_t begun = protobuf_begin(&writer->interned, INTERNED_KERNEL_SYMBOLS);
        protobuf_varint(&writer->interned, SYMBOL_IID, iid);
        protobuf_string(&writer->interned, SYMBOL_TEXT, text, length);
        protobuf_end(&writer->interned, begun);
    }
    return iid;
}

static int write_blocked(struct perfetto_rows *rows, struct perfetto_track *track,
                         const struct event *event) {
    size_t begun;
    char text[TASK_REASON_BYTES];
    struct perfetto_writer *writer = &rows->writer;
    task_reason(event, text, sizeof text);
    ftrace_begin(rows, event->track->core, next_ns(track, NULL, event->time_ns), track->tid,
                 &begun);
    const size_t blocked = protobuf_begin(&writer->event, FTRACE_BLOCKED_REASON);
    protobuf_varint(&writer->event, BLOCKED_PID, track->tid);
    protobuf_varint(&writer->event, BLOCKED_CALLER, intern_reason(writer, text));
    protobuf_varint(&writer->event, BLOCKED_IO_WAIT, event->u.task.why == KYMO_WHY_IO);
    protobuf_end(&writer->event, blocked);
    protobuf_end(&writer->event, begun);
    return perfetto_ftrace_end(writer);
}

/* ---- states ---- */

/* It runs on that core for the reader, and no event says that it left: before it runs elsewhere, something else must
 * run there. */
static int leave_other(struct perfetto_rows *rows, struct perfetto_track *track,
                       const struct perfetto_line *core) {
    for (uint32_t i = 0; i < rows->line_count; i++) {
        struct perfetto_line *other = rows->lines[i];
        if (other != NULL && other != core && other->running == track) {
            const int error = perfetto_run_lost(rows, other, track->gone_ns);
            track->state_ns = other->next_ns;
            return error;
        }
    }
    return 0;
}

static int runs(struct perfetto_rows *rows, struct perfetto_track *track,
                struct perfetto_line *core, const struct event *event) {
    if (core->running == track) {
        return 0;
    }
    int error = track->gone ? leave_other(rows, track, core) : 0;
    core->next_ns = next_ns(track, core, event->time_ns);
    core->running = track;
    core->left = false;
    track->gone = false;
    return error ? error : write_state(rows, track, PERFETTO_RUNNING, event);
}

static int waits(struct perfetto_rows *rows, struct perfetto_track *track,
                 const struct event *event) {
    const bool locked = event->u.task.why == KYMO_WHY_LOCK;
    const int error =
        write_state(rows, track, locked ? PERFETTO_WAITS_LOCK : PERFETTO_WAITS, event);
    return error ? error : write_blocked(rows, track, event);
}

static int becomes_ready(struct perfetto_rows *rows, const struct perfetto_track *track,
                         const struct event *event) {
    const struct track *other = event->u.task.other;
    const struct perfetto_track *waker =
        event->u.task.before == TASK_WAITING && other != NULL && other->id < rows->track_count
            ? rows->tracks[other->id]
            : NULL;
    return waker != NULL && waker->tid != 0 ? write_waking(rows, track, waker, event)
                                            : write_state(rows, track, PERFETTO_READY, event);
}

int perfetto_task_event(struct perfetto_rows *rows, struct perfetto_track *track,
                        const struct event *event) {
    struct perfetto_line *core = perfetto_core(rows, event->track->session, event->track->core);
    const enum task_state state = (enum task_state)event->u.task.state;
    if (core == NULL) {
        return -ENOMEM;
    }
    const int error = rows->told ? 0 : perfetto_runs_told(rows);
    rows->told = true;
    if (error || track->tid == 0) {
        return error;
    }
    if (state == TASK_RUNNING) {
        return runs(rows, track, core, event);
    }
    if (state == TASK_UNKNOWN) { /* the next one on its core ends its time */
        track->gone = event->u.task.before == TASK_RUNNING;
        track->gone_ns = event->time_ns;
        return 0;
    }
    const bool left = core->running == track;
    const int64_t at_ns = next_ns(track, left ? core : NULL, event->time_ns);
    if (left) {
        core->running = NULL;
        core->left = true;
        core->next_ns = at_ns;
    }
    switch (state) {
    case TASK_READY:
        return becomes_ready(rows, track, event);
    case TASK_WAITING:
        return waits(rows, track, event);
    case TASK_SUSPENDED:
        return write_state(rows, track, PERFETTO_SUSPENDED, event);
    default:
        return write_state(rows, track, PERFETTO_OVER, event);
    }
}
