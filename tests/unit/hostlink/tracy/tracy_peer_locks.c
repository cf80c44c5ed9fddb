/* SPDX-License-Identifier: MIT */
/* Locks as a viewer has them, and what it asserts of them (TracyWorker.cpp, InsertLockEvent and
 * UpdateLockCountSharedLockable). */
#include "tracy_peer.h"

#include <string.h>

static struct peer_lock *find(struct tracy_peer *peer, uint32_t id) {
    for (size_t i = 0; i < peer->lock_count; i++) {
        if (peer->locks[i].id == id) {
            return &peer->locks[i];
        }
    }
    return NULL;
}

static bool announce(struct tracy_peer *peer, const uint8_t *at) {
    const uint32_t id = (uint32_t)tracy_peer_load(at, 4);
    if (find(peer, id) != NULL || peer->lock_count == PEER_LOCKS || at[20] > 1) {
        return tracy_peer_fail(peer, "lock %u announced twice", (unsigned)id);
    }
    peer->locks[peer->lock_count++] = (struct peer_lock){.id = id};
    peer->counts.locks++;
    return tracy_peer_good_time(peer, (int64_t)tracy_peer_load(at + 4, 8)) &&
           tracy_peer_place_of(peer, tracy_peer_load(at + 12, 8)) != NULL;
}

static bool name(struct tracy_peer *peer, const uint8_t *at) {
    struct peer_lock *lock = find(peer, (uint32_t)tracy_peer_load(at, 4));
    if (!tracy_peer_use_string(peer) || lock == NULL) {
        return tracy_peer_fail(peer, "name of no lock");
    }
    lock->named = true;
    peer->counts.lock_names++;
    const size_t length = peer->string_length < 63 ? peer->string_length : 63;
    memcpy(lock->name, peer->string, length);
    lock->name[length] = '\0';
    return true;
}

static bool terminate(struct tracy_peer *peer, const uint8_t *at) {
    struct peer_lock *lock = find(peer, (uint32_t)tracy_peer_load(at, 4));
    if (lock == NULL || lock->terminated) {
        return tracy_peer_fail(peer, "no lock terminated");
    }
    lock->terminated = true;
    peer->counts.lock_ends++;
    return true;
}

static uint64_t bit_of(struct tracy_peer *peer, struct peer_lock *lock, uint32_t thread) {
    uint32_t bit = 0;
    while (bit < lock->thread_count && lock->threads[bit] != thread) {
        bit++;
    }
    if (bit == 64 || tracy_peer_thread(peer, thread) == NULL) {
        (void)tracy_peer_fail(peer, "too many threads at a lock");
        return 0;
    }
    lock->thread_count += bit == lock->thread_count ? 1 : 0;
    lock->threads[bit] = thread;
    return UINT64_C(1) << bit;
}

static bool obtain(struct tracy_peer *peer, struct peer_lock *lock, unsigned shared, uint64_t bit) {
    if ((lock->waits[shared] & bit) == 0 || (lock->holds[shared] & bit) != 0) {
        return tracy_peer_fail(peer, "lock obtained without a wait, or twice");
    }
    /* Stricter than a viewer: no other thread holds it. */
    if (lock->holds[0] != 0 || (shared == 0 && lock->holds[1] != 0)) {
        return tracy_peer_fail(peer, "lock obtained that is held");
    }
    lock->waits[shared] &= ~bit;
    lock->holds[shared] |= bit;
    peer->counts.lock_obtains[shared]++;
    return true;
}

static bool release(struct tracy_peer *peer, struct peer_lock *lock, unsigned shared,
                    uint64_t bit) {
    if ((lock->holds[shared] & bit) == 0) {
        return tracy_peer_fail(peer, "lock released that is not held");
    }
    lock->holds[shared] &= ~bit;
    peer->counts.lock_releases[shared]++;
    return true;
}

/* Where an item has its fields; a release alone names no thread. */
static bool event(struct tracy_peer *peer, enum tracy_item item, const uint8_t *at) {
    const bool alone = item == TRACY_LOCK_RELEASE;
    const bool last = item == TRACY_LOCK_SHARED_RELEASE; /* its thread */
    const unsigned shared = item >= TRACY_LOCK_SHARED_WAIT;
    struct peer_lock *lock = find(peer, (uint32_t)tracy_peer_load(at + (alone || last ? 0 : 4), 4));
    const uint64_t delta = tracy_peer_load(at + (alone || last ? 4 : 8), 8);
    int64_t time_ns;
    if (!tracy_peer_advance(peer, &peer->serial_ref, delta, &time_ns)) {
        return false;
    }
    if (lock == NULL || lock->terminated || time_ns < lock->last_ns) {
        return tracy_peer_fail(peer, "event of no lock, or out of order");
    }
    lock->held_ns += lock->holds[0] != 0 ? time_ns - lock->last_ns : 0;
    lock->last_ns = time_ns;
    const uint64_t bit =
        alone ? lock->holds[0]
              : bit_of(peer, lock, (uint32_t)tracy_peer_load(at + (last ? 12 : 0), 4));
    switch (item) {
    case TRACY_LOCK_WAIT:
    case TRACY_LOCK_SHARED_WAIT:
        lock->waits[shared] |= bit;
        peer->counts.lock_waits[shared]++;
        return bit != 0;
    case TRACY_LOCK_OBTAIN:
    case TRACY_LOCK_SHARED_OBTAIN:
        return obtain(peer, lock, shared, bit);
    default:
        return release(peer, lock, shared, bit);
    }
}

/* A viewer looks for the thread's last wait or obtain, for ever if it is missing. */
static bool mark(struct tracy_peer *peer, const uint8_t *at) {
    struct peer_lock *lock = find(peer, (uint32_t)tracy_peer_load(at + 4, 4));
    if (lock == NULL || lock->terminated) {
        return tracy_peer_fail(peer, "mark of no lock");
    }
    const uint64_t bit = bit_of(peer, lock, (uint32_t)tracy_peer_load(at, 4));
    if (((lock->waits[0] | lock->waits[1] | lock->holds[0] | lock->holds[1]) & bit) == 0) {
        return tracy_peer_fail(peer, "mark by a thread that neither waits nor holds");
    }
    peer->counts.lock_marks++;
    return tracy_peer_place_of(peer, tracy_peer_load(at + 8, 8)) != NULL;
}

bool tracy_peer_lock(struct tracy_peer *peer, enum tracy_item item, const uint8_t *at) {
    switch (item) {
    case TRACY_LOCK_ANNOUNCE:
        return announce(peer, at);
    case TRACY_LOCK_NAME:
        return name(peer, at);
    case TRACY_LOCK_TERMINATE:
        return terminate(peer, at);
    case TRACY_LOCK_MARK:
        return mark(peer, at);
    case TRACY_LOCK_WAIT:
    case TRACY_LOCK_OBTAIN:
    case TRACY_LOCK_RELEASE:
    case TRACY_LOCK_SHARED_WAIT:
    case TRACY_LOCK_SHARED_OBTAIN:
    case TRACY_LOCK_SHARED_RELEASE:
        return event(peer, item, at);
    default:
        return tracy_peer_fail(peer, "item %d is not expected", (int)item);
    }
}
