/* SPDX-License-Identifier: MIT */
#include "tracy/sets.h"

#include <errno.h>
#include <stdlib.h>

#include "tracy/names.h"
#include "tracy/tracks.h"

/* Tracy: an allocation's size is less than 2^47; addresses are kept in 56 bits with their sign. */
#define ALLOC_BYTES_MAX ((UINT64_C(1) << 47) - 1)

void tracy_sets_free(struct tracy_sets *sets) {
    liveset_free(&sets->live);
    free(sets->frames);
    sets->frames = NULL;
    intmap_free(&sets->frame_numbers);
    sets->frame_count = sets->frame_capacity = 0;
}

void tracy_sets_begin(struct tracy_sets *sets, int64_t now_ns) {
    liveset_free(&sets->live);
    sets->memory_ns = sets->sent_ns = 0;
    sets->frame_count = 0;
    intmap_free(&sets->frame_numbers);
    sets->start_ns = now_ns;
    sets->marks = 0;
}

static struct tracy_frame_set *frame_set(struct tracy_sets *sets, uint64_t key) {
    const uint32_t number = intmap_get(&sets->frame_numbers, key);
    if (number != 0) {
        return &sets->frames[number - 1];
    }
    if (sets->frame_count == sets->frame_capacity) {
        size_t capacity = sets->frame_capacity == 0 ? 16 : sets->frame_capacity * 2;
        struct tracy_frame_set *frames = realloc(sets->frames, capacity * sizeof *frames);
        if (frames == NULL) {
            return NULL;
        }
        sets->frames = frames;
        sets->frame_capacity = capacity;
    }
    if (intmap_add(&sets->frame_numbers, key, (uint32_t)sets->frame_count + 1) != 0) {
        return NULL;
    }
    sets->frames[sets->frame_count] = (struct tracy_frame_set){
        .key = key,
        /* The viewer has put a frame at the start into the main set. */
        .mode = key == 0 ? TRACY_FRAMES_MARKS : TRACY_FRAMES_UNUSED,
        .last_ns = key == 0 ? sets->start_ns : 0,
    };
    return &sets->frames[sets->frame_count++];
}

static void repaired(struct tracy_sets *sets, const struct tracy_set_event *event,
                     enum tracy_repair repair) {
    sets->repaired(sets->context, event->thread, event->time_ns, repair);
}

/* The time of an item that must not be earlier than "*last_ns". */
static int64_t not_before(struct tracy_sets *sets, const struct tracy_set_event *event,
                          int64_t *last_ns) {
    if (event->time_ns < *last_ns) {
        repaired(sets, event, TRACY_REPAIR_TIME_BACK);
    } else {
        *last_ns = event->time_ns;
    }
    return *last_ns;
}

/* The set of live allocations knows pools by 32 bits. */
#define POOL_UNNAMED UINT32_C(0x20000000)
static uint32_t pool_number(uint64_t key) {
    return key == 0 ? POOL_UNNAMED
                    : (uint32_t)key | (key >= TRACY_KEY_LATE ? UINT32_C(0x40000000) : 0);
}

static uint64_t pool_key(uint32_t number) {
    return number == POOL_UNNAMED
               ? 0
               : (number & UINT32_C(0x3fffffff)) +
                     ((number & UINT32_C(0x40000000)) != 0 ? TRACY_KEY_LATE : TRACY_KEY_TEXT);
}

static uint64_t address_of(const struct tracy_set_event *event) {
    return (uint64_t)((int64_t)(event->address << 8) >> 8);
}

/* The time to tell the viewer. Where it plots usage it puts frees before allocations of the same
 * time, so that with a coarse clock a free must be moved 1 ns behind its allocation, and what
 * follows with it. */
static int64_t memory_time(struct tracy_sets *sets, const struct tracy_set_event *event,
                           int64_t after_ns) {
    int64_t time_ns = not_before(sets, event, &sets->memory_ns);
    sets->sent_ns = time_ns > sets->sent_ns ? time_ns : sets->sent_ns;
    sets->sent_ns = after_ns < sets->sent_ns ? sets->sent_ns : after_ns + 1;
    return sets->sent_ns;
}

/* Takes the block out of the set. The time of its allocation, or -1 if it is not there. */
static int64_t forget_block(struct tracy_sets *sets, const struct tracy_set_event *event) {
    return (int64_t)liveset_remove(&sets->live, pool_number(event->key), address_of(event)) - 1;
}

/* With its call stack before it. */
static struct tracy_block block_of(struct tracy_sets *sets, const struct tracy_set_event *event,
                                   int64_t time_ns) {
    const struct tracy_block block = {.time_ns = time_ns,
                                      .pool = event->key,
                                      .address = address_of(event),
                                      .thread = event->thread,
                                      .called = tracy_has_callstack(event->stack)};
    if (block.called) {
        if (tracy_callstacks_unfit(event->stack)) {
            repaired(sets, event, TRACY_REPAIR_ADDRESS);
        }
        tracy_callstacks_put(sets->calls, sets->stream, TRACY_CALLSTACK_SERIAL, event->stack);
    }
    return block;
}

