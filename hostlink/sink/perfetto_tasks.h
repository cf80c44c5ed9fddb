/* SPDX-License-Identifier: MIT */
/* States of a kernel's tasks as Perfetto's tables of schedulings and thread states have them, with who woke a task and
 * what it waits for. */
#ifndef HOSTLINK_PERFETTO_TASKS_H
#define HOSTLINK_PERFETTO_TASKS_H

#include "sink/perfetto_rows.h"

/* EVENT_TASK. 0 or -errno. */
int perfetto_task_event(struct perfetto_rows *rows, struct perfetto_track *track,
                        const struct event *event);
/* What the core ran is not known from then on: a thread of that name. */
int perfetto_task_lost(struct perfetto_rows *rows, struct perfetto_line *core, int64_t time_ns);

#endif
