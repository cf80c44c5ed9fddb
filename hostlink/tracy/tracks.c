/* SPDX-License-Identifier: MIT */
#include "tracy/tracks.h"

#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"

void tracy_tracks_free(struct tracy_tracks *tracks) {
    for (uint32_t i = 0; i < tracks->count; i++) {
        free(tracks->tracks[i].zones);
    }
    free(tracks->tracks);
    *tracks = (struct tracy_tracks){0};
}

struct tracy_track *tracy_tracks_get(struct tracy_tracks *tracks, const struct track *track) {
    if (track->id >= TRACY_TRACKS_MAX ||
        !grow_zeroed(&tracks->tracks, &tracks->count, track->id, sizeof *tracks->tracks)) {
        return NULL;
    }
    struct tracy_track *found = &tracks->tracks[track->id];
    found->track = track;
    return found;
}

const struct tracy_track *tracy_tracks_find(const struct tracy_tracks *tracks, uint32_t id) {
    return id < tracks->count && tracks->tracks[id].track != NULL ? &tracks->tracks[id] : NULL;
}

int tracy_track_known(struct tracy_track *track, const struct event *event) {
    if (event->kind == EVENT_TRACK_END) {
        free(track->zones);
        track->zones = NULL;
        track->depth = track->capacity = 0;
    }
    return 0;
}

int tracy_track_push(struct tracy_track *track, int64_t start_ns, uint32_t site) {
    if (track->depth == TRACY_DEPTH_MAX) {
        track->beyond++;
        return -E2BIG;
    }
    if (!grow(&track->zones, &track->capacity, track->depth, sizeof *track->zones)) {
        return -ENOMEM;
    }
    track->zones[track->depth++] = (struct tracy_open_zone){start_ns, site};
    return 0;
}
