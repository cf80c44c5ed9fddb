/* SPDX-License-Identifier: MIT */
/* States of a kernel's tasks for Perfetto's tables of schedulings and thread states, with the waker of a task and
 * the reason of its wait. */
#ifndef HOSTLINK_PERFETTO_TASKS_H
#define HOSTLINK_PERFETTO_TASKS_H

#include "sink/perfetto_rows.h"

/* EVENT_TASK. 0 or -errno. */
int perfetto_task_event(struct perfetto_rows *rows, struct perfetto_track *track,
                        const struct event *event);

#endif
