/* SPDX-License-Identifier: MIT */
/* The zones of functions, which are alike in every ring: included by ring_calls.h alone. */
#ifndef KYMO_RING_FUNCTION_H
#define KYMO_RING_FUNCTION_H

#include "ring.h"

#if KYMO_FUNCTIONS

/* A begin or an end: its address is its reference and at most one word. Promised to an end: that, and a clock record
 * before it. */
#define FUNCTION_CELLS 2u
#define FUNCTION_PROMISED (KYMO_KEEP_NEWEST ? 0u : FUNCTION_CELLS + 1u)

/* "high" is the event's word. */
KYMO_INLINE_ struct kymo_long function_event(enum kymo_event_kind kind, uintptr_t address,
                                             uint32_t *high) {
    *high = (uint32_t)((uint64_t)address >> 32);
    return (struct kymo_long){.kind = kind,
                              .reference = (uint32_t)address,
                              .count = *high != 0u ? 1u : 0u,
                              .words = high};
}

KYMO_INLINE_ void put_function(struct place *place, const struct kymo_long *event) {
    fill(place, 0u, event);
    commit_place(place, FUNCTION_CELLS, header_of(event, FUNCTION_CELLS));
}

#if KYMO_KEEP_NEWEST

static void give_function(struct kymo_lane *lane) { (void)lane; }

void kymo_ring_function_end(struct kymo_lane *owner, uintptr_t address, enum kymo_event_kind kind) {
    uint32_t high;
    const struct kymo_long event = function_event(kind, address, &high);
    if (owner != NULL) {
        (void)record_long(NULL, &event);
    }
}

void kymo_ring_function_left(struct kymo_lane *owner) { (void)owner; }

#else

/* Gives back on the caller's lane; the mask that leave_lane() ends has begun, where the port can mask. */
static void give_function(struct kymo_lane *lane) {
    if (take_promised(lane, FUNCTION_PROMISED)) {
        give_room(lane, FUNCTION_PROMISED);
    }
}

void kymo_ring_function_left(struct kymo_lane *owner) {
    struct place place;
    if (owner == NULL) {
        return;
    }
    enter_lane(&place);
    if (place.lane == owner) {
        give_function(owner);
    } else {
        give_elsewhere(owner, place.lane, FUNCTION_PROMISED);
    }
    leave_lane(&place);
}

/* Its task has moved: the end is an event like any other of this lane. */
static __attribute__((noinline)) void function_end_elsewhere(struct kymo_lane *owner,
                                                             const struct kymo_long *event) {
    kymo_ring_function_left(owner);
    if (!record_long(NULL, event) && !KYMO_LOAD(kymo_stopped)) {
        struct place place;
        enter_lane(&place);
        KYMO_ADD(place.lane->lost_ends, 1u);
        leave_lane(&place);
    }
}

void kymo_ring_function_end(struct kymo_lane *owner, uintptr_t address, enum kymo_event_kind kind) {
    struct place place;
    uint32_t high;
    const struct kymo_long event = function_event(kind, address, &high);
    if (owner == NULL) {
        return;
    }
    enter_lane(&place);
    if (place.lane != owner || !take_promised(owner, FUNCTION_PROMISED)) {
        leave_lane(&place);
        function_end_elsewhere(owner, &event);
        return;
    }
    if (!write_due_clock(&place)) {
        give_room(owner, 1u);
    }
    if (hold_place(&place, FUNCTION_CELLS, kymo_long_filling(FUNCTION_CELLS, 1u), 1u)) {
        put_function(&place, &event);
    }
}

#endif

struct kymo_lane *kymo_ring_function_begin(uintptr_t address) {
    struct place place;
    uint32_t high;
    const struct kymo_long event = function_event(KYMO_KIND_FUNCTION_BEGIN, address, &high);
    enter_lane(&place);
    if (!take_place(&place, FUNCTION_CELLS, FUNCTION_PROMISED, 1u, 2u)) {
        leave_lane(&place);
        return NULL;
    }
    struct kymo_lane *lane = place.lane;
    if (!hold_place(&place, FUNCTION_CELLS, kymo_long_filling(FUNCTION_CELLS, 1u), 2u)) {
        give_function(lane);
        return NULL;
    }
    put_function(&place, &event);
    return lane;
}

#endif

#endif
