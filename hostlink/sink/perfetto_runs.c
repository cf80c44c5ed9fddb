/* SPDX-License-Identifier: MIT */
#include "sink/perfetto_runs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "kymo/wire.h"
#include "model/event.h"

static int write_next_task(struct perfetto_writer *writer, struct perfetto_line *core) {
    const struct perfetto_track *next = core->next;
    if (!next || next == core->running) {
        return 0;
    }
    core->running = next;
    return perfetto_task(writer, &(struct perfetto_state_change){.time_ns = core->next_ns,
                                                                 .cpu = core->core,
                                                                 .tid = next->tid,
                                                                 .name = next->track->name,
                                                                 .state = PERFETTO_RUNNING});
}

/* Main code and tasks are threads: they are scheduled. A reader takes one change of a core at a time, so of several
 * switches within one tick of the clock each is 1 ns after the one before. The reason why a thread leaves its core is
 * unknown, so no event says that it does: the next one ends its time. */
static int write_task(struct perfetto_writer *writer, struct perfetto_line *core,
                      const struct perfetto_track *track, int64_t time_ns) {
    const bool replaces = core->resumes && time_ns <= core->next_ns;
    int error = 0;
    if (core->next && !replaces) {
        error = write_next_task(writer, core);
        time_ns = time_ns > core->next_ns ? time_ns : core->next_ns + 1;
    }
    core->next_ns = time_ns > core->next_ns ? time_ns : core->next_ns;
    core->next = track;
    core->resumes = false;
    return error;
}

/* The core runs unknown threads from then on: shows a thread of that name. */
static int run_lost(struct perfetto_rows *rows, struct perfetto_line *core, int64_t time_ns) {
    core->lost = core->lost != 0 ? core->lost : ++rows->ids;
    core->next_ns = time_ns > core->next_ns ? time_ns : core->next_ns + 1;
    core->running = NULL;
    core->left = false;
    return perfetto_task(&rows->writer, &(struct perfetto_state_change){.time_ns = core->next_ns,
                                                                        .cpu = core->core,
                                                                        .tid = core->lost,
                                                                        .name = "events lost",
                                                                        .state = PERFETTO_RUNNING});
}

/* The core ran unknown threads meanwhile: shows a thread of that name. */
static int write_lost_task(struct perfetto_rows *rows, struct perfetto_line *core,
                           const struct event *gap) {
    int error = write_next_task(&rows->writer, core);
    const int64_t from_ns =
        gap->u.gap.start_ns > core->next_ns ? gap->u.gap.start_ns : core->next_ns;
    if (error || !core->running || from_ns >= gap->time_ns) {
        return error;
    }
    error = run_lost(rows, core, from_ns);
    core->resumes = true;
    core->next_ns = gap->time_ns;
    return error;
}

static int begin_run(struct perfetto_rows *rows, struct series *series, const struct track *track,
                     int64_t time_ns) {
    char name[64];
    snprintf(name, sizeof name, "core %u interrupts", (unsigned)track->core);
    struct perfetto_line *line = perfetto_line(rows, series, name, PERFETTO_UNIT_NO_COUNTER);
    if (!line) {
        return -ENOMEM;
    }
    series->runs[series->run_count++] = (struct series_run){track, track->name};
    perfetto_event_begin(&rows->writer, &line->row, PERFETTO_SLICE_BEGIN,
                         series_not_before(series, time_ns));
    perfetto_name_constant(&rows->writer, track->name);
    perfetto_category(&rows->writer, "interrupt");
    return perfetto_event_end(&rows->writer);
}

/* Begins the slice again that a gap interrupted. */
static int resume(struct perfetto_rows *rows, struct series *series, int64_t time_ns) {
    const struct track *track = series->resumes;
    series->resumes = NULL;
    return track && time_ns > series->last_ns ? begin_run(rows, series, track, series->last_ns) : 0;
}

/* All but the outermost "stay". */
static int end_runs(struct perfetto_rows *rows, struct series *series, uint32_t stay,
                    int64_t time_ns) {
    int error = 0;
    while (series->run_count > stay && !error) {
        series->run_count--;
        perfetto_event_begin(&rows->writer, &rows->lines[series->number]->row, PERFETTO_SLICE_END,
                             series_not_before(series, time_ns));
        error = perfetto_event_end(&rows->writer);
    }
    return error;
}

