/* SPDX-License-Identifier: MIT */
/* The consumer of the ring that ring_masked.c writes. */
#include "ring_read.h"

#if KYMO_ENABLE && !KYMO_ARCH_ATOMIC && !KYMO_KEEP_NEWEST

#if KYMO_RETURNS
void kymo_ring_give_back(struct kymo_lane *lane, uint32_t ends) {
    uint32_t *cells = &kymo_returns.cells[kymo_lane_index(lane)][KYMO_LANES_ALL];
    KYMO_STORE(*cells, *cells + ends);
}
#endif

uint32_t kymo_ring_used_bytes(const struct kymo_lane *lane) {
    const uint32_t *write = KYMO_ACQUIRE(lane->write);
    const uint32_t *tail = lane->tail;
    uint32_t used = (uint32_t)(write - tail) * 4u;
    return write >= tail ? used : used + KYMO_RING_BYTES;
}

/* The record that is being filled becomes a loss of the event that it was to be. It may have no time yet. */
static bool make_loss(struct kymo_lane *lane, bool closes) {
    uint32_t header = 0u;
    if (kymo_ring_used_bytes(lane) == 0u || kymo_ring_peek(lane, &header) != 0u) {
        return false;
    }
    uint32_t *tail = lane->tail;
    header = KYMO_LOAD(*tail);
    if (closes) {
        KYMO_STORE(lane->closed, true);
    }
    tail[1] = (uint32_t)lane->time;
    tail[2] = KYMO_FILLING_EVENTS(header);
    tail[3] = 0u;
    KYMO_PUBLISH(tail[0], KYMO_LONG(KYMO_KIND_LOSS, 2u, KYMO_LONG_CELLS(header)));
    return true;
}

#if KYMO_TASK_OVER
bool kymo_ring_pass(struct kymo_lane *lane, bool is_over) {
    return is_over && make_loss(lane, false);
}
#endif

void kymo_ring_abandon(struct kymo_lane *lane) { (void)make_loss(lane, true); }

#endif
