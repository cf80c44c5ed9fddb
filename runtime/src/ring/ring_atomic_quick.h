/* SPDX-License-Identifier: MIT */
/* Long records the quick way: the lane, the clock and the room are there at once, and the record does not straddle the
 * ring's end. Included by ring_atomic.c alone, for ports whose threads hold their lane and whose clock has 64 bits.
 * Code that takes a stack frame is in functions of its own, called last. */
#ifndef KYMO_RING_ATOMIC_QUICK_H
#define KYMO_RING_ATOMIC_QUICK_H

#include "ring_calls.h"

/* ---- the other way ---- */

static __attribute__((noinline)) bool long_slow(enum kymo_event_kind kind, uint32_t reference,
                                                const uint32_t *words, uint32_t count) {
    const struct kymo_long event = {
        .kind = kind, .reference = reference, .count = count, .words = words};
    const struct kymo_long fits = cut(&event, KYMO_RECORD_WORDS);
    return record_long(NULL, &fits);
}

/* Its place is taken. */
static void fill_place(const struct place *place, const struct kymo_long *event) {
    const uint32_t cells = kymo_long_cells(event);
    KYMO_PUBLISH(*word_of(place, 0u), kymo_long_filling(cells, kymo_events_of(event->kind)));
    KYMO_RELEASE();
    fill(place, 0u, event);
    commit_place(place, cells, header_of(event, cells));
}

static __attribute__((noinline)) void few_slow(uint32_t reference, uint64_t value,
                                               uint32_t header) {
    const uint32_t words[2] = {(uint32_t)value, (uint32_t)(value >> 32)};
    (void)long_slow((enum kymo_event_kind)KYMO_LONG_KIND(header), reference, words,
                    KYMO_LONG_WORDS(header));
}

static __attribute__((noinline)) void few_around(uint32_t reference, uint64_t value,
                                                 uint32_t header, struct kymo_lane *lane,
                                                 uint32_t index, kymo_clock_t now) {
    const uint32_t words[2] = {(uint32_t)value, (uint32_t)(value >> 32)};
    const struct kymo_long event = {.kind = (enum kymo_event_kind)KYMO_LONG_KIND(header),
                                    .reference = reference,
                                    .count = KYMO_LONG_WORDS(header),
                                    .words = words};
    const struct place place = {.lane = lane, .index = index, .now = now};
    fill_place(&place, &event);
}

/* ---- the quick one ---- */

/* Like the fast path of a zone. NULL: there is more to do, and nothing has happened. */
KYMO_INLINE_ struct kymo_lane *take_quickly(uint32_t cells, kymo_clock_t *now) {
    struct kymo_lane *lane = kymo_lane_held();
    if (KYMO_UNLIKELY(lane == NULL) || KYMO_UNLIKELY(must_leave_fast_path(lane, now, true)) ||
        !take_room_quickly(lane, (int32_t)cells, 0)) {
        return NULL;
    }
    return lane;
}

static inline bool is_straight(uint32_t index, uint32_t cells) {
    return KYMO_LIKELY((index & (KYMO_RING_WORDS - 1u)) <=
                       KYMO_RING_WORDS - cells * KYMO_CELL_WORDS);
}

/* Its words are stored by themselves: some compilers gather them in a vector, which takes longer. */
KYMO_INLINE_ uint32_t *begin_record(const struct kymo_lane *lane, uint32_t index, uint32_t filling,
                                    kymo_clock_t now) {
    uint32_t *const record = &lane->ring[index & (KYMO_RING_WORDS - 1u)];
    KYMO_PUBLISH(record[0], filling);
    KYMO_RELEASE();
    KYMO_STORE(record[1], (uint32_t)now);
    return record;
}

bool kymo_ring_long(enum kymo_event_kind kind, uint32_t reference, const uint32_t *words,
                    uint32_t count) {
    const uint32_t cells = kymo_cells_of(kind, count);
    kymo_clock_t now;
    struct kymo_lane *const lane =
        KYMO_LIKELY(count <= KYMO_RECORD_WORDS) ? take_quickly(cells, &now) : NULL;
    if (KYMO_UNLIKELY(lane == NULL)) {
        return long_slow(kind, reference, words, count);
    }
    const uint32_t index = take_index(lane, cells);
    if (!is_straight(index, cells)) {
        const struct kymo_long event = {
            .kind = kind, .reference = reference, .count = count, .words = words};
        const struct place place = {.lane = lane, .index = index, .now = now};
        fill_place(&place, &event);
        return true;
    }
    uint32_t *const record =
        begin_record(lane, index, kymo_long_filling(cells, kymo_events_of(kind)), now);
    uint32_t *at = record + 2;
    if (((uint32_t)kind & KYMO_KIND_HAS_REF) != 0u) {
        *at++ = reference;
    }
    for (uint32_t i = 0u; i < count; i++) {
        at[i] = words[i];
    }
    KYMO_PUBLISH(record[0], KYMO_LONG(kind, count, cells));
    return true;
}

KYMO_INLINE_ void record_few(uint32_t reference, uint64_t value, uint32_t header, uint32_t count) {
    const uint32_t cells = kymo_cells_of((enum kymo_event_kind)KYMO_KIND_HAS_REF, count);
    kymo_clock_t now;
    struct kymo_lane *const lane = take_quickly(cells, &now);
    if (KYMO_UNLIKELY(lane == NULL)) {
        few_slow(reference, value, header);
        return;
    }
    const uint32_t index = take_index(lane, cells);
    if (!is_straight(index, cells)) {
        few_around(reference, value, header, lane, index, now);
        return;
    }
    uint32_t *const record = begin_record(lane, index, kymo_long_filling(cells, 1u), now);
    KYMO_STORE(record[2], reference);
    KYMO_STORE(record[3], (uint32_t)value);
    if (count == 2u) {
        KYMO_STORE(record[4], (uint32_t)(value >> 32));
    }
    KYMO_PUBLISH(record[0], header);
}

void kymo_ring_one(uint32_t reference, uint32_t word, uint32_t header) {
    record_few(reference, word, header, 1u);
}

void kymo_ring_two(uint32_t reference, uint64_t words, uint32_t header) {
    record_few(reference, words, header, 2u);
}

#endif
