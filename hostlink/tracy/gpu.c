/* SPDX-License-Identifier: MIT */
#include "tracy/gpu.h"

#include <stdio.h>

#define CALIBRATED_NS INT64_C(1000000000)

void tracy_gpus_forget(struct tracy_gpus *gpus) {
    *gpus = (struct tracy_gpus){.count = gpus->count};
}

bool tracy_gpu_has(struct tracy_gpus *gpus, struct tracy_track *track) {
    const struct device *device = track->track->device;
    if (device == NULL || !device->engine) {
        return false;
    }
    if (track->gpu == 0 && gpus->count < TRACY_GPUS_MAX) {
        track->gpu = (uint8_t)++gpus->count;
    }
    return track->gpu != 0;
}

/* The engine's clock is fitted to the board's before: its times are the viewer's own, in nanoseconds. */
static void calibrate(struct tracy_gpus *gpus, struct tracy_stream *stream, uint8_t context,
                      int64_t time_ns) {
    const int64_t passed = time_ns - gpus->calibrated_ns[context];
    if (passed >= CALIBRATED_NS) {
        const struct tracy_fields fields = {
            .time_ns = time_ns, .key = (uint64_t)passed, .flag = context};
        tracy_put_item(stream, TRACY_GPU_CALIBRATION, &fields);
        gpus->calibrated_ns[context] = time_ns;
    }
}

static void announce(struct tracy_gpus *gpus, struct tracy_stream *stream,
                     const struct tracy_track *track, uint8_t context, int64_t time_ns) {
    char name[256];
    const int length = snprintf(name, sizeof name, "%.100s: %.150s", track->track->device->name,
                                track->track->name);
    gpus->told[context] = true;
    gpus->calibrated_ns[context] = time_ns;
    tracy_put_gpu_context(stream, context, time_ns, name, (size_t)length);
}

/* When it was given to the engine, and right after that when it ran. */
static void put_times(struct tracy_gpus *gpus, struct tracy_stream *stream, enum tracy_item item,
                      struct tracy_fields *fields, int64_t submitted_ns, int64_t time_ns) {
    fields->time_ns = submitted_ns;
    fields->id = gpus->query[fields->flag]++;
    tracy_put_item(stream, item, fields);
    fields->time_ns = time_ns;
    tracy_put_item(stream, TRACY_GPU_TIME, fields);
}

void tracy_gpu_begin(struct tracy_gpus *gpus, struct tracy_stream *stream,
                     const struct tracy_track *track, int64_t submitted_ns, int64_t time_ns,
                     uint64_t place) {
    const uint8_t context = (uint8_t)(track->gpu - 1u);
    struct tracy_fields fields = {.thread = track->track->id, .key = place, .flag = context};
    if (!gpus->told[context]) {
        announce(gpus, stream, track, context, time_ns);
    }
    calibrate(gpus, stream, context, time_ns);
    put_times(gpus, stream, TRACY_GPU_ZONE_BEGIN_SERIAL, &fields, submitted_ns, time_ns);
}

void tracy_gpu_end(struct tracy_gpus *gpus, struct tracy_stream *stream,
                   const struct tracy_track *track, int64_t submitted_ns, int64_t time_ns) {
    struct tracy_fields fields = {.thread = track->track->id, .flag = (uint8_t)(track->gpu - 1u)};
    put_times(gpus, stream, TRACY_GPU_ZONE_END_SERIAL, &fields, submitted_ns, time_ns);
}
