/* SPDX-License-Identifier: MIT */
/* The ring of a lane that one core writes: a short interrupt mask makes each step of a reservation one
 * instruction to all others. The lane is looked up under the mask, so that a task cannot be moved to
 * another core between.
 *
 * The producer works in runs of free words that do not wrap, and "write" <= "reserved" <= "room_end":
 * the words between the first two are promised (the end of each open zone, the return of each interrupt);
 * the words between the last two are free. A record with a promise is written if write < reserved, one
 * without moves "reserved" first: neither can leave the ring, whatever the caller does. The end of the
 * ring, the consumer's progress and everything rare is met when a run is used up.
 *
 * model: tests/model/masked.pml */
#include "ring.h"

#if KYMO_ENABLE && !KYMO_ARCH_ATOMIC && !KYMO_KEEP_NEWEST

#include "ring_masked_room.h"

#define ZONE_BYTES (2u * KYMO_CELL_BYTES)

struct taken {
    uint32_t *write;
    uintptr_t reserved;
    kymo_clock_t now;
};

/* The same where events do not look at the limit: reserved at once, as its register is needed. */
KYMO_INLINE_ bool take_at_once(struct kymo_lane *lane, uint32_t need, struct taken *taken,
                               bool quick) {
    uintptr_t reserved;
    KYMO_SCRATCH(run_end, (uintptr_t)0u);
    KYMO_GET_PAIR(lane->reserved, lane->run_end, reserved, run_end);
    taken->reserved = reserved + need;
    if (KYMO_UNLIKELY(taken->reserved > run_end)) {
        return false;
    }
    lane->reserved = taken->reserved;
    taken->now = kymo_clock_by(quick);
    taken->write = lane->write;
    return true;
}

/* Masked. True: "need" bytes are free at taken->write, for a record of the time taken->now; keep() then reserves them,
 * after the record where neighbours are stored at once. */
KYMO_INLINE_ bool take(struct kymo_lane *lane, uint32_t need, struct taken *taken, bool quick) {
    if (!KYMO_LIMIT_IN_FAST_PATH) {
        return take_at_once(lane, need, taken, quick);
    }
    const kymo_clock_t limit = KYMO_LOAD_SHARED(lane->limit);
    taken->write = lane->write;
    taken->reserved = lane->reserved + need;
    const uintptr_t run_end = KYMO_LOAD_SHARED(lane->run_end);
    if (KYMO_UNLIKELY(taken->reserved > run_end)) {
        return false;
    }
    taken->now = kymo_clock_by(quick);
    return KYMO_LIKELY(!kymo_clock_is_past(taken->now, limit));
}

KYMO_INLINE_ void keep(struct kymo_lane *lane, const struct taken *taken) {
    if (KYMO_LIMIT_IN_FAST_PATH) {
        lane->reserved = taken->reserved;
    }
}

/* Between the preparation and the next try another core's keepalive, or an interrupt, may have closed the fast
 * path again. Even one retry is rare. */
#define TRIES 4u

/* The further tries of an event that was not accepted at once. Masked, and on return again. NULL: refused. Else "need"
 * bytes are reserved at lane->write. */
static __attribute__((noinline)) struct kymo_lane *take_again(uint32_t need, uint32_t events,
                                                              kymo_arch_state state) {
    struct taken taken;
    for (uint32_t tries = 0u; tries < TRIES; tries++) {
        kymo_arch_unmask(state);
        const bool prepared = !KYMO_LOAD(kymo_stopped) && prepare(need, events);
        (void)kymo_arch_mask();
        struct kymo_lane *lane = kymo_lane_here();
        if (!prepared) {
            return NULL;
        }
        if (take(lane, need, &taken, false)) {
            keep(lane, &taken);
            return lane;
        }
    }
    if (!KYMO_LOAD(kymo_stopped)) {
        count_lost(kymo_lane_here(), events);
    }
    return NULL;
}

/* Apart from the fast path, which so needs no stack frame. A refused begin counts for its end, too. */
static __attribute__((noinline)) struct kymo_lane *begin_slow(const struct kymo_site *site,
                                                              kymo_arch_state state) {
    struct kymo_lane *lane = NULL;
    if (site == NULL) {
        kymo_usage_error(KYMO_USAGE_NO_SITE);
    } else if ((lane = take_again(ZONE_BYTES, 2u, state)) != NULL) {
        write_pair(lane, (uint32_t)(uintptr_t)site, (uint32_t)kymo_arch_clock());
    }
    kymo_arch_unmask(state);
    return lane;
}

