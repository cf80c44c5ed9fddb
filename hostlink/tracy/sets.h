/* SPDX-License-Identifier: MIT */
/* What must be consistent over all cores: memory of each pool and sets of frames. What the viewer would
 * reject, also a time that goes back, is mended. */
#ifndef HOSTLINK_TRACY_SETS_H
#define HOSTLINK_TRACY_SETS_H

#include "base/intmap.h"
#include "base/liveset.h"
#include "model/event.h"
#include "tracy/callstacks.h"
#include "tracy/repair.h"
#include "tracy/stream.h"

enum tracy_frame_mode { TRACY_FRAMES_UNUSED, TRACY_FRAMES_MARKS, TRACY_FRAMES_SPANS };

struct tracy_frame_set {
    uint64_t key;
    enum tracy_frame_mode mode;
    bool open;
    int64_t last_ns;
};

typedef void tracy_repair_sink(void *context, uint32_t thread, int64_t time_ns,
                               enum tracy_repair repair);

struct tracy_set_event {
    int64_t time_ns;
    enum event_kind kind;
    uint32_t thread;
    uint64_t key; /* of the pool or the set */
    uint64_t address, bytes;
    const struct callstack *stack; /* of memory; NULL = none */
};

struct tracy_sets {
    struct tracy_stream *stream;
    struct tracy_callstacks *calls;
    tracy_repair_sink *repaired;
    void *context;
    struct liveset live; /* of this viewer; the number is the time of the allocation + 1 */
    int64_t start_ns;    /* of this viewer's first frame */
    uint64_t marks;      /* of the main set, given to this viewer */
    int64_t memory_ns;   /* time of the last event of memory */
    int64_t sent_ns;     /* as the viewer got it */
    struct tracy_frame_set *frames;
    size_t frame_count, frame_capacity;
    struct intmap frame_numbers; /* by key: its number + 1 */
};

/* A new viewer, whose first frame begins at "now_ns". */
void tracy_sets_begin(struct tracy_sets *sets, int64_t now_ns);
void tracy_sets_free(struct tracy_sets *sets);

/* 0 or -ENOMEM. */
int tracy_sets_put(struct tracy_sets *sets, const struct tracy_set_event *event);
/* One of several boards was reset: the memory of its pool is free again. */
void tracy_sets_reset_pool(struct tracy_sets *sets, uint64_t key, int64_t time_ns);
/* The board was reset: its memory is free again. */
void tracy_sets_reset(struct tracy_sets *sets, int64_t time_ns);

#endif
