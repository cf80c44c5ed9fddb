/* The producer side of a lane: reserve, fill, commit. Implemented by how a reservation is made safe from nested
 * contexts, and by which events a full ring gives up: ring_masked.c and ring_atomic.c refuse the newest,
 * ring_newest.c and ring_newest_atomic.c overwrite the oldest. Private to the runtime. */
#ifndef KYMO_RING_H
#define KYMO_RING_H

#include "lane.h"

/* Records two words: "word" and the time. Any context. Refused events are counted. */
void kymo_ring_short(uint32_t word);

/* Records an event with payload: reserves the place, fills it without keeping anyone out, commits
 * it. At most 255 words. Any context. Refused events are counted. */
void kymo_ring_long(enum kymo_event_kind kind, uint32_t reference, const uint32_t *words,
                    uint32_t count);

/* Makes the lane's next event take the slow path, from any core. */
static inline void kymo_ring_attention(struct kymo_lane *lane) {
#if KYMO_ARCH_CLOCK_BITS == 64
    KYMO_STORE(lane->limit, 0u);
#else
    KYMO_STORE(lane->limit, kymo_arch_clock() - 1u);
#endif
}

/* Lets events take the fast path again, unless recording was stopped meanwhile by another core,
 * whose two stores are in the opposite order. */
static inline void kymo_ring_calm(struct kymo_lane *lane, kymo_clock_t now) {
    KYMO_STORE(lane->limit, now + KYMO_CLOCK_SPAN);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (KYMO_LOAD(kymo_stopped)) {
        kymo_ring_attention(lane);
    }
}

/* The consumer side: one context at a time. */

/* Words of the next complete record, or 0 when there is none; the first word goes to *header. */
uint32_t kymo_ring_peek(struct kymo_lane *lane, uint32_t *header);
/* Word "index" of the record that was peeked. */
uint32_t kymo_ring_word(const struct kymo_lane *lane, uint32_t index);
/* Gives the peeked record's words back to the producer. */
void kymo_ring_consume(struct kymo_lane *lane, uint32_t words);
/* Bytes that wait in the lane, roughly. */
uint32_t kymo_ring_used_bytes(const struct kymo_lane *lane);

#if KYMO_KEEP_NEWEST

/* Remembers, for after a reset, how far the lane was read: its events are in a frame. */
void kymo_ring_sent(const struct kymo_lane *lane);
/* True if the peeked record was sent before a reset: it only says how things stood. */
bool kymo_ring_was_sent(const struct kymo_lane *lane);

/* The runs of the board that the rings remember are read one after the other, each as a session. */

/* From kymo_init(): all lanes are looked through. */
void kymo_ring_start(void);
/* Id of the session that is read. */
uint32_t kymo_ring_session(void);
/* False while that is a run before the last reset. */
bool kymo_ring_is_current(void);
/* When nothing is left of that: goes on to the next run. */
void kymo_ring_next_run(void);
/* The time to tell with the session that is read. */
uint64_t kymo_ring_now(void);

#else

static inline void kymo_ring_sent(const struct kymo_lane *lane) { (void)lane; }
static inline bool kymo_ring_was_sent(const struct kymo_lane *lane) { return lane == NULL; }
static inline bool kymo_ring_is_current(void) { return true; }
static inline uint64_t kymo_ring_now(void) { return kymo_arch_clock64(); }

#endif

/* How many events a record of this kind counts for. */
static inline uint32_t kymo_events_of(enum kymo_event_kind kind) {
    return KYMO_KIND_IS_COUNTED(kind) ? 1u : 0u;
}

/* Cells of a long record. */
static inline uint32_t kymo_long_cells(enum kymo_event_kind kind, uint32_t words) {
    uint32_t all = 2u + (((uint32_t)kind & KYMO_KIND_HAS_REF) != 0u ? 1u : 0u) + words;
    return (all + 1u) / KYMO_CELL_WORDS;
}

#endif
