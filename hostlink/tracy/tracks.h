/* SPDX-License-Identifier: MIT */
/* The rows of the timeline as threads, with their open zones, kept also while no viewer looks. */
#ifndef HOSTLINK_TRACY_TRACKS_H
#define HOSTLINK_TRACY_TRACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/event.h"

/* A thread for the losses of a core; the ids of tracks are below. */
#define TRACY_THREAD_LOST UINT32_C(0x40000000)
#define TRACY_TRACKS_MAX 65000u /* the viewer numbers threads with 16 bits */
#define TRACY_DEPTH_MAX 4096u

struct tracy_open_zone {
    int64_t start_ns;
    uint32_t site;
};

struct tracy_track {
    const struct track *track; /* NULL = this id is not in use */
    int64_t off_ns;            /* when the viewer was told that no core runs it any more */
    uint32_t sent_core;        /* + 1: the core that the viewer has it on, 0 = none */
    bool interrupt;
    bool told, leaves; /* the kernel tells of its states; why it will leave its core */
    bool woken;        /* the viewer was told so, and it has not run since */
    uint8_t reason, state;
    int8_t priority;
    int64_t last_ns;
    struct tracy_open_zone *zones;
    uint32_t depth, capacity;
    uint8_t gpu;          /* number of its GPU context + 1, 0: its zones are those of a thread */
    int64_t submitted_ns; /* of its latest zone: when it came to the engine's queue, or began */
    uint32_t beyond;      /* begins left out at TRACY_DEPTH_MAX whose ends are to come */
};

/* All zero is empty. */
struct tracy_tracks {
    struct tracy_track *tracks; /* by id */
    uint32_t count;
};

void tracy_tracks_free(struct tracy_tracks *tracks);
/* NULL: memory is short, or too many. */
struct tracy_track *tracy_tracks_get(struct tracy_tracks *tracks, const struct track *track);
/* NULL: none of this id. */
const struct tracy_track *tracy_tracks_find(const struct tracy_tracks *tracks, uint32_t id);
/* EVENT_TRACK, or EVENT_TRACK_END: nothing is open any more. 0. */
int tracy_track_known(struct tracy_track *track, const struct event *event);
/* 0, -ENOMEM, or -E2BIG: too deep, counted in "beyond". */
int tracy_track_push(struct tracy_track *track, int64_t start_ns, uint32_t site);

#endif
