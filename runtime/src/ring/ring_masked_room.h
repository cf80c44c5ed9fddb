/* SPDX-License-Identifier: MIT */
/* The slow path of ring_masked.c, included by it alone: the room of the ring, and the records that precede an event. */
#ifndef KYMO_RING_MASKED_ROOM_H
#define KYMO_RING_MASKED_ROOM_H

#include "ring.h"

/* After an overflow the ring must drain by this much first, else losses would come one by one. */
#define REOPEN_BYTES (KYMO_RING_BYTES / 8u)

static uintptr_t written(const struct kymo_lane *lane) { return (uintptr_t)lane->write; }

static uint32_t promised(const struct kymo_lane *lane) {
    return (uint32_t)(lane->reserved - written(lane));
}

static bool has_room(const struct kymo_lane *lane, uint32_t bytes) {
    return lane->room_end - lane->reserved >= bytes;
}

/* Writes into promised room. Masked. */
KYMO_INLINE_ void write_pair(struct kymo_lane *lane, uint32_t first, uint32_t second) {
    uint32_t *next = kymo_arch_put_pair(lane->write, first, second);
    KYMO_PUBLISH_MASKED(lane->write, next);
}

/* Both words are the time. */
static __attribute__((noinline)) void write_time64(struct kymo_lane *lane, enum kymo_tag tag) {
    uint64_t now = kymo_arch_clock64();
    write_pair(lane, (uint32_t)(now << 3) | (uint32_t)tag, (uint32_t)(now >> 29));
}

static bool clock_is_due(const struct kymo_lane *lane) {
    return kymo_clock_is_past(kymo_arch_clock(), lane->limit);
}

static __attribute__((noinline)) void count_lost(struct kymo_lane *lane, uint32_t events) {
    if (lane->lost == 0u) {
        lane->lost_since = (uint32_t)kymo_arch_clock();
    }
    lane->lost += events;
    kymo_ring_attention(lane);
}

/* ---- room ---- */

static void first_use(struct kymo_lane *lane) {
    uint32_t *base = kymo_ring_of(lane);
    lane->core = (uint8_t)kymo_lane_index(lane);
    lane->limit = kymo_arch_clock() - 1u;
    lane->reserved = lane->room_end = (uintptr_t)base;
    KYMO_PUBLISH(lane->tail, base); /* first: "write" tells the consumer that there is a ring */
    KYMO_PUBLISH(lane->write, base);
}

static inline void give_back(const struct kymo_lane *owner, const struct kymo_lane *here) {
    uint32_t *cells = &kymo_returns.cells[kymo_lane_index(owner)][here - kymo_lanes];
    KYMO_STORE(*cells, *cells + 1u);
}

/* Extends the run to the words that the consumer has freed, or continues at the ring's start. Promised words move
 * along. True: "need" bytes are there. One cell stays free so that full differs from empty. No context takes the fast
 * path until step_open(): an interrupt would compare with the end of the previous run, which may be beyond the new
 * room. */
static bool make_room(struct kymo_lane *lane, uint32_t *tail, uint32_t need) {
    uint32_t *base = kymo_ring_of(lane);
    uint32_t *end = base + KYMO_RING_WORDS;
    uint32_t *write = lane->write;

    if (KYMO_LOAD(lane->closed)) {
        return false;
    }
    KYMO_STORE(lane->run_end, 0u);
    lane->room_end = (uintptr_t)(tail > write ? tail - KYMO_CELL_WORDS : end);
    if (has_room(lane, need)) {
        return true;
    }
    const uint32_t all = promised(lane) + need;
    if (tail > write || (uint32_t)(tail - base) * 4u < all + KYMO_CELL_BYTES) {
        return false;
    }
    if (write != end) {
        write[0] = KYMO_LONG(KYMO_LONG_SKIP, 0u, 0u);
    }
    lane->reserved = (uintptr_t)base + promised(lane);
    lane->room_end = (uintptr_t)(tail - KYMO_CELL_WORDS);
    KYMO_PUBLISH(lane->write, base);
    return true;
}

/* ---- the slow path: the records that precede an event, in steps ----
 *
 * Interrupts are let in between the steps, so that none masks them for longer than an event does. Each step
 * looks up the lane again, as the caller may have been moved, and does the work that is still left there:
 * an interrupt in between may have done it. */

#define LOSS_BYTES (KYMO_LOSS_CELLS * KYMO_CELL_BYTES)

