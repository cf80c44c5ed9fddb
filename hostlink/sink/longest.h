/* SPDX-License-Identifier: MIT */
/* The longest runs of zones, or waits for locks, and the parts inside them. Two passes over the same events: the first
 * finds the runs, the second their parts. Memory is bounded by the number of runs and of different parts in them. */
#ifndef HOSTLINK_LONGEST_H
#define HOSTLINK_LONGEST_H

#include "sink/running.h"
#include "sink/selection.h"

#define LONGEST_RUNS 5u
#define LONGEST_RUNS_MAX 1000u
#define LONGEST_OF_LOCK "lock:" /* before a pattern: waits for these locks */

struct longest;

/* "pattern": of names of zones, or of locks with LONGEST_OF_LOCK before it; "all": each. Of these the runs that
 * "selection" takes. NULL when memory is short. */
struct longest *longest_new(const char *pattern, uint32_t runs, struct selection *selection);
/* The first pass: any event. 0 or -ENOMEM, as for the next. */
int longest_find(struct longest *longest, const struct event *event);
/* The second pass: any event, in the same order. */
int longest_explain(struct longest *longest, const struct event *event);
/* Between the passes: when the run of that rank, from 0, began and ended; false after the last one. */
bool longest_run(const struct longest *longest, uint32_t rank, int64_t *from_ns, int64_t *to_ns);
/* After both passes: the part that took most of the longest run. False: no run was found. */
struct longest_cause {
    const struct site *zone;
    uint64_t ns;
    int64_t at_ns;
    const char *what,
        *name;        /* "zone", "wait for", "interrupt", "other task"; "itself" has the name "" */
    uint64_t part_ns; /* of the run */
    const struct track *other; /* the releaser of the lock that it waited for, or NULL */
};
bool longest_cause(struct longest *longest, struct longest_cause *cause);
void longest_free(struct longest *longest);

#endif
