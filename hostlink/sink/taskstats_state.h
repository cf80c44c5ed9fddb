/* SPDX-License-Identifier: MIT */
/* The state of the statistics of tasks, with the last runs of each core, which show what ran in the place of a late
 * task. Private to taskstats.c, which takes events, taskjobs.c, which follows the jobs of tasks, and taskworst.c, which
 * keeps the worst of what they show. */
#ifndef HOSTLINK_TASKSTATS_STATE_H
#define HOSTLINK_TASKSTATS_STATE_H

#include "sink/taskstats.h"

#define TASK_NESTED_MAX 32u
#define TASK_CHAIN_MAX 16u

struct task_run {
    struct taskstats_row *row;
    int64_t start_ns, end_ns;
};

/* All zero is the start. */
struct task_log {
    struct task_run *runs;     /* a ring of TASKSTATS_RUNS, NULL: nothing is kept */
    uint64_t count;            /* of all times */
    struct taskstats_row *now; /* it runs since then; NULL: not known */
    int64_t since_ns;
};

/* 0 or -ENOMEM. */
int task_log_begin(struct task_log *log);
/* The present run lasted until then. */
static inline void task_log_reached(struct task_log *log, int64_t time_ns) {
    if (log->runs != NULL) {
        log->runs[log->count++ % TASKSTATS_RUNS] =
            (struct task_run){log->now, log->since_ns, time_ns};
    }
    log->since_ns = time_ns;
}
void task_log_free(struct task_log *log);

/* Which runs count. */
struct task_log_query {
    int64_t start_ns, end_ns;
    const struct taskstats_row *late; /* not its own */
    /* Not NULL: only those of tasks whose own priority is less urgent than the late one's, and neither this
     * one's nor those of an idle task. */
    const struct taskstats_row *holder;
    bool greater_first; /* of two priorities the greater is more urgent */
};
/* Returns the sum of the runs. longest->by: the row that ran longest, or NULL; by_ns: how long. "scan" must differ in
 * each call. */
uint64_t task_log_sum(const struct task_log *log, const struct task_log_query *query, uint64_t scan,
                      struct taskstats_longest *longest);

/* The first one is more urgent. */
static inline bool task_is_urgent(int32_t a, int32_t b, bool greater_first) {
    return greater_first ? a > b : a < b;
}

struct task_core {
    struct task_log log;                           /* what it runs, interrupts included */
    struct taskstats_row *task;                    /* under the interrupts */
    struct taskstats_row *nested[TASK_NESTED_MAX]; /* interrupts, the outermost first */
    uint32_t depth;
    struct taskstats_row *preempted; /* left ready; the next one preempts it */
};

/* A task waited for an object that another held. */
struct task_link {
    const struct taskstats_row *waiter;
    const struct object *object;
    const struct taskstats_row *holder;
};

struct task_inversion {
    struct task_link link;
    int32_t holder_base, by_base;
    struct taskstats_longest wait; /* by: the row that ran in the holder's place, less urgent */
    uint64_t ns;                   /* all of these together */
};

struct task_starved {
    const struct taskstats_row *row;
    struct taskstats_longest ready;
};

struct task_missed {
    const struct taskstats_row *row;
    uint64_t deadline_ns, late_ns;
    struct taskstats_longest job; /* by: the row that ran longest meanwhile, except the task */
    bool is_unfinished;           /* the trace ended first */
};

struct taskstats {
    struct taskstats_row **rows; /* by track */
    uint32_t count;
    uint32_t session[EVENT_BOARDS_MAX]; /* by board: no row of its session is before this one */
    struct task_core *cores;
    uint32_t core_count;
    struct keytable pairs; /* pairs of tracks: preempted task, preempting task */
    uint64_t *pair_counts;
    uint32_t pair_capacity;
    uint64_t observed_ns, lost_ns, scans;
    int64_t first_ns, last_ns;
    bool told, greater_first, timed, ended;
    int error;

    struct task_inversion inversion;
    struct task_starved starved;
    struct task_missed missed;
    struct task_link chain[TASK_CHAIN_MAX]; /* the first deadlock */
    uint32_t chain_length;
    int64_t chain_ns;
};

/* The row of the track, made if need be; NULL if memory is short. */
struct taskstats_row *taskstats_row_of(struct taskstats *stats, const struct track *track,
                                       int64_t time_ns);
/* The row of the track, or NULL if it has none. */
struct taskstats_row *taskstats_known(const struct taskstats *stats, const struct track *track);
/* When its board ended. */
static inline int64_t taskstats_end_ns(const struct taskstats *stats,
                                       const struct taskstats_row *row) {
    return event_board_end_ns(row->track->board, stats->last_ns);
}
struct task_core *taskstats_core(struct taskstats *stats, uint32_t number);

/* The task begins to wait, or wakes; 0 or -ENOMEM. Nothing is known of it from here on. The firmware says how often it
 * runs. */
void task_jobs_waits(struct taskstats *stats, struct taskstats_row *row, uint8_t why,
                     int64_t time_ns);
int task_jobs_woken(struct taskstats_row *row, int64_t time_ns);
void task_jobs_unknown(struct taskstats_row *row);
void task_jobs_told(struct taskstats_row *row, uint32_t period_us, uint32_t deadline_us);
/* After the last event of the session. 0 or -ENOMEM. */
int task_jobs_end(struct taskstats *stats, struct taskstats_row *row);
void task_jobs_free(struct taskstats_jobs *jobs);

/* The wait of a task for a lock is over, or the trace. */
void task_worst_lock(struct taskstats *stats, struct taskstats_row *row, int64_t time_ns);
/* It was ready, and runs now, or the trace is over. */
void task_worst_ready(struct taskstats *stats, struct taskstats_row *row, int64_t time_ns);
/* The row waits in a cycle of waits. */
void task_worst_deadlock(struct taskstats *stats, struct taskstats_row *row, int64_t time_ns);
/* An interrupt is entered; time_ns is INT64_MAX at the end of the trace. 0 or -ENOMEM. */
int task_worst_enters(struct taskstats_row *row, int64_t time_ns);

#endif
