/* Pools of memory: what is freed is known by its size, and a discard frees all that is left. */
#include <errno.h>
#include <stdlib.h>

#include "model/timeline_state.h"

static uint32_t pool_of(const struct timeline *t, const struct event *event) {
    /* The site is the names' own, which are not constant. */
    struct site *site = names_site(t->names, timeline_session_number(t), event->site->id);
    return site != NULL ? names_pool(t->names, site) : event->site->id;
}

void timeline_block(struct timeline *t, struct event *event) {
    if (event_payload(event->kind) == KYMO_CARRIES_BLOCK) {
        (void)liveset_add(&t->live, pool_of(t, event), event->u.memory.address,
                          event->u.memory.bytes);
    } else if (event_payload(event->kind) == KYMO_CARRIES_ADDRESS) {
        event->u.memory.bytes =
            liveset_remove(&t->live, pool_of(t, event), event->u.memory.address);
    }
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

int timeline_discard(struct timeline *t, struct track_state *state, const struct event *event) {
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
        timeline_block(t, &freed);
        result = timeline_send(t, state, &freed);
    }
    free(left.address);
    return result;
}
