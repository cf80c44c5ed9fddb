/* SPDX-License-Identifier: MIT */
/* Engines that tell of their work afterwards, as a viewer's GPU contexts: a zone has the time when it was submitted,
 * and that when it ran. */
#ifndef HOSTLINK_TRACY_GPU_H
#define HOSTLINK_TRACY_GPU_H

#include "tracy/stream.h"
#include "tracy/tracks.h"

/* A viewer numbers contexts with 8 bits; further engines are threads. */
#define TRACY_GPUS_MAX 255u

/* All zero is the start. */
struct tracy_gpus {
    uint32_t count;
    /* The viewer's state. */
    bool told[TRACY_GPUS_MAX];
    uint16_t query[TRACY_GPUS_MAX]; /* number of the next time */
    int64_t calibrated_ns[TRACY_GPUS_MAX];
};

/* Another viewer knows nothing yet. */
void tracy_gpus_forget(struct tracy_gpus *gpus);
/* The row's zones are those of a context, which it gets with its first zone. */
bool tracy_gpu_has(struct tracy_gpus *gpus, struct tracy_track *track);
/* The times are the viewer's; those of one row do not go back. */
void tracy_gpu_begin(struct tracy_gpus *gpus, struct tracy_stream *stream,
                     const struct tracy_track *track, int64_t submitted_ns, int64_t time_ns,
                     uint64_t place);
void tracy_gpu_end(struct tracy_gpus *gpus, struct tracy_stream *stream,
                   const struct tracy_track *track, int64_t submitted_ns, int64_t time_ns);

#endif