int perfetto_switch(struct perfetto_rows *rows, const struct perfetto_track *track,
                    const struct event *event) {
    struct perfetto_line *core = perfetto_core(rows, event->track->session, event->track->core);
    struct series *runs =
        series_by_core(&rows->series, event->track->session, SERIES_RUNS, event->track->core);
    if (!core || !runs) {
        return -ENOMEM;
    }
    int error = resume(rows, runs, event->time_ns);
    const uint32_t stay = series_stay(runs, event->track);
    const bool goes_on = stay > 0 && runs->runs[stay - 1].track == event->track;
    error = error ? error : end_runs(rows, runs, stay, event->time_ns);
    if (error || goes_on) {
        return error;
    }
    /* An interrupt is not scheduled: it suspends the running thread and is a slice on the core's row of interrupts. */
    if (track->tid == 0) {
        return begin_run(rows, runs, event->track, event->time_ns);
    }
    return rows->told ? 0 : write_task(&rows->writer, core, track, event->time_ns);
}

int perfetto_gap(struct perfetto_rows *rows, const struct perfetto_track *track,
                 const struct event *event) {
    const uint32_t session = event->track->session, number = event->track->core;
    struct perfetto_line *core = perfetto_core(rows, session, number);
    struct series *runs = series_by_core(&rows->series, session, SERIES_RUNS, number);
    if (!core || !runs) {
        return -ENOMEM;
    }
    int error = write_lost_task(rows, core, event);
    if (error || event->u.gap.start_ns >= event->time_ns) {
        return error;
    }
    error = resume(rows, runs, event->u.gap.start_ns);
    error = error ? error : end_runs(rows, runs, 0, event->u.gap.start_ns);
    (void)series_not_before(runs, event->time_ns);
    runs->resumes = track->tid == 0 ? event->track : NULL;
    return error;
}

int perfetto_forget(struct perfetto_rows *rows, const struct track *track) {
    struct perfetto_line *core = perfetto_core(rows, track->session, track->core);
    struct series *runs = series_by_core(&rows->series, track->session, SERIES_RUNS, track->core);
    if (!core || !runs) {
        return -ENOMEM;
    }
    int error = core->next && core->next->track == track ? write_next_task(&rows->writer, core) : 0;
    const int64_t end_ns = event_board_end_ns(track->board, rows->last_ns);
    error = error ? error : resume(rows, runs, end_ns);
    return error ? error : end_runs(rows, runs, series_stay_without(runs, track), end_ns);
}

/* From here on the kernel reports states: switches no longer describe tasks. */
static int states_told(struct perfetto_rows *rows) {
    int error = 0;
    for (uint32_t i = 0; i < rows->line_count && !error; i++) {
        if (rows->lines[i]) {
            error = write_next_task(&rows->writer, rows->lines[i]);
            rows->lines[i]->next = NULL;
        }
    }
    return error;
}

void perfetto_runs_end(struct perfetto_rows *rows) {
    for (uint32_t i = 0; i < rows->line_count; i++) {
        if (rows->lines[i]) {
            write_next_task(&rows->writer, rows->lines[i]);
        }
    }
    for (uint32_t i = 0; i < rows->series.keys.count; i++) {
        struct series *core = rows->series.rows[i];
        const int64_t end_ns = series_end_ns(core, rows->last_ns);
        resume(rows, core, end_ns);
        end_runs(rows, core, 0, end_ns);
    }
}

/* ---- states of tasks ---- */

/* States of a kernel's tasks for Perfetto's tables of schedulings and thread states, with the waker of a task and
 * the reason of its wait. */
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
            const int error = run_lost(rows, other, track->gone_ns);
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
    const bool waited =
        event->u.task.before == TASK_WAITING || event->u.task.before == TASK_SUSPENDED;
    const struct perfetto_track *waker =
        waited && other != NULL && other->id < rows->track_count ? rows->tracks[other->id] : NULL;
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
    const int error = rows->told ? 0 : states_told(rows);
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
