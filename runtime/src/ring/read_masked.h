/* SPDX-License-Identifier: MIT */
/* How the ring of ring_masked.c is read. Included by ring.h alone. */
#ifndef KYMO_READ_MASKED_H
#define KYMO_READ_MASKED_H

#include "lane.h"
#include "read_oldest.h"

static inline bool kymo_ring_is_empty(const struct kymo_lane *lane) {
    return KYMO_LOAD(lane->write) == lane->tail;
}

KYMO_INLINE_ uint32_t kymo_ring_peek(struct kymo_lane *lane, uint32_t *header) {
    for (;;) {
        uint32_t *write = KYMO_ACQUIRE(lane->write);
        uint32_t *tail = lane->tail;
        if (tail == write || write == NULL) {
            return 0u;
        }
        uint32_t *end = kymo_ring_of(lane) + KYMO_RING_WORDS;
        uint32_t word = tail == end ? KYMO_LONG(KYMO_LONG_SKIP, 0u, 0u) : KYMO_ACQUIRE(*tail);
        if ((word & KYMO_TAG_MASK) != KYMO_TAG_LONG) {
            *header = word;
            return KYMO_CELL_WORDS;
        }
        if (KYMO_LONG_KIND(word) == KYMO_LONG_FILLING) {
            return 0u;
        }
        if (KYMO_LONG_KIND(word) != KYMO_LONG_SKIP) {
            *header = word;
            return KYMO_LONG_CELLS(word) * KYMO_CELL_WORDS;
        }
        KYMO_PUBLISH(lane->tail, kymo_ring_of(lane));
    }
}

static inline uint32_t kymo_ring_word(const struct kymo_lane *lane, size_t index) {
    return lane->tail[index];
}

static inline void kymo_ring_consume(struct kymo_lane *lane, uint32_t words) {
    KYMO_PUBLISH(lane->tail, lane->tail + words);
}

/* The row ends at the ring's end, where the records go on at its start. */
static inline uint32_t kymo_ring_ahead(const struct kymo_lane *lane) {
    const uint32_t *write = KYMO_ACQUIRE(lane->write);
    const uint32_t *end = kymo_ring_of(lane) + KYMO_RING_WORDS;
    return (uint32_t)((write >= lane->tail ? write : end) - lane->tail);
}

static inline const uint32_t *kymo_ring_row(const struct kymo_lane *lane, size_t *words) {
    (void)words;
    return lane->tail;
}

#endif
