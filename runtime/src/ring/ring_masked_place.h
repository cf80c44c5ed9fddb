/* SPDX-License-Identifier: MIT */
/* A place in a ring whose producer masks interrupts, for ring_calls.h. Included by each such ring alone. */
#ifndef KYMO_RING_MASKED_PLACE_H
#define KYMO_RING_MASKED_PLACE_H

#include "lane.h"

struct place {
    struct kymo_lane *lane;
    uint32_t *at;
    kymo_clock_t now;
    kymo_arch_state state;
};

KYMO_INLINE_ void enter_lane(struct place *place) {
    place->state = kymo_arch_mask();
    place->lane = kymo_lane_here();
}

static inline void leave_lane(struct place *place) { kymo_arch_unmask(place->state); }

#endif
