/* SPDX-License-Identifier: MIT */
/* The blocks of a ring that keeps the newest, shared by ring_newest.c and ring_newest_atomic.c, which write them, and
 * recall.c, which reads them. MEMORY.md describes them. */
#ifndef KYMO_NEWEST_H
#define KYMO_NEWEST_H

#include "ring.h"

#if KYMO_KEEP_NEWEST

#if KYMO_ARCH_ATOMIC && !KYMO_ARCH_NESTS
#error "KYMO_KEEP_NEWEST needs an interrupt mask, or KYMO_ARCH_NESTS: the arch port has neither"
#endif
#if KYMO_ARCH_ATOMIC && __GCC_ATOMIC_LLONG_LOCK_FREE != 2
#error "KYMO_KEEP_NEWEST needs an interrupt mask, or atomic words of 64 bits: this core has neither"
#endif

/* The recorder overwrites whole blocks, so all of them, or all but one, hold events. Fewer where they would be short of
 * room for a long record. */
#define KYMO_RING_BLOCKS (KYMO_RING_BYTES < 2048 ? 4u : 8u)
#define BLOCK_BYTES (KYMO_RING_BYTES / KYMO_RING_BLOCKS)
#define BLOCK_WORDS (BLOCK_BYTES / 4u)
/* The longest record, including a clock record before it and the zero word after it. */
#define LONGEST_BYTES                                                                              \
    (4u * (3u + KYMO_PAYLOAD_WORDS + 1u) +                                                         \
     4u * (KYMO_STACK_WORDS != 0u ? KYMO_STACK_WORDS + 4u : 0u) + 2u * KYMO_CELL_BYTES)

_Static_assert(
    BLOCK_BYTES >= KYMO_BLOCK_HEAD_BYTES + LONGEST_BYTES,
    "KYMO_RING_BYTES is too small for the blocks of KYMO_KEEP_NEWEST and KYMO_PAYLOAD_WORDS");
_Static_assert(sizeof(struct kymo_block) == KYMO_BLOCK_HEAD_BYTES, "a block's head has no holes");

/* This run of the board, known from the first event or kymo_init() on. */
struct kymo_run {
    uint32_t number; /* 0 = not yet known */
    uint32_t session;
    uint32_t fingerprint; /* of the image: blocks of another image are not valid */
};
extern struct kymo_run kymo_run;

/* With an interrupt mask the rings survive a reset. Those of a process do not outlive it. */
#if KYMO_ARCH_ATOMIC
#define KYMO_NOINIT
#else
#define KYMO_NOINIT __attribute__((section(".noinit")))
#endif

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

/* Words of a record by its first one; 0: no record. What a reset left may be anything. */
static inline uint32_t kymo_record_words(uint32_t first) {
    if ((first & KYMO_TAG_MASK) != KYMO_TAG_LONG) {
        return first != 0u ? KYMO_CELL_WORDS : 0u;
    }
    const enum kymo_event_kind kind = (enum kymo_event_kind)KYMO_LONG_KIND(first);
    const uint32_t words = KYMO_LONG_WORDS(first);
    const bool sound =
        words <= KYMO_RECORD_WORDS && KYMO_LONG_CELLS(first) == kymo_cells_of(kind, words);
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
/* Makes the block of head->number, whose check is not looked at, with so many zeros after the head. Called only when
 * the lane's number already says that the block's old content is given up. */
void kymo_block_begin(const struct kymo_lane *lane, const struct kymo_block *head, uint32_t zeros);
/* Finds the fingerprint of the image, where that is not known. Not masked. */
void kymo_know_image(void);

#if KYMO_ARCH_ATOMIC

/* The run's number and id, where they are not known yet. */
void kymo_run_start(void);

static inline uint64_t kymo_state(const struct kymo_lane *lane) {
    return __atomic_load_n(&lane->state, __ATOMIC_RELAXED);
}

static inline uint32_t kymo_state_number(uint64_t state) { return (uint32_t)(state >> 32); }

/* Cells left in the block. */
static inline uint32_t kymo_state_room(uint64_t state) { return (uint32_t)state & 0xffffu; }

/* Where the next record is written. */
static inline uint32_t *kymo_state_place(const struct kymo_lane *lane, uint64_t state) {
    return kymo_block_at(lane, kymo_state_number(state)) + BLOCK_WORDS -
           kymo_state_room(state) * KYMO_CELL_WORDS;
}

#else

/* The content of a lane from before a reset. */
struct kymo_past {
    uint32_t latest_run; /* of all lanes */
    uint32_t newest, earlier, tail_number, passed, skip;
    bool reported;
};

/* Looks at that, and at the image. Nothing is changed: not masked. */
void kymo_lane_look(const struct kymo_lane *lane, struct kymo_past *past);
/* Begins the run and the lane, where that was not done. Interrupts masked. */
void kymo_lane_wake(struct kymo_lane *lane, const struct kymo_past *past);

#endif

#endif

#endif
