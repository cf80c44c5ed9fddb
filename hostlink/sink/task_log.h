/* SPDX-License-Identifier: MIT */
/* The last runs of a core, to report which rows ran in the place of a late task. */
#ifndef HOSTLINK_TASK_LOG_H
#define HOSTLINK_TASK_LOG_H

#include "sink/taskstats.h"

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

#endif
