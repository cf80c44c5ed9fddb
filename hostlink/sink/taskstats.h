/* SPDX-License-Identifier: MIT */
/* Statistics of a kernel's tasks, and the causes of their latencies. Memory grows with the number of tasks and the
 * spread of their latencies, and holds the last TASKSTATS_RUNS runs of each core. */
#ifndef HOSTLINK_TASKSTATS_H
#define HOSTLINK_TASKSTATS_H

#include <stdint.h>
#include <stdio.h>

#include "base/keytable.h"
#include "kymo/wire.h"
#include "model/event.h"
#include "sink/histogram.h"

/* Runs that a core's log keeps, to find the rows that ran in another's place. */
#define TASKSTATS_RUNS 16384u
#define TASKSTATS_WHYS (KYMO_WHY_OVER + 1u)
/* A task that is ready for this long without running starves. */
#define TASKSTATS_STARVED_NS INT64_C(100000000)

/* How often, and how long in all. */
struct taskstats_sum {
    uint64_t count, ns;
};

/* Entries of an interrupt, none far from the next. */
struct taskstats_burst {
    uint64_t count;
    int64_t from_ns, to_ns; /* the first and the last one */
};

/* The longest of its kind: when it began, and the row that ran longest meanwhile. */
struct taskstats_longest {
    int64_t at_ns;
    uint64_t ns;
    const struct taskstats_row *by; /* NULL: not known */
    uint64_t by_ns;
};

/* Jobs of a task. A job lasts from the end of a delay to the next one; for a task that never delays, from the end of a
 * wait to the next one, except waits for a lock or memory. */
struct taskstats_jobs {
    uint64_t count, max_ns;        /* that are over; the longest one */
    uint64_t told_ns, deadline_ns; /* period and deadline from the firmware, 0: none */
    uint64_t missed;               /* jobs that were over after their deadline, or not over then */
    uint64_t unfinished;           /* of these, not over when the trace ended: at most one */
    uint64_t period_ns;            /* the usual distance of two begins */
    struct histogram *jitter;      /* of distances from told_ns or period_ns; NULL: no period */
    uint64_t jitter_max_ns;

    /* Private to taskjobs.c. */
    uint64_t *first; /* distances, until the period is known */
    uint32_t first_count;
    bool by_delay;
    bool waits;            /* for the next one */
    bool begun, has_begun; /* one goes on; begin_ns is known */
    int64_t begin_ns;      /* of the last one */
};

/* A task, an interrupt, main code. */
struct taskstats_row {
    const struct track *track;
    uint64_t run_ns; /* that its core ran it, without interrupts */
    uint64_t runs;   /* in place of another; of an interrupt: entries */
    /* The fields from here on need a kernel's reports (told) and are 0 without them. */
    bool told, has_base;
    int32_t base, highest;              /* priorities: its own, and the most urgent that it had */
    uint64_t preempted, waits, wakes;   /* left ready, left waiting; woken */
    uint64_t state_ns[TASK_STATES];     /* of its life */
    struct histogram *ready;            /* from its wake-up until it ran, NULL: never woken */
    uint64_t ready_ns;                  /* sum of these */
    uint64_t ready_open_ns;             /* how long it is ready when the trace ends */
    struct taskstats_longest ready_max; /* of these, and from a wake-up to the end of the trace */
    struct taskstats_sum response;      /* from its wake-up until it waited again */
    uint64_t response_max_ns;
    struct taskstats_sum *waited;             /* by enum kymo_why, NULL: it never waited */
    struct taskstats_longest lock_max;        /* wait for a lock; by: the holder */
    const struct object *lock;                /* which */
    const struct taskstats_row *preempted_by; /* most often */
    uint64_t preempted_by_count;
    uint32_t stack_unused, stack_bytes; /* as told last, 0: not known */
    struct taskstats_jobs jobs;

    /* Private to taskstats.c. */
    enum task_state state;
    bool woken;                /* to be ready, if it is */
    bool has_latency;          /* ready_max is known */
    bool left;                 /* a core, to wait, if it does */
    int64_t since_ns, woke_ns; /* woke_ns < 0: it was not woken */
    uint8_t why;
    const struct object *object;
    const struct track *other;
    uint64_t scan, scan_ns; /* runs that are added up */
    int64_t window_ns;      /* of an interrupt: begin of the window in the next fields */
    struct taskstats_sum window, busiest;
    int64_t busiest_ns;
    /* Entries that follow closely: now, most in this window, and that of the busiest one. */
    struct taskstats_burst burst, window_burst, storm;
    struct histogram *windows;
};

struct table_to;
struct taskstats;

/* NULL when memory is short. */
struct taskstats *taskstats_new(void);
/* Takes any event. 0 or -ENOMEM. */
int taskstats_event(struct taskstats *stats, const struct event *event);
/* For a look while events come: counts the runs of cores until then, but no later reports about the time before. */
void taskstats_reach(struct taskstats *stats, int64_t time_ns);
/* After the last event, also repeatedly: counts states that last until then. */
int taskstats_end(struct taskstats *stats);
void taskstats_free(struct taskstats *stats);

/* The row of that number, in order of appearance; NULL after the last one. */
const struct taskstats_row *taskstats_row(const struct taskstats *stats, uint32_t number);
/* The observed time of all cores together; and the time of losses, which it does not include. */
uint64_t taskstats_observed_ns(const struct taskstats *stats);
uint64_t taskstats_lost_ns(const struct taskstats *stats);
/* True if a kernel reported states of tasks. */
bool taskstats_told(const struct taskstats *stats);
/* A line each for the worst inversion of priorities, a deadlock, the deadline missed by most, the task that starved
 * longest and an interrupt storm; nothing where there was none. */
void taskstats_worst(const struct taskstats *stats, FILE *out);
/* The table; for people also the lines of taskstats_worst(). 0 or -ENOMEM. */
int taskstats_write(const struct taskstats *stats, struct table_to *to);

#endif
