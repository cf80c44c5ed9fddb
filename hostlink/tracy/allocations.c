/* SPDX-License-Identifier: MIT */
#include "tracy/allocations.h"

#include "tracy/names.h"
#include "tracy/tracks.h"

/* Tracy: an allocation's size is less than 2^47; addresses are kept in 56 bits with their sign. */
#define ALLOC_BYTES_MAX ((UINT64_C(1) << 47) - 1)

void tracy_allocations_begin(struct tracy_allocations *a) {
    liveset_free(&a->live);
    a->memory_ns = a->sent_ns = 0;
}

void tracy_allocations_free(struct tracy_allocations *a) { liveset_free(&a->live); }

static void repaired(struct tracy_allocations *a, const struct tracy_block_event *event,
                     enum tracy_repair repair) {
    a->repaired(a->context, event->thread, event->time_ns, repair);
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

static uint64_t address_of(const struct tracy_block_event *event) {
    return (uint64_t)((int64_t)(event->address << 8) >> 8);
}

/* The time to tell the viewer. Where it plots usage it puts frees before allocations of the same
 * time, so that with a coarse clock a free must be moved 1 ns after its allocation, and later
 * times with it. */
static int64_t memory_time(struct tracy_allocations *a, const struct tracy_block_event *event,
                           int64_t after_ns) {
    if (event->time_ns < a->memory_ns) {
        repaired(a, event, TRACY_REPAIR_TIME_BACK);
    } else {
        a->memory_ns = event->time_ns;
    }
    const int64_t time_ns = a->memory_ns;
    a->sent_ns = time_ns > a->sent_ns ? time_ns : a->sent_ns;
    a->sent_ns = after_ns < a->sent_ns ? a->sent_ns : after_ns + 1;
    return a->sent_ns;
}

/* Takes the block out of the set. The time of its allocation, or -1 if it is not there. */
static int64_t forget_block(struct tracy_allocations *a, const struct tracy_block_event *event) {
    return (int64_t)liveset_remove(&a->live, pool_number(event->key), address_of(event)) - 1;
}

/* With its call stack before it. */
static struct tracy_block block_of(struct tracy_allocations *a,
                                   const struct tracy_block_event *event, int64_t time_ns) {
    const struct tracy_block block = {.time_ns = time_ns,
                                      .pool = event->key,
                                      .address = address_of(event),
                                      .thread = event->thread,
                                      .called = tracy_has_callstack(event->stack)};
    if (block.called) {
        if (tracy_callstacks_unfit(event->stack)) {
            repaired(a, event, TRACY_REPAIR_ADDRESS);
        }
        tracy_callstacks_put(a->callstacks, a->stream, TRACY_CALLSTACK_SERIAL, event->stack);
    }
    return block;
}

static void put_alloc(struct tracy_allocations *a, const struct tracy_block_event *event) {
    uint64_t address = address_of(event), bytes = event->bytes;
    int64_t before_ns = forget_block(a, event);
    int64_t time_ns = memory_time(a, event, before_ns);
    if (before_ns >= 0) {
        const struct tracy_block freed = {
            .time_ns = time_ns, .pool = event->key, .address = address, .thread = event->thread};
        tracy_put_free(a->stream, &freed);
        repaired(a, event, TRACY_REPAIR_ALLOC_TWICE);
    }
    if (!liveset_add(&a->live, pool_number(event->key), address, (uint64_t)time_ns + 1)) {
        repaired(a, event, TRACY_REPAIR_TOO_MUCH_MEMORY);
        return;
    }
    if (bytes > ALLOC_BYTES_MAX) {
        bytes = ALLOC_BYTES_MAX;
        repaired(a, event, TRACY_REPAIR_ALLOC_SIZE);
    }
    const struct tracy_block block = block_of(a, event, time_ns);
    tracy_put_alloc(a->stream, &block, bytes);
}

/* "event->bytes" is not 0 if the allocation was seen before this viewer came: then nothing is
 * wrong. */
static void put_free(struct tracy_allocations *a, const struct tracy_block_event *event) {
    uint64_t address = address_of(event);
    int64_t alloc_ns = forget_block(a, event);
    if (alloc_ns < 0) {
        if (event->bytes == 0 && address != 0) { /* freeing NULL is allowed */
            repaired(a, event, TRACY_REPAIR_UNKNOWN_FREE);
        }
        return;
    }
    int64_t time_ns = memory_time(a, event, alloc_ns);
    const struct tracy_block block = block_of(a, event, time_ns);
    tracy_put_free(a->stream, &block);
}

void tracy_allocations_put(struct tracy_allocations *a, const struct tracy_block_event *event) {
    if (event->kind == EVENT_ALLOC) {
        put_alloc(a, event);
    } else {
        put_free(a, event);
    }
}

static void free_block(void *context, uint32_t pool, uint64_t address) {
    struct tracy_allocations *a = context;
    const struct tracy_block block = {.time_ns = a->sent_ns,
                                      .pool = pool_key(pool),
                                      .address = address,
                                      .thread = TRACY_THREAD_LOST};
    tracy_put_free(a->stream, &block);
}

static void reach(struct tracy_allocations *a, int64_t time_ns) {
    a->memory_ns = a->sent_ns = time_ns > a->sent_ns ? time_ns : a->sent_ns + 1;
}

void tracy_allocations_reset_pool(struct tracy_allocations *a, uint64_t key, int64_t time_ns) {
    if (liveset_count(&a->live, pool_number(key)) > 0) {
        reach(a, time_ns);
        liveset_each_of(&a->live, pool_number(key), a, free_block);
        liveset_forget(&a->live, pool_number(key));
    }
}

void tracy_allocations_reset(struct tracy_allocations *a, int64_t time_ns) {
    if (a->live.used > 0) {
        reach(a, time_ns);
    }
    liveset_each(&a->live, a, free_block);
    liveset_free(&a->live);
}
