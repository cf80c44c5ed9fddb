/* SPDX-License-Identifier: MIT */
#include "sink/taskstats_state.h"

#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"

/* ---- rows and cores ---- */

struct taskstats_row *taskstats_known(const struct taskstats *stats, const struct track *track) {
    return track != NULL && track->id < stats->count ? stats->rows[track->id] : NULL;
}

struct taskstats_row *taskstats_row_of(struct taskstats *stats, const struct track *track,
                                       int64_t time_ns) {
    struct taskstats_row *row = taskstats_known(stats, track);
    if (row != NULL) {
        return row;
    }
    row = grow_zeroed(&stats->rows, &stats->count, track->id, sizeof *stats->rows)
              ? calloc(1, sizeof *row)
              : NULL;
    if (row != NULL) {
        row->track = track;
        row->since_ns = time_ns;
        row->woke_ns = -1;
        row->window_ns = INT64_MIN;
        row->storm.from_ns = INT64_MIN;
        stats->rows[track->id] = row;
    }
    return row;
}

struct task_core *taskstats_core(struct taskstats *stats, uint32_t number) {
    return grow_zeroed(&stats->cores, &stats->core_count, number, sizeof *stats->cores)
               ? &stats->cores[number]
               : NULL;
}

/* ---- the last runs of a core ---- */

int task_log_begin(struct task_log *log) {
    if (log->runs == NULL) {
        log->runs = malloc(TASKSTATS_RUNS * sizeof *log->runs);
    }
    return log->runs != NULL ? 0 : -ENOMEM;
}

void task_log_free(struct task_log *log) {
    free(log->runs);
    *log = (struct task_log){0};
}

static bool counts(const struct task_log_query *query, const struct taskstats_row *row) {
    if (row == query->late || query->holder == NULL) {
        return row != query->late;
    }
    return row != query->holder && row->track->kind != KYMO_CONTEXT_INTERRUPT &&
           row->track->kind != KYMO_CONTEXT_IDLE && row->has_base &&
           task_is_urgent(query->late->base, row->base, query->greater_first);
}

/* Adds the part of a run that counts, to its row too; returns it. */
static uint64_t add(const struct task_log_query *query, const struct task_run *run, uint64_t scan,
                    struct taskstats_longest *longest) {
    const int64_t start_ns = run->start_ns > query->start_ns ? run->start_ns : query->start_ns;
    const int64_t end_ns = run->end_ns < query->end_ns ? run->end_ns : query->end_ns;
    struct taskstats_row *row = run->row;
    if (row == NULL || start_ns >= end_ns || !counts(query, row)) {
        return 0;
    }
    row->scan_ns = (row->scan == scan ? row->scan_ns : 0) + (uint64_t)(end_ns - start_ns);
    row->scan = scan;
    if (row->scan_ns > longest->by_ns) {
        longest->by = row;
        longest->by_ns = row->scan_ns;
    }
    return (uint64_t)(end_ns - start_ns);
}

uint64_t task_log_sum(const struct task_log *log, const struct task_log_query *query, uint64_t scan,
                      struct taskstats_longest *longest) {
    const struct task_run now = {log->now, log->since_ns, query->end_ns};
    longest->by = NULL;
    longest->by_ns = 0;
    uint64_t all_ns = add(query, &now, scan, longest);
    for (uint64_t i = 0; log->runs != NULL && i < log->count && i < TASKSTATS_RUNS; i++) {
        const struct task_run *run = &log->runs[(log->count - 1 - i) % TASKSTATS_RUNS];
        if (run->end_ns <= query->start_ns) {
            break;
        }
        all_ns += add(query, run, scan, longest);
    }
    return all_ns;
}
