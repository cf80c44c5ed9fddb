/* SPDX-License-Identifier: MIT */
#include "tracy/tracks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void tracy_tracks_free(struct tracy_tracks *tracks) {
    for (uint32_t i = 0; i < tracks->count; i++) {
        free(tracks->tracks[i].zones);
    }
    free(tracks->tracks);
    *tracks = (struct tracy_tracks){0};
}

static bool grow(struct tracy_tracks *tracks, uint32_t id) {
    uint32_t count = id + id / 2 + 16;
    count = count < TRACY_TRACKS_MAX ? count : TRACY_TRACKS_MAX;
    struct tracy_track *bigger = realloc(tracks->tracks, count * sizeof *bigger);
    if (bigger == NULL) {
        return false;
    }
    memset(bigger + tracks->count, 0, (count - tracks->count) * sizeof *bigger);
    tracks->tracks = bigger;
    tracks->count = count;
    return true;
}

struct tracy_track *tracy_tracks_get(struct tracy_tracks *tracks, const struct track *track) {
    if (track->id >= TRACY_TRACKS_MAX || (track->id >= tracks->count && !grow(tracks, track->id))) {
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
    if (track->depth == track->capacity) {
        uint32_t capacity = track->capacity == 0 ? 16 : track->capacity * 2;
        struct tracy_open_zone *zones = realloc(track->zones, capacity * sizeof *zones);
        if (zones == NULL) {
            return -ENOMEM;
        }
        track->zones = zones;
        track->capacity = capacity;
    }
    track->zones[track->depth++] = (struct tracy_open_zone){start_ns, site};
    return 0;
}