KYMO_INLINE_ struct kymo_lane *begin(const struct kymo_site *site, kymo_arch_state state,
                                     bool quick) {
    struct kymo_lane *lane = kymo_lane_here();
    struct taken taken;
    if (KYMO_UNLIKELY(site == NULL) || !take(lane, ZONE_BYTES, &taken, quick)) {
        return begin_slow(site, state);
    }
    uint32_t *next =
        kymo_arch_put_pair(taken.write, (uint32_t)(uintptr_t)site, (uint32_t)taken.now);
    keep(lane, &taken);
    KYMO_PUBLISH_MASKED(lane->write, next);
    kymo_arch_unmask(state);
    return lane;
}

static __attribute__((noinline)) struct kymo_lane *begin_by_call(const struct kymo_site *site,
                                                                 kymo_arch_state state) {
    return begin(site, state, false);
}

KYMO_INLINE_ struct kymo_lane *begin_zone(const struct kymo_site *site) {
    kymo_arch_state state = kymo_arch_mask();
    if (KYMO_CLOCK_CALLS && KYMO_UNLIKELY(!kymo_arch_clock_is_quick())) {
        return begin_by_call(site, state);
    }
    return begin(site, state, true);
}

/* The zone began on another lane, whose producer is not ours: the end is an event of this one, which names the
 * other. It is recorded also while stopped. */
static inline void end_on_other_lane(struct kymo_lane *owner) {
    (void)prepare(KYMO_END_ON_CELLS * KYMO_CELL_BYTES, 0u);
    kymo_arch_state state = kymo_arch_mask();
    struct kymo_lane *lane = kymo_lane_here();
    give_back(owner, lane);
    if (has_room(lane, (KYMO_END_ON_CELLS + 1u) * KYMO_CELL_BYTES)) {
        if (clock_is_due(lane)) {
            lane->reserved += KYMO_CELL_BYTES;
            write_time64(lane, KYMO_TAG_CLOCK64);
        }
        uint32_t *write = lane->write;
        lane->reserved += KYMO_END_ON_CELLS * KYMO_CELL_BYTES;
        write[0] = KYMO_LONG(KYMO_KIND_ZONE_END_ON, 1u, KYMO_END_ON_CELLS);
        write[1] = (uint32_t)kymo_arch_clock();
        write[2] = (uint32_t)kymo_lane_index(owner);
        KYMO_PUBLISH(lane->write, write + KYMO_END_ON_CELLS * KYMO_CELL_WORDS);
    } else {
        count_lost(lane, 1u);
        lane->lost_ends++;
    }
    kymo_arch_unmask(state);
}

/* Masked at first. The end of a zone of another lane, one without a promise, one after the limit of the clock. */
static __attribute__((noinline)) void end_slow(struct kymo_lane *lane, kymo_arch_state state) {
    if (lane == NULL) {
        kymo_arch_unmask(state);
        return;
    }
    if (KYMO_LANE_ASKED && !kymo_lane_is_here(lane)) {
        kymo_arch_unmask(state);
        end_on_other_lane(lane);
        return;
    }
    const bool is_promised = promised(lane) != 0u;
    if (is_promised) {
        write_time64(lane, KYMO_TAG_END64);
    }
    kymo_arch_unmask(state);
    if (!is_promised) {
        kymo_ring_end_unpromised();
    }
}

KYMO_INLINE_ void end(struct kymo_lane *lane, kymo_arch_state state, bool quick) {
    /* After a silence 32 bits do not say the time. */
    if (KYMO_ARCH_CLOCK_BITS == 32 && KYMO_UNLIKELY(KYMO_LOAD_SHARED(lane->run_end) == 0u)) {
        end_slow(lane, state);
        return;
    }
    uint32_t *write = lane->write;
    KYMO_SCRATCH(reserved, lane->reserved);
    if (KYMO_UNLIKELY((uintptr_t)write >= reserved)) {
        end_slow(lane, state);
        return;
    }
    const kymo_clock_t now = kymo_clock_by(quick);
    uint32_t *next = KYMO_ARCH_CLOCK_BITS == 64
                         ? kymo_arch_put_both(write, (uint64_t)now << 3 | KYMO_TAG_END64)
                         : kymo_arch_put_pair(write, KYMO_TAG_END32, (uint32_t)now);
    KYMO_PUBLISH_MASKED(lane->write, next);
    kymo_arch_unmask(state);
}

static __attribute__((noinline)) void end_by_call(struct kymo_lane *lane, kymo_arch_state state) {
    end(lane, state, false);
}

KYMO_INLINE_ void end_zone(struct kymo_lane *lane) {
    if (KYMO_ARCH_LANE_HELD != 1 &&
        lane == NULL) { /* a lane that is held is not NULL: one comparison for both */
        return;
    }
    kymo_arch_state state = kymo_arch_mask();
    if (KYMO_UNLIKELY(!kymo_lane_is_here(lane))) {
        end_slow(lane, state);
    } else if (KYMO_CLOCK_CALLS && KYMO_UNLIKELY(!kymo_arch_clock_is_quick())) {
        end_by_call(lane, state);
    } else {
        end(lane, state, true);
    }
}

