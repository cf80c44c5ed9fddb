/* SPDX-License-Identifier: MIT */
/* The producer side of a lane: reserve, fill, commit. The implementations differ in how a reservation
 * is made safe from nested contexts, and in which events a full ring gives up: ring_masked.c and ring_atomic.c refuse
 * the newest, ring_newest.c and ring_newest_atomic.c overwrite the oldest. Private to the runtime. */
#ifndef KYMO_RING_H
#define KYMO_RING_H

#include "kymo/unwind.h"
#include "lane.h"

/* Call stacks are recorded. */
#define KYMO_TAKES_STACKS (KYMO_CALLSTACKS != 0 && KYMO_ARCH_UNWIND != KYMO_UNWIND_NONE)

/* Records two words: "word" and the time. Any context. Refused events are counted. */
void kymo_ring_short(uint32_t word);

/* A sample's call stack has so many more frames: KYMO_STACK_HELD, and the one that it marks. */
#define KYMO_MARK_FRAMES                                                                           \
    (KYMO_SAMPLE_HZ_MAX != 0 && KYMO_ARCH_UNWIND == KYMO_UNWIND_FRAMES ? 2u : 0u)
#define KYMO_STACK_MOST                                                                            \
    (KYMO_CALLSTACKS + KYMO_MARK_FRAMES < KYMO_STACK_FRAMES_MAX                                    \
         ? KYMO_CALLSTACKS + KYMO_MARK_FRAMES                                                      \
         : KYMO_STACK_FRAMES_MAX)
/* Payload words of a call stack, which is a record before that of its event; of any record. */
#define KYMO_STACK_WORDS                                                                           \
    (KYMO_CALLSTACKS == 0 ? 0u : 1u + KYMO_STACK_MOST * (uint32_t)sizeof(uintptr_t) / 4u)
#define KYMO_RECORD_WORDS                                                                          \
    (KYMO_STACK_WORDS > KYMO_PAYLOAD_WORDS ? KYMO_STACK_WORDS : (uint32_t)KYMO_PAYLOAD_WORDS)

/* An event with payload: at most KYMO_RECORD_WORDS of it, the rest is cut. */
struct kymo_long {
    enum kymo_event_kind kind;
    uint32_t reference; /* if the kind has one */
    uint32_t count;
    const uint32_t *words;
};

/* Records an event with payload: reserves the place, fills it without keeping anyone out, commits
 * it. Any context. False: refused, and counted. */
bool kymo_ring_long(enum kymo_event_kind kind, uint32_t reference, const uint32_t *words,
                    uint32_t count);

/* The ring has a fast path for these: the same with one word and with two, low word first, for a kind that has a
 * reference and is counted. */
#define KYMO_RING_QUICK                                                                            \
    (KYMO_ARCH_ATOMIC && !KYMO_KEEP_NEWEST && KYMO_ARCH_LANE_HELD == 2 &&                          \
     KYMO_ARCH_CLOCK_BITS == 64)
#define KYMO_ONE_WORD(kind) KYMO_LONG((kind), 1u, 2u)
#define KYMO_TWO_WORDS(kind) KYMO_LONG((kind), 2u, 3u)
void kymo_ring_one(uint32_t reference, uint32_t word, uint32_t header);
void kymo_ring_two(uint32_t reference, uint64_t words, uint32_t header);

/* The same for two records, "prefix" first, with one reservation: both are in the ring or neither, nothing comes
 * between, and the reader finds both at once. Together they may be as long as an event and a call stack: a longer
 * prefix is cut, or left out. False: refused. */
bool kymo_ring_long_with(const struct kymo_long *prefix, const struct kymo_long *event);

/* The same with a reference and one word, in fewer instructions. A word of 0 may be left out. */
#define KYMO_TASK_CELLS 2u
#define KYMO_TASK_HEADER(kind, words) KYMO_LONG(kind, words, KYMO_TASK_CELLS)
void kymo_ring_task(uint32_t header, uint32_t reference, uint32_t word);

/* What the lane runs leaves, to wait for as many ticks of its kernel: for the reason in lane->runs, which then is none.
 * With KYMO_TASK_LIMITS task_events.c calls it. */
