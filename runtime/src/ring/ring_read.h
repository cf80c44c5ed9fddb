/* SPDX-License-Identifier: MIT */
/* The consumer side of a lane, record by record: one context at a time. Inline, for the one loop that reads events;
 * the rings that overwrite the oldest check and copy each record, in recall.c. */
#ifndef KYMO_RING_READ_H
#define KYMO_RING_READ_H

#include "ring.h"

/* kymo_ring_peek(): words of the next complete record, or 0 without one; the first word goes to *header.
 * kymo_ring_word(): word "index" from there on.
 * kymo_ring_consume(): gives the peeked record's words back to the producer; or those of several records.
 * kymo_ring_is_empty(): kymo_ring_used_bytes() is 0.
 * Only for a ring that keeps the oldest:
 * kymo_ring_ahead(): how many words from the tail on may hold records.
 * kymo_ring_row(): of *words words from the tail on, where they are, and how many of them lie in a row. */
#if KYMO_KEEP_NEWEST

uint32_t kymo_ring_peek(struct kymo_lane *lane, uint32_t *header);
uint32_t kymo_ring_word(const struct kymo_lane *lane, size_t index);
void kymo_ring_consume(struct kymo_lane *lane, uint32_t words);
/* The record that comes next was peeked and copied: peeking it again takes no time. */
bool kymo_ring_is_copied(const struct kymo_lane *lane);
static inline bool kymo_ring_is_empty(const struct kymo_lane *lane) {
    return kymo_ring_used_bytes(lane) == 0u;
}

#elif KYMO_ARCH_ATOMIC

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

#else

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

#if !KYMO_KEEP_NEWEST
static inline bool kymo_ring_is_copied(const struct kymo_lane *lane) { return (void)lane, true; }
#endif

static inline bool kymo_rings_are_empty(void) {
    for (unsigned i = 0u; i < KYMO_LANES; i++) {
        if (!kymo_ring_is_empty(&kymo_lanes[i])) {
            return false;
        }
    }
    return true;
}

#endif
