/* SPDX-License-Identifier: MIT */
/* The jobs of tasks: how far apart they begin, and which of them end too late. */
#include <errno.h>
#include <stdlib.h>

#include "sink/taskstats_state.h"

/* The usual period is the median of the first ones. */
#define FIRST_PERIODS 64u
/* Fewer distances make no period, and neither does a task that mostly waits for something else than time, unless the
 * firmware says that there is one. */
#define LEAST_PERIODS 8u

void task_jobs_free(struct taskstats_jobs *jobs) {
    if (jobs->jitter != NULL) {
        histogram_free(jobs->jitter);
        free(jobs->jitter);
    }
    free(jobs->first);
}

/* ---- how far apart they begin ---- */

static int by_size(const void *left, const void *right) {
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b ? 1 : 0;
}

static int add_deviation(struct taskstats_jobs *jobs, uint64_t distance_ns) {
    const uint64_t period_ns = jobs->told_ns != 0 ? jobs->told_ns : jobs->period_ns;
    const uint64_t ns = distance_ns > period_ns ? distance_ns - period_ns : period_ns - distance_ns;
    jobs->jitter_max_ns = ns > jobs->jitter_max_ns ? ns : jobs->jitter_max_ns;
    return histogram_add(jobs->jitter, ns);
}

/* The period is known from here on. */
static int settle(struct taskstats_jobs *jobs) {
    int error = 0;
    jobs->jitter = calloc(1, sizeof *jobs->jitter);
    if (jobs->jitter == NULL) {
        return -ENOMEM;
    }
    qsort(jobs->first, jobs->first_count, sizeof *jobs->first, by_size);
    jobs->period_ns = jobs->first[jobs->first_count / 2];
    for (uint32_t i = 0; i < jobs->first_count && error == 0; i++) {
        error = add_deviation(jobs, jobs->first[i]);
    }
    free(jobs->first);
    jobs->first = NULL;
    return error;
}

static int add_distance(struct taskstats_jobs *jobs, uint64_t distance_ns) {
    if (jobs->jitter != NULL) {
        return add_deviation(jobs, distance_ns);
    }
    if ((jobs->first_count & (jobs->first_count - 1)) == 0) { /* its room doubles */
        const uint32_t room = jobs->first_count != 0 ? 2 * jobs->first_count : 1;
        uint64_t *first = realloc(jobs->first, room * sizeof *first);
        if (first == NULL) {
            return -ENOMEM;
        }
        jobs->first = first;
    }
    jobs->first[jobs->first_count++] = distance_ns;
    return jobs->first_count == FIRST_PERIODS ? settle(jobs) : 0;
}

/* A measured period counts if half of the waits are delays and the jitter's 99th percentile is at most half of it. */
static bool is_periodic(const struct taskstats_row *row) {
    const struct taskstats_jobs *jobs = &row->jobs;
    return jobs->told_ns != 0 ||
           (row->waited != NULL && 2 * row->waited[KYMO_WHY_DELAY].count >= row->waits &&
            histogram_percentile(jobs->jitter, 99) <= jobs->period_ns / 2);
}

int task_jobs_end(struct taskstats *stats, struct taskstats_row *row) {
    struct taskstats_jobs *jobs = &row->jobs;
    const uint32_t least = jobs->told_ns != 0 ? 1 : LEAST_PERIODS;
    const int64_t end_ns = taskstats_end_ns(stats, row);
    const bool is_open = jobs->begun && jobs->deadline_ns != 0 &&
                         end_ns - jobs->begin_ns > (int64_t)jobs->deadline_ns;
    if (is_open) { /* the trace ends first */
        jobs->unfinished = 1;
        task_jobs_waits(stats, row, KYMO_WHY_DELAY, end_ns);
    }
    const int error = jobs->jitter == NULL && jobs->first_count >= least ? settle(jobs) : 0;
    if (error == 0 && jobs->jitter != NULL && !is_periodic(row)) {
        histogram_free(jobs->jitter);
        free(jobs->jitter);
        jobs->jitter = NULL;
    }
    return error;
}

