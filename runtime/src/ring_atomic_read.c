/* The consumer of the ring that ring_atomic.c writes. */
#include "ring_read.h"

#if KYMO_ENABLE && KYMO_ARCH_ATOMIC && !KYMO_KEEP_NEWEST

uint32_t kymo_ring_used_bytes(const struct kymo_lane *lane) {
    return (__atomic_load_n(&lane->head, __ATOMIC_RELAXED) - lane->tail) * 4u;
}

/* Up to the next record that was begun. Nothing in a place is written before its header is. */
static void pass_over_untouched(struct kymo_lane *lane) {
    lane->events++;
    while (kymo_ring_used_bytes(lane) != 0u && KYMO_LOAD(*kymo_ring_at(lane, lane->tail)) == 0u) {
        kymo_ring_consume(lane, KYMO_CELL_WORDS);
    }
}

/* A long record has at least two cells, and becomes a loss of the event that it was to be. */
void kymo_ring_abandon(struct kymo_lane *lane) {
    uint32_t header = 0u;
    if (kymo_ring_used_bytes(lane) == 0u || kymo_ring_peek(lane, &header) != 0u) {
        return;
    }
    KYMO_STORE(lane->closed, true);
    if (header == 0u) {
        pass_over_untouched(lane);
        return;
    }
    *kymo_ring_at(lane, lane->tail + 2u) = KYMO_FILLING_EVENTS(header);
    *kymo_ring_at(lane, lane->tail + 3u) = 0u;
    KYMO_PUBLISH(*kymo_ring_at(lane, lane->tail),
                 KYMO_LONG(KYMO_KIND_LOSS, 2u, KYMO_LONG_CELLS(header)));
}

#endif
