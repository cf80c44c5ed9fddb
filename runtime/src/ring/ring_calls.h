/* SPDX-License-Identifier: MIT */
/* The recording calls that are alike in every ring, included by each at its end, and after it ring_promised.h or
 * ring_unpromised.h, and zone_calls.h. It defines before:
 *
 *   struct place          the state of a call: "lane" of the caller, "now" the time of the record, and more of its own
 *   begin_zone(site)      returns the lane that has the promise of the zone's end; NULL: refused
 *   end_zone(owner)       NULL: nothing
 *   enter_lane(place)     finds the lane, and masks interrupts where the port can
 *   leave_lane(place)     the opposite
 *   take_place(place, cells, promised, events, lost)
 *                         room for a record of so many cells, which counts for "events", and a promise of more for
 *                         a later one. False: refused, and counted for "lost". The lane may be another one then
 *   TRIES_PLACE           not 0: tries come first, of
 *   try_place(place, cells)  such room, if that needs no call, so that the caller needs no stack frame. False: nothing
 *                         has happened
 *   put_pair(place, word) commits a record of two words
 *   hold_place(place, cells, filling, lost)
 *                         room for a long record: the reader knows by its header "filling" that it is being filled.
 *                         Interrupts are let in again where they may come. False: refused, and counted
 *   word_of(place, index) a word of it
 *   commit_place(place, cells, header)
 *                         completes the record; and does the work of leave_lane()
 *   switch_refused(lane)  the context is not in the ring
 *
 * and, where a full ring refuses events:
 *
 *   take_promised(lane, cells)  False: so much is not promised
 *   give_room(lane, cells)      gives back room that was promised and is taken
 *   write_due_clock(place)      True: a clock record was due, and was written into such room
 *   count_lost(lane, events)
 *   give_elsewhere(owner, here, cells)  gives back room that was promised on another lane
 */
#ifndef KYMO_RING_CALLS_H
#define KYMO_RING_CALLS_H

#include "kymo/tasks.h"
#include "ring.h"

/* The context that a task, or an interrupt where none can be masked, returns to is known before its record; a task may
 * be moved to another core until its place is taken under the mask. */
#define KYMO_CONTEXT_FIRST KYMO_ARCH_ATOMIC

/* Threads without a lane share one: its context is read and written whole. Elsewhere interrupts are masked
 * meanwhile. */
#define LANE_CONTEXT(lane) (KYMO_ARCH_ATOMIC ? KYMO_LOAD((lane)->context) : (lane)->context)
#define SET_LANE_CONTEXT(lane, value)                                                              \
    do {                                                                                           \
        if (KYMO_ARCH_ATOMIC) {                                                                    \
            KYMO_STORE((lane)->context, value);                                                    \
        } else {                                                                                   \
            (lane)->context = (value);                                                             \
        }                                                                                          \
    } while (0)

/* Apart, where a quick try comes before. */
#if TRIES_PLACE
#define KYMO_IF_TRIED __attribute__((noinline))
#else
#define KYMO_IF_TRIED inline __attribute__((always_inline))
static inline bool try_place(const struct place *place, uint32_t cells) {
    return (void)place, (void)cells, false;
}
#endif

void kymo_ring_short(uint32_t word) {
    struct place place;
    enter_lane(&place);
    if (take_place(&place, 1u, 0u, 1u, 1u)) {
        put_pair(&place, word);
    }
    leave_lane(&place);
}

static kymo_context exchange_context(struct place *place, kymo_context context) {
    const kymo_context before = LANE_CONTEXT(place->lane);
    SET_LANE_CONTEXT(place->lane, context);
    return before;
}

/* Any of them. */
static KYMO_IF_TRIED kymo_context record_switch(kymo_context context) {
    struct place place;
    enter_lane(&place);
    kymo_context before = 0u;
    if (KYMO_CONTEXT_FIRST) {
        before = exchange_context(&place, context);
    }
    if (take_place(&place, 1u, 0u, 1u, 1u)) {
        put_pair(&place, (uint32_t)context | KYMO_TAG_CONTEXT);
    } else {
        switch_refused(place.lane);
    }
    if (!KYMO_CONTEXT_FIRST) {
        before = exchange_context(&place, context);
    }
    leave_lane(&place);
    return before;
}

