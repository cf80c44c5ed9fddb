/* SPDX-License-Identifier: MIT */
/* A viewer's handling of memory, and its assertions. */
#include "tracy_peer.h"

static bool use_pool(struct tracy_peer *peer, bool named, uint64_t *pool) {
    if (peer->has_pool != named) {
        return tracy_peer_fail(peer, "name of a pool at the wrong place");
    }
    *pool = named ? peer->pool_name : 0;
    peer->has_pool = false;
    return !named || tracy_peer_want_name(peer, TRACY_QUERY_STRING, *pool);
}

static int64_t *last_alloc(struct tracy_peer *peer, uint64_t pool) {
    size_t i = 0;
    while (i < peer->pool_count && peer->pools[i].key != pool) {
        i++;
    }
    if (i == peer->pool_count) {
        peer->pools[peer->pool_count++] = (struct peer_pool){.key = pool};
    }
    return &peer->pools[i].last_alloc_ns;
}

static struct peer_block *find_block(struct tracy_peer *peer, uint64_t pool, uint64_t address) {
    for (size_t i = 0; i < peer->live_count; i++) {
        if (peer->live[i].pool == pool && peer->live[i].address == address) {
            return &peer->live[i];
        }
    }
    return NULL;
}

/* Stricter than a viewer that was told to forgive: a freed block must have been allocated,
 * before. */
bool tracy_peer_memory(struct tracy_peer *peer, bool alloc, bool named, const uint8_t *at) {
    int64_t time_ns;
    uint64_t pool = 0, address = tracy_peer_load(at + 12, 8);
    if (!tracy_peer_advance(peer, &peer->serial_ref, tracy_peer_load(at, 8), &time_ns) ||
        !use_pool(peer, named, &pool) ||
        tracy_peer_thread(peer, (uint32_t)tracy_peer_load(at + 8, 4)) == NULL) {
        return false;
    }
    struct peer_block *block = find_block(peer, pool, address);
    if ((int64_t)(address << 8) >> 8 != (int64_t)address) {
        return tracy_peer_fail(peer, "address beyond 56 bits");
    }
    if (!alloc) {
        if (block == NULL || block->alloc_ns >= time_ns) {
            return tracy_peer_fail(peer, block == NULL ? "freed but not allocated" : "freed early");
        }
        *block = peer->live[--peer->live_count];
        peer->counts.frees++;
        return true;
    }
    int64_t *last_ns = last_alloc(peer, pool);
    if (block != NULL || *last_ns > time_ns || tracy_peer_load(at + 20, 6) >> 47 != 0 ||
        peer->live_count == PEER_LIVE) {
        return tracy_peer_fail(peer, block != NULL ? "allocated twice" : "allocation out of order");
    }
    *last_ns = time_ns;
    peer->live[peer->live_count++] = (struct peer_block){pool, address, time_ns};
    peer->counts.allocs++;
    return true;
}
