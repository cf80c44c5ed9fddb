/* SPDX-License-Identifier: MIT */
/* The begins of functions, which are alike in every ring: included by ring_calls.h alone. */
#ifndef KYMO_RING_FUNCTION_H
#define KYMO_RING_FUNCTION_H

#include "ring.h"

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
        give_promised(lane, FUNCTION_PROMISED);
        return NULL;
    }
    put_function(&place, &event);
    return lane;
}

#endif
