/* SPDX-License-Identifier: MIT */
/* The runs of each core: consecutive slices of time of main code, a task or an interrupt, and the runs of
 * interrupts, which nest. Computed from context switches; runs are unknown where events were lost. */
#ifndef HOSTLINK_RUNNING_H
#define HOSTLINK_RUNNING_H

#include "model/event.h"

#define RUNNING_NEST_MAX 32u

/* A core ran "track" from "from_ns" to "to_ns", and nothing else. */
struct running_slice {
    const struct track *track;
    uint32_t core;
    int64_t from_ns, to_ns;
};

/* From entry to return. */
struct running_interrupt {
    const struct track *track;
    int64_t from_ns, to_ns;
    int64_t self_ns; /* without the interrupts that preempted it */
    uint32_t depth;  /* interrupts that ran at the same time, itself included */
};

/* From the switch to a task, or to main code, to that to another one. */
struct running_task {
    const struct track *track;
    int64_t from_ns;
    int64_t self_ns; /* without interrupts, and without losses */
};

struct running_core;

/* All zero, except the calls, which may be NULL, and their context. */
struct running {
    void *context;
    int (*slice)(void *context, const struct running_slice *slice);
    int (*interrupt)(void *context, const struct running_interrupt *run);
    int (*task)(void *context, const struct running_task *run);
    struct running_core *cores; /* by number */
    uint32_t core_count;
    int64_t last_ns;
};

/* Takes any event. Returns 0, -ENOMEM, or the error of a call. */
int running_event(struct running *running, const struct event *event);
/* The capture has ended: the last slices. Frees. */
int running_end(struct running *running);

#endif
