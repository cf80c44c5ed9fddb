/* SPDX-License-Identifier: MIT */
/* The recording calls of rings that keep the newest: an end always finds room, so none is promised. Included by each
 * such ring after ring_calls.h. */
#ifndef KYMO_RING_UNPROMISED_H
#define KYMO_RING_UNPROMISED_H

#include "ring_calls.h"

static inline void give_promised(struct kymo_lane *lane, uint32_t cells) {
    (void)lane, (void)cells;
}

kymo_context kymo_ring_enter(kymo_context context) { return kymo_ring_switch(context); }

KYMO_INLINE_ void leave_interrupt(kymo_context before) { (void)kymo_context_switch(before); }

#if KYMO_FUNCTIONS

void kymo_ring_function_end(struct kymo_lane *owner, uintptr_t address, enum kymo_event_kind kind) {
    uint32_t high;
    const struct kymo_long event = function_event(kind, address, &high);
    if (owner != NULL) {
        (void)record_long(NULL, &event);
    }
}

void kymo_ring_function_left(struct kymo_lane *owner) { (void)owner; }

#endif

#endif