/* False: refused, and counted. As long as the consumer frees nothing there is no use in looking for room again. */
static bool refuse_or_pass(struct kymo_lane *lane, uint32_t need, uint32_t events) {
    if (kymo_lane_is_unknown(lane) || lane->refused_entries != 0u) {
        count_lost(lane, events); /* of several such cores some may go uncounted, but never all */
        return false;
    }
    if (lane->write == NULL) {
        first_use(lane);
    }
    const bool lossy = lane->lost != 0u;
    uint32_t *tail = KYMO_ACQUIRE(lane->tail);
    if (lossy && lane->tail_refused == tail) {
        lane->lost += events;
        return false;
    }
    const uint32_t wanted =
        need + KYMO_CELL_BYTES + (lossy ? LOSS_BYTES + KYMO_CELL_BYTES + REOPEN_BYTES : 0u);
    if (!has_room(lane, wanted) && !make_room(lane, tail, wanted)) {
        lane->tail_refused = tail;
        count_lost(lane, events);
        return false;
    }
    lane->tail_refused = NULL;
    return true;
}

#if KYMO_RETURNS

struct kymo_returns kymo_returns;

/* Collects room that others gave back, at most as much as is promised: a zone that was ended twice gave back room that
 * others need. */
static __attribute__((noinline)) void step_collect(void) {
    struct kymo_lane *lane = kymo_lane_here();
    const size_t index = (size_t)(lane - kymo_lanes);
    uint32_t cells = 0u;
    if (kymo_lane_is_unknown(lane)) {
        return;
    }
    for (uint32_t i = 0u; i <= KYMO_LANES_ALL; i++) {
        cells += KYMO_LOAD(kymo_returns.cells[index][i]);
    }
    kymo_arch_state state = kymo_arch_mask();
    const uint32_t new_cells = cells - kymo_returns.collected[index];
    if (lane == kymo_lane_here() && (int32_t)new_cells > 0) { /* an interrupt may have seen more */
        const uint32_t bytes = new_cells * KYMO_CELL_BYTES;
        kymo_returns.collected[index] = cells;
        lane->reserved -= bytes < promised(lane) ? bytes : promised(lane);
        lane->tail_refused = NULL;
    }
    kymo_arch_unmask(state);
}

#else

static void step_collect(void) {}

#endif

static __attribute__((noinline)) bool step_room(uint32_t need, uint32_t events) {
    kymo_arch_state state = kymo_arch_mask();
    const bool passed = refuse_or_pass(kymo_lane_here(), need, events);
    kymo_arch_unmask(state);
    return passed;
}

static __attribute__((noinline)) void step_clock(void) {
    kymo_arch_state state = kymo_arch_mask();
    struct kymo_lane *lane = kymo_lane_here();
    if (has_room(lane, KYMO_CELL_BYTES) && clock_is_due(lane)) {
        lane->reserved += KYMO_CELL_BYTES;
        lane->limit = kymo_arch_clock() + KYMO_CLOCK_SPAN;
        write_time64(lane, KYMO_TAG_CLOCK64);
    }
    kymo_arch_unmask(state);
}

/* Losses, and the context, if a switch was refused. */
static __attribute__((noinline)) void step_loss(void) {
    kymo_arch_state state = kymo_arch_mask();
    struct kymo_lane *lane = kymo_lane_here();
    if (lane->lost != 0u && has_room(lane, LOSS_BYTES + KYMO_CELL_BYTES)) {
        uint32_t *write = lane->write;
        const uint32_t now = (uint32_t)kymo_arch_clock();
        lane->reserved += LOSS_BYTES;
        write[0] = kymo_loss_header(lane->lost_ends);
        write[1] = now;
        write[2] = lane->lost;
        write[3] = now - lane->lost_since;
        write[4] = lane->lost_ends;
        lane->lost = 0u;
        lane->lost_ends = 0u;
        KYMO_PUBLISH(lane->write, write + LOSS_BYTES / 4u);
    }
    if (lane->lost == 0u && lane->restate && has_room(lane, KYMO_CELL_BYTES)) {
        lane->restate = false;
        lane->reserved += KYMO_CELL_BYTES;
        write_pair(lane, (uint32_t)lane->context | KYMO_TAG_RESTATED, (uint32_t)kymo_arch_clock());
    }
    kymo_arch_unmask(state);
}

/* Lets events take the fast path again, unless an interrupt took the room of the records that must precede them. */
static __attribute__((noinline)) void step_open(void) {
    kymo_arch_state state = kymo_arch_mask();
    struct kymo_lane *lane = kymo_lane_here();
    if (lane->lost == 0u && !lane->restate && !clock_is_due(lane)) {
        kymo_ring_resume(lane, lane->room_end);
    }
    kymo_arch_unmask(state);
}

/* Not masked. False: the event is refused, and counted for "events". True: try again. */
static bool prepare(uint32_t need, uint32_t events) {
    step_collect();
    if (!step_room(need, events)) {
        return false;
    }
    step_clock();
    step_loss();
    step_open();
    return true;
}

#endif
