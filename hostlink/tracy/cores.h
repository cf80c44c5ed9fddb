/* SPDX-License-Identifier: MIT */
/* Which row each core runs: Tracy's context switches. Viewers always get a consistent sequence: each core and
 * each row in order, no row on two cores at a time. */
#ifndef HOSTLINK_TRACY_CORES_H
#define HOSTLINK_TRACY_CORES_H

#include "tracy/stream.h"
#include "tracy/tracks.h"

#define TRACY_CORES_MAX 64u /* cores beyond are not shown, or share the last place */

struct tracy_core {
    uint32_t running; /* a row, 0 = nothing is known */
    uint32_t shown;   /* as the viewer has it */
    int64_t last_ns;  /* of the last switch that it got */
};

/* All zero is the start. */
struct tracy_cores {
    struct tracy_core core[TRACY_CORES_MAX];
};

/* The row's core now runs it. "stream" is NULL while there is no viewer. */
void tracy_cores_run(struct tracy_cores *cores, struct tracy_tracks *tracks,
                     struct tracy_stream *stream, const struct track *track, int64_t time_ns);
/* The core ran an unknown row in between; then it runs the same row as before. */
void tracy_cores_gap(struct tracy_cores *cores, struct tracy_tracks *tracks,
                     struct tracy_stream *stream, uint32_t core, int64_t start_ns, int64_t end_ns);
/* EVENT_TASK: why the row will leave its core, or that it may run. EVENT_TASK_PRIORITY. */
void tracy_cores_task(struct tracy_tracks *tracks, struct tracy_stream *stream,
                      const struct event *event, int64_t time_ns);
/* A new viewer learns what runs now. */
void tracy_cores_begin(struct tracy_cores *cores, struct tracy_tracks *tracks,
                       struct tracy_stream *stream, int64_t now_ns);

/* Nothing runs any more: a viewer draws only what has ended. */
void tracy_cores_end(struct tracy_cores *cores, struct tracy_tracks *tracks,
                     struct tracy_stream *stream, int64_t now_ns);

#endif
