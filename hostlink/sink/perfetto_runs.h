/* SPDX-License-Identifier: MIT */
/* The runs of each core: main code and tasks are threads in the table of schedulings, interrupts are slices that
 * nest. */
#ifndef HOSTLINK_PERFETTO_RUNS_H
#define HOSTLINK_PERFETTO_RUNS_H

#include "sink/perfetto_rows.h"

/* 0 or -errno, as for the next. */
int perfetto_switch(struct perfetto_rows *rows, const struct perfetto_track *track,
                    const struct event *event);
/* Ends the running slices where events were lost, and begins them again after the loss. */
int perfetto_gap(struct perfetto_rows *rows, const struct perfetto_track *track,
                 const struct event *event);
/* EVENT_TRACK_END: writes and ends the track's run. */
int perfetto_forget(struct perfetto_rows *rows, const struct track *track);
/* The output ends. The file keeps errors of writing. */
void perfetto_runs_end(struct perfetto_rows *rows);

/* EVENT_TASK. 0 or -errno. */
int perfetto_task_event(struct perfetto_rows *rows, struct perfetto_track *track,
                        const struct event *event);

#endif