kymo_context kymo_ring_switch(kymo_context context) {
    if (!TRIES_PLACE) {
        return record_switch(context);
    }
    struct place place;
    enter_lane(&place);
    if (KYMO_UNLIKELY(!try_place(&place, 1u))) {
        leave_lane(&place);
        return record_switch(context);
    }
    put_pair(&place, (uint32_t)context | KYMO_TAG_CONTEXT);
    const kymo_context before = exchange_context(&place, context);
    leave_lane(&place);
    return before;
}

/* Gives back room that was promised, as its record will not come. */
static inline void give_promised(struct kymo_lane *lane, uint32_t cells);

/* A word of a record other than its first. The reader of a ring that keeps the newest may copy it meanwhile. */
#define PUT_WORD(word, value)                                                                      \
    do {                                                                                           \
        if (KYMO_KEEP_NEWEST && KYMO_ARCH_ATOMIC) {                                                \
            KYMO_STORE(word, value);                                                               \
        } else {                                                                                   \
            (word) = (value);                                                                      \
        }                                                                                          \
    } while (0)

/* All of a long record but its first word. */
KYMO_INLINE_ void fill(const struct place *place, uint32_t at, const struct kymo_long *event) {
    PUT_WORD(*word_of(place, ++at), (uint32_t)place->now);
    if (((uint32_t)event->kind & KYMO_KIND_HAS_REF) != 0u) {
        PUT_WORD(*word_of(place, ++at), event->reference);
    }
    for (uint32_t i = 0u; i < event->count; i++) {
        PUT_WORD(*word_of(place, ++at), event->words[i]);
    }
}

KYMO_INLINE_ uint32_t header_of(const struct kymo_long *event, uint32_t cells) {
    return KYMO_LONG(event->kind, event->count, cells);
}

/* Writes the header of the first record last, so that the reader finds both or neither. False: refused. */
KYMO_INLINE_ bool record_long(const struct kymo_long *prefix, const struct kymo_long *event) {
    const uint32_t first = prefix != NULL ? kymo_long_cells(prefix) : 0u;
    const uint32_t second = kymo_long_cells(event);
    const uint32_t events =
        (prefix != NULL ? kymo_events_of(prefix->kind) : 0u) + kymo_events_of(event->kind);
    struct place place;
    enter_lane(&place);
    if (!take_place(&place, first + second, 0u, events, events)) {
        leave_lane(&place);
        return false;
    }
    if (!hold_place(&place, first + second, kymo_long_filling(first + second, events), events)) {
        return false;
    }
    fill(&place, first * KYMO_CELL_WORDS, event);
    if (prefix != NULL) {
        fill(&place, 0u, prefix);
        PUT_WORD(*word_of(&place, first * KYMO_CELL_WORDS), header_of(event, second));
        commit_place(&place, first + second, header_of(prefix, first));
    } else {
        commit_place(&place, second, header_of(event, second));
    }
    return true;
}

#if KYMO_TASKS

#if !KYMO_ARCH_ATOMIC && !KYMO_KEEP_NEWEST
/* Four words take less time than to let interrupts in. */
KYMO_INLINE_ void put_task(struct place *place, const uint32_t *words) {
    uint32_t *next = kymo_arch_put_pair(place->lane->write, words[0], (uint32_t)place->now);
    next = kymo_arch_put_pair(next, words[1], words[2]);
    KYMO_PUBLISH_MASKED(place->lane->write, next);
    leave_lane(place);
}
#else
KYMO_INLINE_ void put_task(struct place *place, const uint32_t *words) {
    if (hold_place(place, KYMO_TASK_CELLS, kymo_long_filling(KYMO_TASK_CELLS, 1u), 1u)) {
        PUT_WORD(*word_of(place, 1u), (uint32_t)place->now);
        PUT_WORD(*word_of(place, 2u), words[1]);
        PUT_WORD(*word_of(place, 3u), words[2]);
        commit_place(place, KYMO_TASK_CELLS, words[0]);
    }
}
#endif

/* Any of them. */
static KYMO_IF_TRIED void record_task(uint32_t header, uint32_t reference, uint32_t word) {
    const uint32_t words[3] = {header, reference, word};
    struct place place;
    enter_lane(&place);
    if (take_place(&place, KYMO_TASK_CELLS, 0u, 1u, 1u)) {
        put_task(&place, words);
    } else {
        leave_lane(&place);
    }
}

void kymo_ring_task(uint32_t header, uint32_t reference, uint32_t word) {
    if (!TRIES_PLACE) {
        record_task(header, reference, word);
        return;
    }
    const uint32_t words[3] = {header, reference, word};
    struct place place;
    enter_lane(&place);
    if (KYMO_UNLIKELY(!try_place(&place, KYMO_TASK_CELLS))) {
        leave_lane(&place);
        record_task(header, reference, word);
        return;
    }
    put_task(&place, words);
}

