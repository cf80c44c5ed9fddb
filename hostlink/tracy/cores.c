#include "tracy/cores.h"

static int64_t later(int64_t a, int64_t b) { return a > b ? a : b; }

/* The core leaves its row for "row", 0 = none. */
static void tell(struct tracy_cores *cores, struct tracy_tracks *tracks,
                 struct tracy_stream *stream, uint32_t number, uint32_t row, int64_t time_ns) {
    struct tracy_core *core = &cores->core[number];
    tracy_put_context_switch(stream, time_ns, (uint8_t)number, core->shown, row);
    if (core->shown != 0) {
        tracks->tracks[core->shown].off_ns = time_ns;
        tracks->tracks[core->shown].sent_core = 0;
    }
    if (row != 0) {
        tracks->tracks[row].sent_core = number + 1;
    }
    core->shown = row;
    core->last_ns = time_ns;
}

static void tell_running(struct tracy_cores *cores, struct tracy_tracks *tracks,
                         struct tracy_stream *stream, uint32_t number, int64_t time_ns) {
    struct tracy_core *core = &cores->core[number];
    uint32_t row = core->running;
    if (core->shown == row) {
        return;
    }
    time_ns = later(time_ns, later(core->last_ns, tracks->tracks[row].off_ns));
    uint32_t other = tracks->tracks[row].sent_core;
    if (other != 0) {
        time_ns = later(time_ns, cores->core[other - 1].last_ns);
        tell(cores, tracks, stream, other - 1, 0, time_ns);
    }
    tell(cores, tracks, stream, number, row, time_ns);
}

void tracy_cores_run(struct tracy_cores *cores, struct tracy_tracks *tracks,
                     struct tracy_stream *stream, const struct track *track, int64_t time_ns) {
    if (track->core >= TRACY_CORES_MAX) {
        return;
    }
    cores->core[track->core].running = track->id;
    if (stream != NULL) {
        tell_running(cores, tracks, stream, track->core, time_ns);
    }
}

void tracy_cores_gap(struct tracy_cores *cores, struct tracy_tracks *tracks,
                     struct tracy_stream *stream, uint32_t number, int64_t start_ns,
                     int64_t end_ns) {
    const struct tracy_core *core = &cores->core[number];
    if (core->shown != 0 && start_ns < end_ns) {
        tell(cores, tracks, stream, number, 0, later(start_ns, core->last_ns));
        tell_running(cores, tracks, stream, number, end_ns);
    }
}

void tracy_cores_begin(struct tracy_cores *cores, struct tracy_tracks *tracks,
                       struct tracy_stream *stream, int64_t now_ns) {
    for (uint32_t i = 0; i < tracks->count; i++) {
        tracks->tracks[i].off_ns = 0;
        tracks->tracks[i].sent_core = 0;
    }
    for (uint32_t i = 0; i < TRACY_CORES_MAX; i++) {
        cores->core[i].shown = 0;
        cores->core[i].last_ns = 0;
    }
    for (uint32_t i = 0; i < TRACY_CORES_MAX; i++) {
        if (cores->core[i].running != 0) {
            tell_running(cores, tracks, stream, i, now_ns);
        }
    }
}

void tracy_cores_end(struct tracy_cores *cores, struct tracy_tracks *tracks,
                     struct tracy_stream *stream, int64_t now_ns) {
    for (uint32_t i = 0; i < TRACY_CORES_MAX; i++) {
        if (cores->core[i].shown != 0) {
            tell(cores, tracks, stream, i, 0, later(now_ns, cores->core[i].last_ns));
        }
    }
}
