/* SPDX-License-Identifier: MIT */
/* States of a kernel's tasks in Chrome's JSON: a row beside that of each task. */
#ifndef HOSTLINK_CHROME_TASKS_H
#define HOSTLINK_CHROME_TASKS_H

#include "sink/chrome_event.h"

/* The state of one task; all zero is the start. */
struct chrome_states {
    bool declared, open;
    uint32_t tid, session;
    const struct event_board *board;
};

struct track_zones {
    const struct track *track;
    struct zone_stack stack;
    struct chrome_states states;
};

/* EVENT_TASK. */
void chrome_task(struct chrome *chrome, struct chrome_states *states, const struct event *event);
/* The session ends, or the output. */
void chrome_task_end(struct chrome *chrome, struct chrome_states *states);

#endif
