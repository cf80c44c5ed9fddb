/* SPDX-License-Identifier: MIT */
/* The memory of each pool, over all cores. Repairs events that the viewer would reject, also times that go back. */
#ifndef HOSTLINK_TRACY_ALLOCATIONS_H
#define HOSTLINK_TRACY_ALLOCATIONS_H

#include "base/liveset.h"
#include "model/event.h"
#include "tracy/callstacks.h"
#include "tracy/repair.h"
#include "tracy/stream.h"

struct tracy_block_event {
    int64_t time_ns;
    enum event_kind kind; /* EVENT_ALLOC or EVENT_FREE */
    uint32_t thread;
    uint64_t key; /* of the pool */
    uint64_t address, bytes;
    const struct callstack *stack; /* NULL = none */
};

struct tracy_allocations {
    struct tracy_stream *stream;
    struct tracy_callstacks *callstacks;
    tracy_repair_sink *repaired;
    void *context;
    struct liveset live; /* of this viewer; the number is the time of the allocation + 1 */
    int64_t memory_ns;   /* time of the last event of memory */
    int64_t sent_ns;     /* as the viewer got it */
};

/* A new viewer. */
void tracy_allocations_begin(struct tracy_allocations *allocations);
void tracy_allocations_free(struct tracy_allocations *allocations);

void tracy_allocations_put(struct tracy_allocations *allocations,
                           const struct tracy_block_event *event);
/* One of several boards was reset: the memory of its pool is free again. */
void tracy_allocations_reset_pool(struct tracy_allocations *allocations, uint64_t key,
                                  int64_t time_ns);
/* The board was reset: its memory is free again. */
void tracy_allocations_reset(struct tracy_allocations *allocations, int64_t time_ns);

#endif
