/* SPDX-License-Identifier: MIT */
#include "sink/perfetto_runs.h"

#include <errno.h>
#include <stdio.h>

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

int perfetto_run_lost(struct perfetto_rows *rows, struct perfetto_line *core, int64_t time_ns) {
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
    error = perfetto_run_lost(rows, core, from_ns);
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

int perfetto_runs_told(struct perfetto_rows *rows) {
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