static void put_alloc(struct tracy_sets *sets, const struct tracy_set_event *event) {
    uint64_t address = address_of(event), bytes = event->bytes;
    int64_t before_ns = forget_block(sets, event);
    int64_t time_ns = memory_time(sets, event, before_ns);
    if (before_ns >= 0) {
        const struct tracy_block freed = {
            .time_ns = time_ns, .pool = event->key, .address = address, .thread = event->thread};
        tracy_put_free(sets->stream, &freed);
        repaired(sets, event, TRACY_REPAIR_ALLOC_TWICE);
    }
    if (!liveset_add(&sets->live, pool_number(event->key), address, (uint64_t)time_ns + 1)) {
        repaired(sets, event, TRACY_REPAIR_TOO_MUCH_MEMORY);
        return;
    }
    if (bytes > ALLOC_BYTES_MAX) {
        bytes = ALLOC_BYTES_MAX;
        repaired(sets, event, TRACY_REPAIR_ALLOC_SIZE);
    }
    const struct tracy_block block = block_of(sets, event, time_ns);
    tracy_put_alloc(sets->stream, &block, bytes);
}

/* "event->bytes" is not 0 if the allocation was seen before this viewer came: then nothing is
 * wrong. */
static void put_free(struct tracy_sets *sets, const struct tracy_set_event *event) {
    uint64_t address = address_of(event);
    int64_t alloc_ns = forget_block(sets, event);
    if (alloc_ns < 0) {
        if (event->bytes == 0 && address != 0) { /* freeing NULL is allowed */
            repaired(sets, event, TRACY_REPAIR_UNKNOWN_FREE);
        }
        return;
    }
    int64_t time_ns = memory_time(sets, event, alloc_ns);
    const struct tracy_block block = block_of(sets, event, time_ns);
    tracy_put_free(sets->stream, &block);
}

static void put_frame_item(struct tracy_sets *sets, const struct tracy_frame_set *set,
                           enum tracy_item item, int64_t time_ns) {
    const struct tracy_fields fields = {.time_ns = time_ns, .key = set->key};
    tracy_put_item(sets->stream, item, &fields);
}

static void put_mark(struct tracy_sets *sets, const struct tracy_set_event *event,
                     struct tracy_frame_set *set) {
    int64_t time_ns = not_before(sets, event, &set->last_ns);
    put_frame_item(sets, set, TRACY_FRAME_MARK_MSG, time_ns);
    sets->marks += set->key == 0;
}

static void put_span(struct tracy_sets *sets, const struct tracy_set_event *event,
                     struct tracy_frame_set *set) {
    bool start = event->kind == EVENT_FRAME_START;
    if (!start && !set->open) {
        return; /* it started before this viewer came */
    }
    int64_t time_ns = not_before(sets, event, &set->last_ns);
    if (start && set->open) {
        put_frame_item(sets, set, TRACY_FRAME_MARK_MSG_END, time_ns);
        repaired(sets, event, TRACY_REPAIR_FRAME_TWICE);
    }
    set->open = start;
    put_frame_item(sets, set, start ? TRACY_FRAME_MARK_MSG_START : TRACY_FRAME_MARK_MSG_END,
                   time_ns);
}

static int put_frame(struct tracy_sets *sets, const struct tracy_set_event *event) {
    bool mark = event->kind == EVENT_FRAME;
    struct tracy_frame_set *set = frame_set(sets, event->key);
    if (set == NULL) {
        return -ENOMEM;
    }
    if (set->mode == TRACY_FRAMES_UNUSED) {
        set->mode = mark ? TRACY_FRAMES_MARKS : TRACY_FRAMES_SPANS;
    }
    if ((set->mode == TRACY_FRAMES_MARKS) != mark) {
        repaired(sets, event, TRACY_REPAIR_FRAME_MIXED);
    } else if (mark) {
        put_mark(sets, event, set);
    } else {
        put_span(sets, event, set);
    }
    return 0;
}

int tracy_sets_put(struct tracy_sets *sets, const struct tracy_set_event *event) {
    switch (event->kind) {
    case EVENT_ALLOC:
        put_alloc(sets, event);
        return 0;
    case EVENT_FREE:
        put_free(sets, event);
        return 0;
    default:
        return put_frame(sets, event);
    }
}

static void free_block(void *context, uint32_t pool, uint64_t address) {
    struct tracy_sets *sets = context;
    const struct tracy_block block = {.time_ns = sets->sent_ns,
                                      .pool = pool_key(pool),
                                      .address = address,
                                      .thread = TRACY_THREAD_LOST};
    tracy_put_free(sets->stream, &block);
}

static void reach(struct tracy_sets *sets, int64_t time_ns) {
    sets->memory_ns = sets->sent_ns = time_ns > sets->sent_ns ? time_ns : sets->sent_ns + 1;
}

void tracy_sets_reset_pool(struct tracy_sets *sets, uint64_t key, int64_t time_ns) {
    if (liveset_count(&sets->live, pool_number(key)) > 0) {
        reach(sets, time_ns);
        liveset_each_of(&sets->live, pool_number(key), sets, free_block);
        liveset_forget(&sets->live, pool_number(key));
    }
}

void tracy_sets_reset(struct tracy_sets *sets, int64_t time_ns) {
    if (sets->live.used > 0) {
        reach(sets, time_ns);
    }
    liveset_each(&sets->live, sets, free_block);
    liveset_free(&sets->live);
}