/* ---- functions for ring_calls.h ---- */

#include "ring_masked_place.h"

KYMO_INLINE_ bool take_place(struct place *place, uint32_t cells, uint32_t promised_cells,
                             uint32_t events, uint32_t lost) {
    const uint32_t need = (cells + promised_cells) * KYMO_CELL_BYTES;
    struct taken taken;
    (void)events;
    if (KYMO_LIKELY(take(place->lane, need, &taken, false))) {
        keep(place->lane, &taken);
        place->now = taken.now;
        return true;
    }
    struct kymo_lane *lane = take_again(need, lost, place->state);
    place->lane = lane != NULL ? lane : kymo_lane_here();
    place->now = kymo_arch_clock();
    return lane != NULL;
}

#if KYMO_TASKS
#define TRIES_PLACE 1
KYMO_INLINE_ bool try_place(struct place *place, uint32_t cells) {
    struct taken taken;
    if (KYMO_UNLIKELY(!take(place->lane, cells * KYMO_CELL_BYTES, &taken, false))) {
        return false;
    }
    keep(place->lane, &taken);
    place->now = taken.now;
    return true;
}
#else
#define TRIES_PLACE 0
#endif

KYMO_INLINE_ void put_pair(struct place *place, uint32_t word) {
    write_pair(place->lane, word, (uint32_t)place->now);
}

KYMO_INLINE_ bool hold_place(struct place *place, uint32_t cells, uint32_t filling, uint32_t lost) {
    uint32_t *at = place->lane->write;
    (void)lost;
    place->at = at;
    at[0] = filling;
    KYMO_PUBLISH(place->lane->write, at + (size_t)cells * KYMO_CELL_WORDS);
    kymo_arch_unmask(place->state);
    return true;
}

static inline uint32_t *word_of(const struct place *place, uint32_t index) {
    return place->at + index;
}

static inline void commit_place(struct place *place, uint32_t cells, uint32_t header) {
    (void)cells;
    KYMO_PUBLISH(place->at[0], header);
}

static void switch_refused(struct kymo_lane *lane) {
    lane->restate = true;
    kymo_ring_attention(lane);
}

static bool take_promised(const struct kymo_lane *lane, uint32_t cells) {
    return promised(lane) >= cells * KYMO_CELL_BYTES;
}

static void give_room(struct kymo_lane *lane, uint32_t cells) {
    lane->reserved -= cells * KYMO_CELL_BYTES;
}

static bool write_due_clock(struct place *place) {
    const bool is_due = clock_is_due(place->lane);
    if (is_due) {
        write_time64(place->lane, KYMO_TAG_CLOCK64);
    }
    place->now = kymo_arch_clock();
    return is_due;
}

static __attribute__((unused)) void give_elsewhere(const struct kymo_lane *owner,
                                                   const struct kymo_lane *here, uint32_t cells) {
    if (KYMO_LANE_ASKED) {
        for (uint32_t i = 0u; i < cells; i++) {
            give_back(owner, here);
        }
    }
}

#include "ring_calls.h"
#include "ring_promised.h"
#include "zone_calls.h"

/* ---- the consumer ---- */

#if KYMO_RETURNS
void kymo_ring_give_back(struct kymo_lane *lane, uint32_t ends) {
    uint32_t *cells = &kymo_returns.cells[kymo_lane_index(lane)][KYMO_LANES_ALL];
    KYMO_STORE(*cells, *cells + ends);
}
#endif

uint32_t kymo_ring_used_bytes(const struct kymo_lane *lane) {
    const uint32_t *write = KYMO_ACQUIRE(lane->write);
    const uint32_t *tail = lane->tail;
    uint32_t used = (uint32_t)(write - tail) * 4u;
    return write >= tail ? used : used + KYMO_RING_BYTES;
}

/* The record that is being filled becomes a loss of the event that it was to be. It may have no time yet. */
static bool make_loss(struct kymo_lane *lane, bool closes) {
    uint32_t header = 0u;
    if (kymo_ring_used_bytes(lane) == 0u || kymo_ring_peek(lane, &header) != 0u) {
        return false;
    }
    uint32_t *tail = lane->tail;
    header = KYMO_LOAD(*tail);
    if (closes) {
        KYMO_STORE(lane->closed, true);
    }
    tail[1] = (uint32_t)lane->time;
    tail[2] = KYMO_FILLING_EVENTS(header);
    tail[3] = 0u;
    KYMO_PUBLISH(tail[0], KYMO_LONG(KYMO_KIND_LOSS, 2u, KYMO_LONG_CELLS(header)));
    return true;
}

#if KYMO_TASK_OVER
bool kymo_ring_pass(struct kymo_lane *lane, bool is_over) {
    return is_over && make_loss(lane, false);
}
#endif

void kymo_ring_abandon(struct kymo_lane *lane) { (void)make_loss(lane, true); }

#endif