/* ---- when they end ---- */

/* Drops the earlier jobs, which do not follow the new rule. */
static void forget(struct taskstats_jobs *jobs) {
    const struct taskstats_jobs kept = {.told_ns = jobs->told_ns, .deadline_ns = jobs->deadline_ns};
    task_jobs_free(jobs);
    *jobs = kept;
}

/* A task that delays has a job from delay to delay; another one from wait to wait. To wait for a lock or for memory is
 * part of a job. */
static bool ends_job(struct taskstats_jobs *jobs, uint8_t why) {
    if (why == KYMO_WHY_DELAY && !jobs->by_delay) {
        const bool begun = jobs->begun;
        const int64_t begin_ns = jobs->begin_ns;
        forget(jobs);
        jobs->by_delay = true;
        jobs->begun = begun;
        jobs->begin_ns = begin_ns;
    }
    return jobs->by_delay ? why == KYMO_WHY_DELAY : why != KYMO_WHY_LOCK && why != KYMO_WHY_MEMORY;
}

static void keep_missed(struct taskstats *stats, struct taskstats_row *row, int64_t end_ns) {
    const struct taskstats_jobs *jobs = &row->jobs;
    const uint64_t ns = (uint64_t)(end_ns - jobs->begin_ns);
    const struct task_core *core = taskstats_core(stats, row->track->core);
    if (stats->missed.row != NULL && ns - jobs->deadline_ns <= stats->missed.late_ns) {
        return;
    }
    stats->missed = (struct task_missed){.row = row,
                                         .deadline_ns = jobs->deadline_ns,
                                         .late_ns = ns - jobs->deadline_ns,
                                         .job = {.at_ns = jobs->begin_ns, .ns = ns},
                                         .is_unfinished = jobs->unfinished != 0};
    if (core != NULL) {
        const struct task_log_query query = {jobs->begin_ns, end_ns, row, NULL, false};
        (void)task_log_sum(&core->log, &query, ++stats->scans, &stats->missed.job);
    }
}

void task_jobs_waits(struct taskstats *stats, struct taskstats_row *row, uint8_t why,
                     int64_t time_ns) {
    struct taskstats_jobs *jobs = &row->jobs;
    if (!ends_job(jobs, why)) {
        return;
    }
    if (jobs->begun && time_ns >= jobs->begin_ns) {
        const uint64_t ns = (uint64_t)(time_ns - jobs->begin_ns);
        jobs->count++;
        jobs->max_ns = ns > jobs->max_ns ? ns : jobs->max_ns;
        if (jobs->deadline_ns != 0 && ns > jobs->deadline_ns) {
            jobs->missed++;
            keep_missed(stats, row, time_ns);
        }
    }
    jobs->begun = false;
    jobs->waits = true;
}

int task_jobs_woken(struct taskstats_row *row, int64_t time_ns) {
    struct taskstats_jobs *jobs = &row->jobs;
    if (!jobs->waits) {
        return 0;
    }
    const int error = jobs->has_begun && time_ns >= jobs->begin_ns
                          ? add_distance(jobs, (uint64_t)(time_ns - jobs->begin_ns))
                          : 0;
    jobs->waits = false;
    jobs->begun = jobs->has_begun = true;
    jobs->begin_ns = time_ns;
    return error;
}

void task_jobs_unknown(struct taskstats_row *row) {
    row->jobs.begun = row->jobs.has_begun = row->jobs.waits = false;
}

void task_jobs_told(struct taskstats_row *row, uint32_t period_us, uint32_t deadline_us) {
    struct taskstats_jobs *jobs = &row->jobs;
    const uint64_t told_ns = UINT64_C(1000) * period_us;
    if (jobs->told_ns != told_ns && jobs->told_ns != 0) { /* it has another rhythm from here on */
        forget(jobs);
    }
    jobs->told_ns = told_ns;
    jobs->deadline_ns = UINT64_C(1000) * deadline_us;
}
