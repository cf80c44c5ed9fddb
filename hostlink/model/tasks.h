/* SPDX-License-Identifier: MIT */
/* The tasks of a kernel: the state of each, why it has it, and which task or interrupt brought it there. Outputs get
 * each change resolved and use nothing else, so they cannot disagree. Memory grows with tasks and objects only. */
#ifndef HOSTLINK_TASKS_H
#define HOSTLINK_TASKS_H

#include "model/tracks.h"
#include "wire/decode.h"

struct timeline;

/* The tasks of a kernel; all zero is the start of a session. */
struct tasks {
    bool told;                 /* by the kernel: a task that leaves and reports no wait is ready */
    struct track_state *known; /* those whose state is known, but those that are over */
    struct track_state
        *runs[WIRE_LANES]; /* by lane, also while that runs an interrupt; NULL: not known */
};

/* The calls return 0, or the value of the timeline's "emit". */
/* An event of KYMO_ROLE_TASK. */
int tasks_event(struct timeline *timeline, uint32_t lane, const struct wire_event *wire,
                int64_t time_ns);
/* The lane runs "next" from now on: the previous task leaves, and "next" leaves the core that it still ran on, before
 * EVENT_SWITCH; "next" enters after that. "certain": no switch between was refused. */
int tasks_leave(struct timeline *timeline, uint32_t lane, struct track_state *next, int64_t time_ns,
                bool certain);
int tasks_enter(struct timeline *timeline, uint32_t lane, struct track_state *state,
                int64_t time_ns);
/* After tasks_lost(): the lane runs the same as before, unless it reports otherwise. */
int tasks_go_on(struct timeline *timeline, uint32_t lane, int64_t time_ns);
int tasks_over(struct timeline *timeline, struct track_state *state, int64_t time_ns);
/* Events of the lane were lost from that time on: the state of every task is unknown, but of those that run on other
 * lanes. */
int tasks_lost(struct timeline *timeline, uint32_t lane, int64_t start_ns);

#endif
