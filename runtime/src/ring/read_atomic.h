/* SPDX-License-Identifier: MIT */
/* How the ring of ring_atomic.c is read. Included by ring.h alone. */
#ifndef KYMO_READ_ATOMIC_H
#define KYMO_READ_ATOMIC_H

#include "lane.h"
#include "read_oldest.h"

static inline bool kymo_ring_is_empty(const struct kymo_lane *lane) {
    return __atomic_load_n(&lane->head, __ATOMIC_RELAXED) == lane->tail;
}

static inline uint32_t kymo_ring_ahead(const struct kymo_lane *lane) {
    (void)lane;
    return KYMO_RING_WORDS;
}

KYMO_INLINE_ uint32_t kymo_ring_peek(const struct kymo_lane *lane, uint32_t *header) {
    const uint32_t word = KYMO_ACQUIRE(*kymo_ring_at(lane, lane->tail));
    *header = word;
    if (word == 0u) {
        return 0u;
    }
    if ((word & KYMO_TAG_MASK) != KYMO_TAG_LONG) {
        return KYMO_CELL_WORDS;
    }
    return KYMO_LONG_KIND(word) != KYMO_LONG_FILLING ? KYMO_LONG_CELLS(word) * KYMO_CELL_WORDS : 0u;
}

#ifdef KYMO_ARCH_RING_PIECE
void kymo_ring_free_piece(struct kymo_lane *lane);
static inline void kymo_ring_free_read(struct kymo_lane *lane) {
    if (lane->tail - lane->freed >= KYMO_ARCH_RING_PIECE / 4u) {
        kymo_ring_free_piece(lane);
    }
}
#else
static inline void kymo_ring_free_read(struct kymo_lane *lane) { (void)lane; }
#endif

static inline const uint32_t *kymo_ring_row(const struct kymo_lane *lane, size_t *words) {
    const uint32_t from = lane->tail & (KYMO_RING_WORDS - 1u);
    *words = *words < KYMO_RING_WORDS - from ? *words : KYMO_RING_WORDS - from;
    return &kymo_ring_of(lane)[from];
}

static inline uint32_t kymo_ring_word(const struct kymo_lane *lane, size_t index) {
    return *kymo_ring_at(lane, lane->tail + (uint32_t)index);
}

static inline void kymo_ring_consume(struct kymo_lane *lane, uint32_t words) {
    uint32_t *const end = kymo_ring_of(lane) + KYMO_RING_WORDS;
    uint32_t *cell = kymo_ring_at(lane, lane->tail);
    for (uint32_t i = 0u; i < words; i += KYMO_CELL_WORDS) {
        cell[0] = 0u;
        cell[1] = 0u;
        cell = cell + KYMO_CELL_WORDS != end ? cell + KYMO_CELL_WORDS : kymo_ring_of(lane);
    }
    KYMO_PUBLISH(lane->tail, lane->tail + words);
    kymo_ring_free_read(lane);
}

#endif