static __attribute__((noinline)) void record_waits(uintptr_t object, uint32_t word) {
    const uint32_t words[2] = {word, (uint32_t)((uint64_t)object >> 32)};
    (void)kymo_ring_long(KYMO_KIND_TASK_WAITS, (uint32_t)object, words, words[1] != 0u ? 2u : 1u);
}

void KYMO_RING_WAITS(uint32_t ticks) {
    struct place place;
    enter_lane(&place);
    struct kymo_runs *runs = &place.lane->runs;
    const uintptr_t object = runs->object;
    const uint32_t word = (runs->why & 0xffu) | ticks << KYMO_WHY_TICKS_SHIFT;
    const uint32_t words[3] = {KYMO_TASK_HEADER(KYMO_KIND_TASK_WAITS, 1u), (uint32_t)object, word};
    runs->object = 0u;
    runs->why = KYMO_WHY_UNKNOWN;
    if (!TRIES_PLACE || KYMO_UNLIKELY((uint64_t)object >> 32 != 0u) ||
        KYMO_UNLIKELY(!try_place(&place, KYMO_TASK_CELLS))) {
        leave_lane(&place);
        record_waits(object, word);
        return;
    }
    put_task(&place, words);
}

#endif

/* Cuts an event to "limit" words. Member by member: for the whole some compilers call memcpy(). */
static inline struct kymo_long cut(const struct kymo_long *event, uint32_t limit) {
    return (struct kymo_long){.kind = event->kind,
                              .reference = event->reference,
                              .count = event->count < limit ? event->count : limit,
                              .words = event->words};
}

#if !KYMO_RING_QUICK
bool kymo_ring_long(enum kymo_event_kind kind, uint32_t reference, const uint32_t *words,
                    uint32_t count) {
    const struct kymo_long event = {
        .kind = kind, .reference = reference, .count = count, .words = words};
    const struct kymo_long fits = cut(&event, KYMO_RECORD_WORDS);
    return record_long(NULL, &fits);
}
#endif

/* Header, time, reference and filler of the second record. */
#define SECOND_WORDS 4u

bool kymo_ring_long_with(const struct kymo_long *prefix, const struct kymo_long *event) {
    const struct kymo_long second = cut(event, KYMO_PAYLOAD_WORDS);
    const uint32_t room = KYMO_PAYLOAD_WORDS - second.count +
                          (KYMO_CALLSTACKS ? KYMO_STACK_WORDS + SECOND_WORDS : 0u);
    if (room <= SECOND_WORDS) {
        return record_long(NULL, &second);
    }
    const struct kymo_long first = cut(prefix, room - SECOND_WORDS);
    return record_long(&first, &second);
}

#if KYMO_TAKES_STACKS

/* Its end finds its room, as that of a zone without a prefix. */
struct kymo_lane *kymo_ring_begin_with(const struct kymo_long *prefix,
                                       const struct kymo_site *site) {
    const struct kymo_long first = cut(prefix, KYMO_STACK_WORDS);
    const uint32_t cells = kymo_long_cells(&first);
    struct place place;
    enter_lane(&place);
    if (!take_place(&place, cells + 1u, KYMO_KEEP_NEWEST ? 0u : 1u, 1u, 2u)) {
        leave_lane(&place);
        return NULL;
    }
    if (!hold_place(&place, cells + 1u, kymo_long_filling(cells + 1u, 1u), 2u)) {
        give_promised(place.lane, 1u);
        return NULL;
    }
    PUT_WORD(*word_of(&place, cells * KYMO_CELL_WORDS + 1u), (uint32_t)place.now);
    PUT_WORD(*word_of(&place, cells * KYMO_CELL_WORDS), (uint32_t)(uintptr_t)site);
    fill(&place, 0u, &first);
    struct kymo_lane *lane = place.lane;
    commit_place(&place, cells + 1u, header_of(&first, cells));
    return lane;
}

#endif

#if KYMO_FUNCTIONS
#include "ring_function.h"
#endif

/* The whole clock is read, so that a port that widens a narrow one sees each of its wraps. */
void kymo_clock_keepalive(void) {
    struct place place;
    enter_lane(&place);
    kymo_ring_keep_alive(place.lane, kymo_arch_clock64());
    leave_lane(&place);
}

#endif
