/* SPDX-License-Identifier: MIT */
/* Conditions over all rows of a session: a block of a pool is allocated once before it is freed,
 * with one size, and one frame of a set, and one asynchronous zone of a row, is open at a time. */
#include <string.h>

#include "legal_events.h"

struct legal_set *legal_set(struct legal *legal, const struct site *site) {
    for (size_t i = 0; i < legal->set_count; i++) {
        if (strcmp(legal->sets[i].name, site->name) == 0) {
            return &legal->sets[i];
        }
    }
    legal->sets =
        legal_grown(legal->sets, &legal->set_capacity, legal->set_count + 1, sizeof *legal->sets);
    legal->sets[legal->set_count] = (struct legal_set){.name = site->name};
    return &legal->sets[legal->set_count++];
}

const char *legal_frame_event(struct legal *legal, const struct event *event) {
    struct legal_set *set = legal_set(legal, event->site);
    const bool starts = event->kind == EVENT_FRAME_START, open = set->site != NULL;
    set->site = starts ? event->site : NULL;
    set->track = event->track;
    return !event->site->known ? "a frame of a set without a name"
           : starts && open    ? "a frame inside a frame"
           : !starts && !open  ? "a frame ends that did not start"
                               : NULL;
}

/* Pools of equal name are one. */
static uint32_t pool_of(const struct site *site) {
    return site->pool != 0 ? site->pool - 1 : site->id;
}

bool legal_block(struct legal *legal, const struct event *event) {
    return liveset_has(&legal->blocks, pool_of(event->site), event->u.memory.address);
}

uint64_t legal_block_bytes(struct legal *legal, const struct event *event) {
    const uint32_t pool = pool_of(event->site);
    const bool live = legal_block(legal, event);
    const uint64_t bytes = liveset_remove(&legal->blocks, pool, event->u.memory.address);
    if (live) {
        (void)liveset_add(&legal->blocks, pool, event->u.memory.address, bytes);
    }
    return bytes;
}

const char *legal_memory_event(struct legal *legal, const struct event *event) {
    const uint32_t pool = pool_of(event->site);
    const bool live = legal_block(legal, event);
    if (event->kind == EVENT_FREE) {
        const uint64_t bytes = liveset_remove(&legal->blocks, pool, event->u.memory.address);
        return bytes != event->u.memory.bytes ? "a block is freed with another size than it had"
               : event->u.memory.repaired && !live ? "a block is freed first that is free"
                                                   : NULL;
    }
    if (!live && !event->u.memory.unkept) {
        (void)liveset_add(&legal->blocks, pool, event->u.memory.address, event->u.memory.bytes);
    }
    return live ? "a block is allocated that is not free" : NULL;
}

static uint32_t number_of(struct legal *legal, const struct site *site) {
    return (uint32_t)(legal_set(legal, site) - legal->sets);
}

uint64_t legal_async(struct legal *legal, const struct event *event) {
    const uint32_t set = number_of(legal, event->site);
    const uint64_t number = liveset_remove(&legal->asyncs, set, event->u.flow.row);
    if (number != 0) {
        (void)liveset_add(&legal->asyncs, set, event->u.flow.row, number);
    }
    return number;
}

const char *legal_async_event(struct legal *legal, const struct event *event) {
    const uint32_t set = number_of(legal, event->site);
    const uint64_t open = liveset_remove(&legal->asyncs, set, event->u.flow.row);
    if (event->kind == EVENT_ASYNC_END) {
        return open == 0                      ? "an asynchronous zone ends that is not open"
               : open != event->u.flow.number ? "another asynchronous zone is in that row"
               : event->u.flow.start_ns > event->time_ns ? "an asynchronous zone of negative length"
                                                         : NULL;
    }
    legal->sets[set].async = event->track;
    (void)liveset_add(&legal->asyncs, set, event->u.flow.row, event->u.flow.number);
    return !event->site->known         ? "an asynchronous zone without a name"
           : event->u.flow.number == 0 ? "an asynchronous zone without a number"
           : open != 0                 ? "an asynchronous zone begins in the row of another one"
                                       : NULL;
}
