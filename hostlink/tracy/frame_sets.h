/* SPDX-License-Identifier: MIT */
/* Sets of frames, over all cores. Repairs events that the viewer would reject, also times that go back. */
#ifndef HOSTLINK_TRACY_FRAME_SETS_H
#define HOSTLINK_TRACY_FRAME_SETS_H

#include "base/intmap.h"
#include "model/event.h"
#include "tracy/repair.h"
#include "tracy/stream.h"

enum tracy_frame_mode { TRACY_FRAMES_UNUSED, TRACY_FRAMES_MARKS, TRACY_FRAMES_SPANS };

struct tracy_frame_set {
    uint64_t key;
    enum tracy_frame_mode mode;
    bool open;
    int64_t last_ns;
};

struct tracy_frame_event {
    int64_t time_ns;
    enum event_kind kind; /* EVENT_FRAME, EVENT_FRAME_START or EVENT_FRAME_END */
    uint32_t thread;
    uint64_t key; /* of the set; 0: the main one */
};

struct tracy_frame_sets {
    struct tracy_stream *stream;
    tracy_repair_sink *repaired;
    void *context;
    int64_t start_ns; /* of this viewer's first frame */
    uint64_t marks;   /* of the main set, given to this viewer */
    struct tracy_frame_set *sets;
    uint32_t count, capacity;
    struct intmap numbers; /* by key: its number + 1 */
};

/* A new viewer, whose first frame begins at "now_ns". */
void tracy_frame_sets_begin(struct tracy_frame_sets *sets, int64_t now_ns);
void tracy_frame_sets_free(struct tracy_frame_sets *sets);

/* 0 or -ENOMEM. */
int tracy_frame_sets_put(struct tracy_frame_sets *sets, const struct tracy_frame_event *event);

#endif
