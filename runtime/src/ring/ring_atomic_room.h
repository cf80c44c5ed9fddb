/* SPDX-License-Identifier: MIT */
/* The room of a ring without an interrupt mask, included by ring_atomic.c alone. The upper half of the
 * word has the cells that are free, the lower half those that are promised. Both are signed, as they are
 * taken first and given back if there were too few. */
#ifndef KYMO_RING_ATOMIC_ROOM_H
#define KYMO_RING_ATOMIC_ROOM_H

#include "ring.h"

#define RELAXED __ATOMIC_RELAXED

#define HALF_BITS (sizeof(kymo_room_t) * 4u)
#define ONE_FREE ((kymo_room_t)1 << HALF_BITS)

_Static_assert(KYMO_RING_BYTES / KYMO_CELL_BYTES <= (uintptr_t)1 << (HALF_BITS - 2u),
               "with KYMO_ARCH_ATOMIC on a 32-bit core KYMO_RING_BYTES must be 131072 or less");

static int32_t promised_of(kymo_room_t room) {
    return HALF_BITS == 16u ? (int32_t)(int16_t)room : (int32_t)room;
}

static int32_t free_of(kymo_room_t room) {
    return (int32_t)((room - (kymo_room_t)promised_of(room)) >> HALF_BITS);
}

static kymo_room_t cells_of(int32_t free, int32_t promised) {
    return (kymo_room_t)free * ONE_FREE + (kymo_room_t)promised;
}

static void give_room(struct kymo_lane *lane, uint32_t cells) {
    (void)__atomic_fetch_add(&lane->room, cells_of((int32_t)cells, 0), RELAXED);
}

/* "promised" of the cells are not for now. They are promised only once they are taken: a promise of cells that are not
 * there could be taken, before it is withdrawn, by a nested context that ends a zone twice. Two additions and no
 * comparison, which would fail whenever a nested context records in between, or another thread ends a zone. */
KYMO_INLINE_ bool take_room(struct kymo_lane *lane, int32_t cells, int32_t promised) {
    const kymo_room_t wanted = cells_of(cells, 0);
    const kymo_room_t room = __atomic_fetch_sub(&lane->room, wanted, __ATOMIC_ACQUIRE);
    /* The first comparison is of both halves and fails too early while the lower one is negative. */
    if (KYMO_UNLIKELY(room < wanted) && free_of(room) < cells) {
        (void)__atomic_fetch_add(&lane->room, wanted, RELAXED);
        return false;
    }
    if (promised != 0) {
        (void)__atomic_fetch_add(&lane->room, (kymo_room_t)promised, RELAXED);
    }
    return true;
}

/* The same where it may fail too early, as the caller then tries take_room(): the sign takes no comparison. */
KYMO_INLINE_ bool take_room_quickly(struct kymo_lane *lane, int32_t cells, int32_t promised) {
    if (!KYMO_RING_QUICK) {
        return take_room(lane, cells, promised);
    }
    const kymo_room_t wanted = cells_of(cells, 0);
    if (KYMO_UNLIKELY(__atomic_sub_fetch(&lane->room, wanted, __ATOMIC_ACQUIRE) < 0)) {
        (void)__atomic_fetch_add(&lane->room, wanted, RELAXED);
        return false;
    }
    if (promised != 0) {
        (void)__atomic_fetch_add(&lane->room, (kymo_room_t)promised, RELAXED);
    }
    return true;
}

/* False: so much is not promised. */
static inline bool take_promised(struct kymo_lane *lane, uint32_t cells) {
    if (promised_of(__atomic_fetch_sub(&lane->room, (kymo_room_t)cells, RELAXED)) >=
        (int32_t)cells) {
        return true;
    }
    (void)__atomic_fetch_add(&lane->room, (kymo_room_t)cells, RELAXED);
    return false;
}

/* The exchange gives each freed word to exactly one caller: where another one has come between, this
 * one looks only at the remaining words. An untouched lane is all zero: on first use the whole ring
 * counts as freed. */
static bool make_room(struct kymo_lane *lane, int32_t cells, int32_t promised) {
    if (!kymo_rings_are_there()) {
        return false;
    }
    uint32_t seen = __atomic_load_n(&lane->tail_seen, __ATOMIC_ACQUIRE);
    const uint32_t free_to = KYMO_ACQUIRE(KYMO_RING_FREED(lane)) + KYMO_RING_WORDS;
    const int32_t freed = (int32_t)((free_to - seen) / KYMO_CELL_WORDS);
    lane->core = (uint8_t)kymo_lane_index(lane);
    lane->ring = kymo_ring_of(lane);
    if (!KYMO_LOAD(lane->closed) && __atomic_compare_exchange_n(&lane->tail_seen, &seen, free_to,
                                                                true, __ATOMIC_ACQ_REL, RELAXED)) {
        (void)__atomic_fetch_add(&lane->room, cells_of(freed, 0), __ATOMIC_RELEASE);
    }
    return take_room(lane, cells, promised);
}

static bool find_room(struct kymo_lane *lane, int32_t cells, int32_t promised) {
    return take_room(lane, cells, promised) || make_room(lane, cells, promised);
}

#endif
