/* What must hold over all rows of a session: a block of a pool is allocated once before it is freed, with one size. */
#include "legal_events.h"

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
