/* SPDX-License-Identifier: MIT */
/* Zones and handlers left open on a lane: by a thread that ends, by a task, by a handler that is left by a jump.
 * Included by ring_atomic.c alone. */
#ifndef KYMO_RING_ATOMIC_LEFT_H
#define KYMO_RING_ATOMIC_LEFT_H

#include "ring_atomic_room.h"

/* A handler that records more than its ring holds is taken to be gone. */
#define REFUSED_MOST (KYMO_RING_BYTES / KYMO_CELL_BYTES)

/* Counts an event of a handler whose entry was refused. A handler that is left by siglongjmp() never reports its end,
 * and its thread would record nothing more. */
static void count_refused(struct kymo_lane *lane) {
    if ((KYMO_LOAD(lane->refused_entries) & KYMO_REFUSED_DEPTH) != 0u &&
        __atomic_fetch_add(&lane->refused_entries, KYMO_REFUSED_EVENT, __ATOMIC_RELAXED) /
                KYMO_REFUSED_EVENT >=
            REFUSED_MOST) {
        KYMO_STORE(lane->refused_entries, 0u);
        kymo_usage_error(KYMO_USAGE_INTERRUPT);
    }
}

/* Taking first, and giving back if nothing was there, would hide a promise from another end meanwhile. So these
 * compare, and only the fast path of an end takes first. */
static bool take_one(struct kymo_lane *lane) {
    kymo_room_t room = __atomic_load_n(&lane->room, RELAXED);
    while (promised_of(room) > 0) {
        if (__atomic_compare_exchange_n(&lane->room, &room, room - 1, true, RELAXED, RELAXED)) {
            return true;
        }
    }
    return false;
}

static bool take_back(struct kymo_lane *lane) {
    const bool is_promised = take_one(lane);
    if (is_promised) {
        give_room(lane, 1u);
    }
    return is_promised;
}

/* An end that comes after the thread of its zone, whose promise was given back then. The acquire makes the orphan
 * visible to it. */
static bool take_orphan(struct kymo_lane *lane) {
    (void)__atomic_load_n(&lane->room, __ATOMIC_ACQUIRE);
    uint32_t orphans = __atomic_load_n(&lane->orphans, RELAXED);
    while ((int32_t)orphans > 0) {
        if (__atomic_compare_exchange_n(&lane->orphans, &orphans, orphans - 1u, true, RELAXED,
                                        RELAXED)) {
            return true;
        }
    }
    return false;
}

/* The end of a zone that found no promise: another end may have taken its orphan and left the promise of a later zone,
 * or the thread of that zone may have left another orphan. False: the zone has ended. */
static bool take_late_end(struct kymo_lane *lane) {
    return take_orphan(lane) || take_back(lane) || take_orphan(lane);
}

/* An end that is recorded elsewhere, or not at all. False: its zone has ended. */
static inline bool take_end(struct kymo_lane *lane) {
    return take_back(lane) || take_late_end(lane);
}

/* Takes the promises one by one, as other threads may end some meanwhile. Each becomes an orphan before its promise is
 * taken, or an end in between would find neither: so there is one orphan too many until all are done. */
void kymo_ring_left(struct kymo_lane *lane) {
    KYMO_STORE(lane->refused_entries, 0u);
    (void)__atomic_fetch_add(&lane->orphans, 1u, __ATOMIC_RELAXED);
    KYMO_RELEASE();
    while (take_one(lane)) {
        (void)__atomic_fetch_add(&lane->orphans, 1u, __ATOMIC_RELAXED);
        give_room(lane, 1u);
        KYMO_RELEASE();
    }
    (void)take_late_end(lane);
    KYMO_PUBLISH(lane->left, __atomic_load_n(&lane->head, __ATOMIC_RELAXED) | 1u);
}

#if KYMO_CONTEXTS
void kymo_ring_give_back(struct kymo_lane *lane, uint32_t ends) {
    for (uint32_t i = 0u; i < ends && take_end(lane); i++) {}
}
#endif

#endif