#if KYMO_TASK_LIMITS
#define KYMO_RING_WAITS kymo_ring_waits
void kymo_ring_waits(uint32_t ticks);
#else
#define KYMO_RING_WAITS kymo_task_waits
#endif

/* kymo_zone_begin() with a prefix, in the same way. */
struct kymo_lane *kymo_ring_begin_with(const struct kymo_long *prefix,
                                       const struct kymo_site *site);

/* kymo_context_switch() and kymo_interrupt_enter(), for a context that is 8-aligned. */
kymo_context kymo_ring_switch(kymo_context context);
kymo_context kymo_ring_enter(kymo_context context);

/* kymo_ring_function_begin() records the begin of a function and reserves room for its end; it returns the lane that
 * has the room, or NULL if refused, and counted for both. kymo_ring_function_end() records its end, on any lane.
 * kymo_ring_function_left() frees the room of an end that does not come. The latter two ignore NULL. */
struct kymo_lane *kymo_ring_function_begin(uintptr_t address);
void kymo_ring_function_end(struct kymo_lane *owner, uintptr_t address, enum kymo_event_kind kind);
void kymo_ring_function_left(struct kymo_lane *owner);
/* functions.c: the thread that had the lane is over; the task is over. */
void kymo_functions_left(const struct kymo_lane *lane);
void kymo_functions_over(kymo_context context);

/* The end of a zone without a promise: an event like any other, in free room, and a usage error. Not masked. */
static inline void kymo_ring_end_unpromised(void) {
    kymo_usage_error(KYMO_USAGE_UNPROMISED);
    kymo_ring_short(KYMO_TAG_END32);
}

/* Each zone has its stack; kymo_ring_begin() begins one without. */
#define KYMO_ZONES_HAVE_STACKS (KYMO_TAKES_STACKS && KYMO_TRACING_MODE >= 4)
struct kymo_lane *kymo_ring_begin(const struct kymo_site *site);

/* kymo_ring_attention(): makes the lane's next event take the slow path, however late that comes; from any core. On
 * narrow clocks a clock record then comes before it.
 * kymo_ring_open(): lets events take the fast path again, up to "run_end" in a ring that has it. */
#if KYMO_ARCH_ATOMIC
static inline void kymo_ring_attention(struct kymo_lane *lane) {
    if (KYMO_ARCH_CLOCK_BITS == 64) {
        KYMO_STORE(lane->limit, 0u);
    } else {
        KYMO_STORE(lane->limit, kymo_arch_clock() - 1u);
        KYMO_STORE(lane->attention, true);
    }
}
static inline void kymo_ring_open(struct kymo_lane *lane, uintptr_t run_end) {
    (void)run_end;
    if (KYMO_ARCH_CLOCK_BITS == 32) {
        KYMO_STORE(lane->attention, false);
    }
}
#else
static inline void kymo_ring_attention(struct kymo_lane *lane) {
    if (KYMO_ARCH_CLOCK_BITS == 32) {
        KYMO_STORE(lane->limit, kymo_arch_clock() - 1u);
    }
    KYMO_STORE(lane->run_end, 0u);
}
static inline void kymo_ring_open(struct kymo_lane *lane, uintptr_t run_end) {
    KYMO_STORE(lane->run_end, run_end);
}
#endif

/* The same, unless recording was stopped meanwhile by another core, whose two stores are in the opposite order. */
static inline void kymo_ring_resume(struct kymo_lane *lane, uintptr_t run_end) {
    kymo_ring_open(lane, run_end);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (KYMO_LOAD(kymo_stopped)) {
        kymo_ring_attention(lane);
    }
}

/* Call it from any core, at least once in half a wrap of the clock less 1 %; lifecycle.c. */
void kymo_ring_keep_alive(struct kymo_lane *lane, uint64_t now);

static inline uint32_t *kymo_ring_of(const struct kymo_lane *lane) {
    return kymo_rings[kymo_lane_index(lane)];
}

/* The word at an index, for rings whose indices run on. */
static inline uint32_t *kymo_ring_at(const struct kymo_lane *lane, uint32_t index) {
    return &kymo_ring_of(lane)[index & (KYMO_RING_WORDS - 1u)];
}

/* The consumer side: one context at a time. */

