/* SPDX-License-Identifier: MIT */
/* The recording calls of rings that refuse the newest: what begins has the room for its end, so the end is never
 * refused. Included by each such ring after ring_calls.h. */
#ifndef KYMO_RING_PROMISED_H
#define KYMO_RING_PROMISED_H

#include "ring_calls.h"

static inline void give_promised(struct kymo_lane *lane, uint32_t cells) {
    if (take_promised(lane, cells)) {
        give_room(lane, cells);
    }
}

#define KYMO_ADD(place, number)                                                                    \
    (KYMO_ARCH_ATOMIC ? (void)__atomic_fetch_add(&(place), (number), __ATOMIC_RELAXED)             \
                      : (void)((place) = (__typeof__(place))((place) + (number))))

/* Promised with the entry of an interrupt: its return, and a clock record before that. */
#define RETURN_CELLS 2u

kymo_context kymo_ring_enter(kymo_context context) {
    struct place place;
    enter_lane(&place);
    kymo_context before;
    if (take_place(&place, 1u, RETURN_CELLS, 1u, 1u)) {
        before = LANE_CONTEXT(place.lane) | KYMO_RETURN_PROMISED;
        SET_LANE_CONTEXT(place.lane, context);
        put_pair(&place, (uint32_t)context | KYMO_TAG_CONTEXT);
    } else {
        before = LANE_CONTEXT(place.lane);
        KYMO_ADD(place.lane->refused_entries, 1u);
        kymo_ring_attention(place.lane);
    }
    leave_lane(&place);
    return before;
}

/* False: no return is promised. */
static bool return_to(struct place *place, kymo_context context) {
    SET_LANE_CONTEXT(place->lane, context);
    if (!take_promised(place->lane, RETURN_CELLS)) {
        return false;
    }
    if (!write_due_clock(place)) {
        give_room(place->lane, 1u);
    }
    put_pair(place, (uint32_t)context | KYMO_TAG_CONTEXT);
    return true;
}

/* False: no entry was refused. */
static bool leave_refused(struct kymo_lane *lane) {
    const uint32_t entries = KYMO_LOAD(lane->refused_entries);
    if ((entries & KYMO_REFUSED_DEPTH) == 0u) {
        return false;
    }
    if (KYMO_ARCH_ATOMIC && entries - 1u >= KYMO_REFUSED_EVENT &&
        (entries & KYMO_REFUSED_DEPTH) == 1u) {
        KYMO_STORE(lane->refused_entries, 0u);
    } else {
        KYMO_ADD(lane->refused_entries, 0u - 1u);
    }
    if (!KYMO_LOAD(kymo_stopped)) {
        count_lost(lane, 1u);
    }
    return true;
}

KYMO_INLINE_ void leave_interrupt(kymo_context before) {
    const kymo_context context = before & ~KYMO_CONTEXT_BITS;
    struct place place;
    enter_lane(&place);
    const bool is_entered = (before & KYMO_RETURN_PROMISED) != 0u ? return_to(&place, context)
                                                                  : leave_refused(place.lane);
    leave_lane(&place);
    if (!is_entered) {
        kymo_usage_error(KYMO_USAGE_UNPROMISED);
        (void)kymo_ring_switch(context);
    }
}

#if KYMO_FUNCTIONS

/* On the caller's lane; the mask that leave_lane() ends has begun, where the port can mask. */
void kymo_ring_function_left(struct kymo_lane *owner) {
    struct place place;
    if (owner == NULL) {
        return;
    }
    enter_lane(&place);
    if (place.lane == owner) {
        give_promised(owner, FUNCTION_PROMISED);
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

#endif
