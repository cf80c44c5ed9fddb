/* The blocks of a ring that keeps the newest: what ring_newest.c, which writes them, and recall.c, which
 * reads them, know in common. MEMORY.md describes them. */
#ifndef KYMO_NEWEST_H
#define KYMO_NEWEST_H

#include "ring.h"

#if KYMO_KEEP_NEWEST

#if KYMO_ARCH_ATOMIC
#error "KYMO_KEEP_NEWEST needs an interrupt mask: the arch port has KYMO_ARCH_ATOMIC 1"
#endif

#define BLOCK_BYTES (KYMO_RING_BYTES / KYMO_RING_BLOCKS)
#define BLOCK_WORDS (BLOCK_BYTES / 4u)
/* The longest record, with a clock record before it and the zero word behind it. */
#define LONGEST_BYTES (4u * (3u + KYMO_PAYLOAD_WORDS + 1u) + 2u * KYMO_CELL_BYTES)

_Static_assert(KYMO_RING_BLOCKS >= 4 && KYMO_RING_BLOCKS <= 64 &&
                   (KYMO_RING_BLOCKS & (KYMO_RING_BLOCKS - 1)) == 0,
               "KYMO_RING_BLOCKS must be 4, 8, 16, 32 or 64");
_Static_assert(BLOCK_BYTES >= KYMO_BLOCK_HEAD_BYTES + LONGEST_BYTES,
               "KYMO_RING_BYTES is too small for KYMO_RING_BLOCKS and KYMO_PAYLOAD_WORDS");
_Static_assert(sizeof(struct kymo_block) == KYMO_BLOCK_HEAD_BYTES, "a block's head has no holes");

/* This run of the board, known from the first event or kymo_init() on. */
struct kymo_run {
    uint32_t number; /* 0 = not yet known */
    uint32_t session;
    uint32_t fingerprint; /* of the image: blocks of another one are none */
};
extern struct kymo_run kymo_run;

/* How far a lane was read, for after a reset. */
struct kymo_sent {
    uint32_t check; /* as that of a block */
    uint32_t number, run;
    uint32_t words; /* of records in that block */
    uint32_t events[2];
    uint32_t unused[4];
};
_Static_assert(sizeof(struct kymo_sent) == KYMO_BLOCK_HEAD_BYTES,
               "the check is over as many words");
extern struct kymo_sent kymo_sent[KYMO_LANES];

/* Where a block of that number is, or would be. */
static inline uint32_t *kymo_block_at(const struct kymo_lane *lane, uint32_t number) {
    return &kymo_rings[kymo_lane_index(lane)][number % KYMO_RING_BLOCKS * BLOCK_WORDS];
}

/* Words of a record by its first one; 0: there is none. What a reset left may be anything. */
static inline uint32_t kymo_record_words(uint32_t first) {
    if ((first & KYMO_TAG_MASK) != KYMO_TAG_LONG) {
        return first != 0u ? KYMO_CELL_WORDS : 0u;
    }
    const enum kymo_event_kind kind = (enum kymo_event_kind)KYMO_LONG_KIND(first);
    const uint32_t words = KYMO_LONG_WORDS(first);
    const bool sound =
        words <= KYMO_PAYLOAD_WORDS && KYMO_LONG_CELLS(first) == kymo_long_cells(kind, words);
    return sound ? KYMO_LONG_CELLS(first) * KYMO_CELL_WORDS : 0u;
}

/* How many events it counts for. */
static inline uint32_t kymo_record_events(uint32_t first) {
    const uint32_t tag = first & KYMO_TAG_MASK;
    if (tag == KYMO_TAG_LONG) {
        return kymo_events_of((enum kymo_event_kind)KYMO_LONG_KIND(first));
    }
    return tag != KYMO_TAG_CLOCK64 && tag != KYMO_TAG_RESTATED ? 1u : 0u;
}

/* True, and its head in *head, if there is a block of that number. The head may be overwritten meanwhile. */
bool kymo_block_read(const struct kymo_lane *lane, uint32_t number, struct kymo_block *head);
/* Finds what a lane holds from before a reset, where that was not done. Interrupts masked. */
void kymo_lane_wake(struct kymo_lane *lane);

#endif

#endif