/* Gives back the room of promised ends of zones that will not come. */
void kymo_ring_give_back(struct kymo_lane *lane, uint32_t ends);
/* Bytes that wait in the lane, roughly. */
uint32_t kymo_ring_used_bytes(const struct kymo_lane *lane);
/* Where bytes wait and no record is complete: passes over the next record, counts it as lost, and closes the
 * lane, as the context that began it may still write to it. */
void kymo_ring_abandon(struct kymo_lane *lane);
/* The same if no context will write to the record, so the lane stays open: its task is over ("is_over"), or its thread
 * has left the lane. True: there may be a record now. */
bool kymo_ring_pass(struct kymo_lane *lane, bool is_over);
/* lifecycle.c calls it for kymo_lane_left(): the room that the thread has promised is free again, no handler is served,
 * and records that it did not complete may be passed over. */
void kymo_ring_left(struct kymo_lane *lane);

/* The number of events that a record of this kind counts for. */
static inline uint32_t kymo_events_of(enum kymo_event_kind kind) {
    return KYMO_KIND_IS_COUNTED(kind) ? 1u : 0u;
}

/* Cells of a long record: two at least, as kymo_ring_abandon() makes a loss of it. Each kind has a reference or
 * payload, except ZONE_END, which is always a short record. */
#define KYMO_IS_TWO_CELLS(name, number, reference, payload, role, word)                            \
    _Static_assert(KYMO_KIND_##name == KYMO_KIND_ZONE_END || KYMO_REFERENCE_##reference != 0 ||    \
                       KYMO_CARRIES_##payload != 0,                                                \
                   #name ": a long record has two cells at least");
KYMO_KINDS(KYMO_IS_TWO_CELLS)
#undef KYMO_IS_TWO_CELLS
KYMO_INLINE_ uint32_t kymo_cells_of(enum kymo_event_kind kind, uint32_t words) {
    uint32_t all = 2u + (((uint32_t)kind & KYMO_KIND_HAS_REF) != 0u ? 1u : 0u) + words;
    return (all + 1u) / KYMO_CELL_WORDS;
}
KYMO_INLINE_ uint32_t kymo_long_cells(const struct kymo_long *event) {
    return kymo_cells_of(event->kind, event->count);
}

/* The header of a record that is being filled; it already has its number of events. */
static inline uint32_t kymo_long_filling(uint32_t cells, uint32_t events) {
    return KYMO_LONG(KYMO_LONG_FILLING, 0u, cells) | events << KYMO_FILLING_SHIFT;
}

/* A record of losses: how many, ticks since the first, and how many of them are ends of zones that began on another
 * lane, if any. */
#define KYMO_LOSS_CELLS 3u
static inline uint32_t kymo_loss_header(uint32_t ends) {
    return KYMO_LONG(KYMO_KIND_LOSS, ends != 0u ? 3u : 2u, KYMO_LOSS_CELLS);
}

/* The end of a zone that began on another lane: its number. */
#define KYMO_END_ON_CELLS 2u

/* ---- the consumer, record by record: inline, for the one loop that reads events ----
 *
 * kymo_ring_peek(): words of the next complete record, or 0 without one; the first word goes to *header.
 * kymo_ring_word(): word "index" from there on.
 * kymo_ring_consume(): gives the peeked record's words back to the producer; or those of several records.
 * kymo_ring_is_empty(): kymo_ring_used_bytes() is 0.
 * kymo_ring_is_copied(): the record that comes next was peeked and copied: peeking it again takes no time.
 * Of a ring that keeps the oldest:
 * kymo_ring_ahead(): how many words from the tail on may hold records.
 * kymo_ring_row(): of *words words from the tail on, where they are, and how many of them lie in a row.
 * Of a ring that keeps the newest:
 * kymo_ring_sent(): remembers, for after a reset, how far the lane was read: its events are in a packet.
 * kymo_ring_was_sent(): the peeked record was sent before a reset: it only restores the reader's state.
 * kymo_ring_is_current(): false while the session that is read is a run before the last reset.
 * kymo_ring_now(): the time to send with that session. */
#if KYMO_KEEP_NEWEST
#include "read_newest.h"
#elif KYMO_ARCH_ATOMIC
#include "read_atomic.h"
#else
#include "read_masked.h"
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
