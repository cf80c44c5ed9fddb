/* SPDX-License-Identifier: MIT */
#include "model/blocks.h"

#include <errno.h>
#include <stdlib.h>

#include "model/timeline_rows.h"

static uint32_t pool_of(const struct timeline *t, const struct event *event) {
    /* The site is the names' own, which are not constant. */
    struct site *site = names_site(t->names, timeline_session_number(t), event->site->id);
    return site != NULL ? names_pool(t->names, site) : event->site->id;
}

void blocks_named_pool(struct timeline *t, uint32_t index) {
    struct site *site = names_site(t->names, timeline_session_number(t), index);
    if (site != NULL && site->pool != 0) {
        const uint32_t before = names_pool(t->names, site);
        liveset_move(&t->live, before, names_name_pool(t->names, site));
    }
}

/* A block begins at the address of one that was not freed: its free was lost, or the firmware did not record it. */
static int free_before(struct timeline *t, struct track_state *state, const struct event *event,
                       uint32_t pool) {
    struct event freed = {.kind = EVENT_FREE, .time_ns = event->time_ns, .site = event->site};
    freed.u.memory.address = event->u.memory.address;
    freed.u.memory.bytes = liveset_remove(&t->live, pool, event->u.memory.address);
    freed.u.memory.repaired = true;
    t->counts.repairs++;
    return timeline_send(t, state, &freed);
}

int blocks_event(struct timeline *t, struct track_state *state, struct event *event) {
    const uint64_t address = event->u.memory.address;
    const uint32_t pool = pool_of(t, event);
    int result = 0;
    if (event->kind == EVENT_FREE) {
        event->u.memory.bytes = liveset_remove(&t->live, pool, address);
    } else {
        result = liveset_has(&t->live, pool, address) ? free_before(t, state, event, pool) : 0;
        event->u.memory.unkept = !liveset_add(&t->live, pool, address, event->u.memory.bytes);
    }
    return result != 0 ? result : timeline_send(t, state, event);
}

/* Addresses of one pool. */
struct left {
    size_t count;
    uint64_t *address;
};

static void note(void *context, uint32_t pool, uint64_t address) {
    struct left *left = context;
    (void)pool;
    left->address[left->count++] = address;
}

static int by_address(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

int blocks_discard(struct timeline *t, struct track_state *state, const struct event *event) {
    const uint32_t pool = pool_of(t, event);
    struct left left = {0};
    left.address = malloc((liveset_count(&t->live, pool) + 1) * sizeof *left.address);
    if (left.address == NULL) {
        return -ENOMEM;
    }
    liveset_each_of(&t->live, pool, &left, note);
    qsort(left.address, left.count, sizeof *left.address, by_address);
    int result = 0;
    for (size_t i = 0; i < left.count && result == 0; i++) {
        struct event freed = *event;
        freed.kind = EVENT_FREE;
        freed.u.memory.address = left.address[i];
        result = blocks_event(t, state, &freed);
    }
    free(left.address);
    return result;
}
