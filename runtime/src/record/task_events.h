/* SPDX-License-Identifier: MIT */
/* Facts about a kernel's tasks for the sending files. Private to the runtime. */
#ifndef KYMO_TASK_EVENTS_H
#define KYMO_TASK_EVENTS_H

#include "../ring/lane.h"

#if KYMO_TASKS

struct kymo_kernel {
    const char *name; /* NULL: no kernel told of itself */
    uint32_t ticks_hz;
    bool greater_first;
};
extern struct kymo_kernel kymo_kernel;

/* Work for the next switches. */
extern struct kymo_tasks_due {
    uint32_t reasons; /* preempted tasks whose reason is kept */
    uint32_t untold;  /* places of names that are still to be looked at for a host that came late */
} kymo_tasks_due;

/* For a call in a task; 0: the kernel has not started. */
kymo_context kymo_task_that_runs(void);

/* A host may have come that does not know the names. Any context. */
static inline void kymo_tasks_again(void) { KYMO_STORE(kymo_tasks_due.untold, KYMO_TASKS); }

#else

static inline void kymo_tasks_again(void) {}

#endif

#endif
