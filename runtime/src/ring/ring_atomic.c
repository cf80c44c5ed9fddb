/* SPDX-License-Identifier: MIT */
/* The ring of a lane without an interrupt mask: user mode and threads, where a signal handler or
 * another thread may preempt between any two instructions.
 *
 * A reservation is two atomic additions: room is taken, then a place. The promise of an event (the end of
 * a zone, the return of an interrupt) is counted in the same word as the room, by a third addition once the
 * room is taken, and an event with a promise takes that first: so nothing leaves the ring, whatever the
 * caller does. A record becomes visible when its first word stops being 0, so the consumer zeroes freed
 * words. No loop: an event that finds no room fetches once the room that the consumer has freed, and
 * is refused after that.
 *
 * model: tests/model/atomic.pml */
#include "ring.h"

#if KYMO_ENABLE && KYMO_ARCH_ATOMIC && !KYMO_KEEP_NEWEST

#include "ring_atomic_left.h"
#include "ring_atomic_room.h"

/* Cells of the losses, which precede the first record after the limit, as a clock record does. */
#define LOSS ((int32_t)KYMO_LOSS_CELLS)
/* After an overflow the ring must drain by this much first, else losses would come one by one. */
#define REOPEN ((int32_t)(KYMO_RING_BYTES / 8u / KYMO_CELL_BYTES))

/* ---- records, in room that was taken ---- */

static uint32_t take_index(struct kymo_lane *lane, uint32_t cells) {
    return __atomic_fetch_add(&lane->head, cells * KYMO_CELL_WORDS, RELAXED);
}

/* Records do not straddle the ring's end within a cell. */
static inline void put_pair_at(const struct kymo_lane *lane, uint32_t index, uint32_t first,
                               uint32_t second) {
    uint32_t *at = &lane->ring[index & (KYMO_RING_WORDS - 1u)];
    at[1] = second;
    KYMO_PUBLISH(at[0], first);
}

static inline void put_time64(const struct kymo_lane *lane, uint32_t index, enum kymo_tag tag,
                              uint64_t time) {
    put_pair_at(lane, index, (uint32_t)(time << 3) | (uint32_t)tag, (uint32_t)(time >> 29));
}

/* The event was kept from its place for so long that 32 bits of the clock cannot express the time. */
static inline bool is_late(kymo_clock_t now) { return kymo_arch_clock() - now > KYMO_CLOCK_SPAN; }

/* To records of the clock. */
static __attribute__((noinline)) void give_up_place(struct kymo_lane *lane, uint32_t index,
                                                    uint32_t cells) {
    const uint64_t now = kymo_arch_clock64();
    for (uint32_t i = 0u; i < cells; i++) {
        put_time64(lane, index + i * KYMO_CELL_WORDS, KYMO_TAG_CLOCK64, now);
    }
}

static bool is_in_time(struct kymo_lane *lane, uint32_t index, uint32_t cells, kymo_clock_t now) {
    if (KYMO_ARCH_CLOCK_BITS == 64 || KYMO_LIKELY(!is_late(now))) {
        return true;
    }
    give_up_place(lane, index, cells);
    return false;
}

/* A late record gets the time at which it is written: the records after it count from that. */
static inline void write_time64(struct kymo_lane *lane, enum kymo_tag tag, uint64_t time) {
    const uint32_t index = take_index(lane, 1u);
    if (KYMO_ARCH_CLOCK_BITS == 32 && KYMO_UNLIKELY(is_late((kymo_clock_t)time))) {
        time = kymo_arch_clock64();
    }
    put_time64(lane, index, tag, time);
}

/* False: it came too late. */
static inline bool write_pair(struct kymo_lane *lane, uint32_t first, kymo_clock_t now) {
    uint32_t index = take_index(lane, 1u);
    if (!is_in_time(lane, index, 1u, now)) {
        return false;
    }
    put_pair_at(lane, index, first, (uint32_t)now);
    return true;
}

/* ---- losses ---- */

/* The time first: a context that records the loss must find a time that is not older than the loss. */
static void count_lost(struct kymo_lane *lane, uint32_t events) {
    if (kymo_arch_is_untraced()) {
        return;
    }
    if (__atomic_load_n(&lane->lost, RELAXED) == 0u) {
        lane->lost_since = (uint32_t)kymo_arch_clock();
    }
    (void)__atomic_fetch_add(&lane->lost, events, RELAXED);
    kymo_ring_attention(lane);
}

/* Its room is there. Nothing is left to record if a nested context has done it meanwhile. */
static void write_loss(struct kymo_lane *lane) {
    uint32_t since = lane->lost_since;
    uint32_t lost = __atomic_exchange_n(&lane->lost, 0u, RELAXED);
    uint32_t ends = __atomic_exchange_n(&lane->lost_ends, 0u, RELAXED);
    kymo_clock_t now = kymo_arch_clock();
    if (lost == 0u) {
        give_room(lane, KYMO_LOSS_CELLS);
        return;
    }
    uint32_t index = take_index(lane, KYMO_LOSS_CELLS);
    if (!is_in_time(lane, index, KYMO_LOSS_CELLS, now)) {
        count_lost(lane, lost);
        return;
    }
    *kymo_ring_at(lane, index + 1u) = (uint32_t)now;
    *kymo_ring_at(lane, index + 2u) = lost;
    *kymo_ring_at(lane, index + 3u) = (uint32_t)now - since;
    *kymo_ring_at(lane, index + 4u) = ends;
    KYMO_PUBLISH(*kymo_ring_at(lane, index), kymo_loss_header(ends));
}

/* ---- the slow path ---- */

/* Its room is there. Where a nested context has stated it meanwhile, it has not changed since. */
static void write_context(struct kymo_lane *lane) {
    if (!KYMO_LOAD(lane->restate)) {
        give_room(lane, 1u);
        return;
    }
    KYMO_STORE(lane->restate, false);
    if (!write_pair(lane, (uint32_t)KYMO_LOAD(lane->context) | KYMO_TAG_RESTATED,
                    kymo_arch_clock())) {
        KYMO_STORE(lane->restate, true);
    }
}

/* Clock, losses, and the context if a switch was refused, all or nothing. The fast path is opened after the clock
 * record, or a nested event could precede it with half a time; and before the last look at the records owed, or it
 * would undo the attention that a nested refusal asks for. */
static bool write_owed(struct kymo_lane *lane, kymo_clock_t now) {
    const bool lossy = __atomic_load_n(&lane->lost, RELAXED) != 0u;
    const bool restates = KYMO_LOAD(lane->restate);
    if (!find_room(lane, 1 + (lossy ? LOSS + REOPEN : 0) + (restates ? 1 : 0), 0)) {
        return false;
    }
    write_time64(lane, KYMO_TAG_CLOCK64, kymo_arch_clock64());
    KYMO_STORE(lane->limit, now + KYMO_CLOCK_SPAN);
    kymo_ring_resume(lane, 0u);
    if (lossy) {
        give_room(lane, (uint32_t)REOPEN);
        write_loss(lane);
    }
    if (restates) {
        write_context(lane);
    }
    if (__atomic_load_n(&lane->lost, RELAXED) != 0u || KYMO_LOAD(lane->restate)) {
        kymo_ring_attention(lane);
    }
    return true;
}

/* The limit first: were the clock read before it, a nested context that asks for attention in between
 * would move the limit beyond that time, and the event would miss the request. */
KYMO_INLINE_ bool must_leave_fast_path(const struct kymo_lane *lane, kymo_clock_t *now,
                                       bool quick) {
    kymo_clock_t limit = __atomic_load_n(&lane->limit, RELAXED);
    __atomic_signal_fence(__ATOMIC_ACQUIRE);
    *now = kymo_clock_by(quick);
    if (KYMO_ARCH_CLOCK_BITS == 32 && KYMO_LOAD(lane->attention)) {
        return true;
    }
    return kymo_clock_is_past(*now, limit);
}

/* Refused as long as the interrupt is served whose entry was, or for ever on the lane of those without
 * one. Both are kept on the slow path by attention. */
static bool is_refusing(const struct kymo_lane *lane) {
    return kymo_lane_is_shared(lane) ||
           (KYMO_LOAD(lane->refused_entries) & KYMO_REFUSED_DEPTH) != 0u;
}

/* The event's time is taken again, as it must not lie before that of the records it follows. */
static bool take_unless_refusing(struct kymo_lane *lane, int32_t cells, int32_t promised,
                                 kymo_clock_t *now) {
    bool due = must_leave_fast_path(lane, now, false);
    if (is_refusing(lane) || (due && !write_owed(lane, *now)) ||
        !find_room(lane, cells, promised)) {
        return false;
    }
    *now = kymo_arch_clock();
    return true;
}

#ifdef KYMO_ARCH_WAITS

/* Each try is one of its own, as if the event had come only now. */
static bool take_later(struct kymo_lane *lane, int32_t cells, int32_t promised, kymo_clock_t *now) {
    while (!is_refusing(lane) && !KYMO_LOAD(kymo_stopped) &&
           kymo_arch_wait(&KYMO_RING_FREED(lane))) {
        if (take_unless_refusing(lane, cells, promised, now)) {
            return true;
        }
    }
    return false;
}

#else

static bool take_later(struct kymo_lane *lane, int32_t cells, int32_t promised, kymo_clock_t *now) {
    (void)lane;
    (void)cells;
    (void)promised;
    (void)now;
    return false;
}

#endif

static __attribute__((noinline)) bool take_slow(struct kymo_lane *lane, int32_t cells,
                                                int32_t promised, uint32_t events,
                                                kymo_clock_t *now) {
    if (KYMO_LOAD(kymo_stopped)) {
        kymo_ring_attention(lane);
        return false;
    }
    if (!take_unless_refusing(lane, cells, promised, now) &&
        !take_later(lane, cells, promised, now)) {
        count_lost(lane, events);
        count_refused(lane);
        return false;
    }
    return true;
}

/* ---- events ---- */

/* True: the room is taken, "promised" cells of it for later; the time of the event is in *now. */
static inline bool take(struct kymo_lane *lane, int32_t cells, int32_t promised, uint32_t events,
                        kymo_clock_t *now) {
    if (KYMO_UNLIKELY(must_leave_fast_path(lane, now, false)) ||
        !take_room(lane, cells, promised)) {
        return take_slow(lane, cells, promised, events, now);
    }
    return true;
}

/* ---- functions for ring_calls.h ---- */

#define TRIES_PLACE 0

struct place {
    struct kymo_lane *lane;
    uint32_t index;
    kymo_clock_t now;
};

static inline void enter_lane(struct place *place) { place->lane = kymo_lane_here(); }

static inline void leave_lane(const struct place *place) { (void)place; }

static inline bool take_place(struct place *place, uint32_t cells, uint32_t promised,
                              uint32_t events, uint32_t lost) {
    (void)events;
    return take(place->lane, (int32_t)(cells + promised), (int32_t)promised, lost, &place->now);
}

static inline void switch_refused(struct kymo_lane *lane) {
    KYMO_STORE(lane->restate, true);
    kymo_ring_attention(lane);
}

/* A pair that comes too late is refused. */
static inline void put_pair(struct place *place, uint32_t word) {
    if (!write_pair(place->lane, word, place->now)) {
        switch_refused(place->lane); /* or no event at all */
        count_lost(place->lane, 1u);
    }
}

static inline uint32_t *word_of(const struct place *place, uint32_t index) {
    return &place->lane->ring[(place->index + index) & (KYMO_RING_WORDS - 1u)];
}

/* The header that says its length comes first, so that the consumer can pass over one that is never finished. */
static inline bool hold_place(struct place *place, uint32_t cells, uint32_t filling,
                              uint32_t lost) {
    place->index = take_index(place->lane, cells);
    if (!is_in_time(place->lane, place->index, cells, place->now)) {
        count_lost(place->lane, lost);
        return false;
    }
    KYMO_PUBLISH(*word_of(place, 0u), filling);
    KYMO_RELEASE();
    return true;
}

static inline void commit_place(const struct place *place, uint32_t cells, uint32_t header) {
    (void)cells;
    KYMO_PUBLISH(*word_of(place, 0u), header);
}

static bool write_due_clock(struct place *place) {
    if (!must_leave_fast_path(place->lane, &place->now, false)) {
        return false;
    }
    write_time64(place->lane, KYMO_TAG_CLOCK64, kymo_arch_clock64());
    place->now = kymo_arch_clock();
    return true;
}

static __attribute__((unused)) void give_elsewhere(struct kymo_lane *owner,
                                                   const struct kymo_lane *here, uint32_t cells) {
    (void)here;
    if (take_promised(owner, cells)) {
        give_room(owner, cells);
    }
}

/* ---- zones ---- */

/* It came too late for its place. */
static __attribute__((noinline)) struct kymo_lane *refuse_begin(struct kymo_lane *lane) {
    (void)take_promised(lane, 1u);
    give_room(lane, 1u);
    count_lost(lane, 2u);
    return NULL;
}

KYMO_INLINE_ struct kymo_lane *write_begin(struct kymo_lane *lane, const struct kymo_site *site,
                                           kymo_clock_t now) {
    const bool in_time = write_pair(lane, (uint32_t)(uintptr_t)site, now);
    return KYMO_LIKELY(in_time) ? lane : refuse_begin(lane);
}

/* Apart from the fast path, which so needs no stack frame. A refused begin counts for two: its end will not be recorded
 * either. One without a site is no event: its first word would be 0, and the consumer would wait there for ever. */
static __attribute__((noinline)) struct kymo_lane *begin_slow(const struct kymo_site *site) {
    struct kymo_lane *lane = kymo_lane_here();
    kymo_clock_t now;
    if (site == NULL) {
        kymo_usage_error(KYMO_USAGE_NO_SITE);
        return NULL;
    }
    if (!take(lane, 2, 1, 2u, &now)) {
        return NULL;
    }
    return write_begin(lane, site, now);
}

KYMO_INLINE_ struct kymo_lane *begin_zone(const struct kymo_site *site) {
    struct kymo_lane *lane = kymo_lane_held();
    kymo_clock_t now;
    if (KYMO_UNLIKELY(site == NULL) || (KYMO_ARCH_LANE_HELD == 2 && KYMO_UNLIKELY(lane == NULL)) ||
        KYMO_UNLIKELY(!kymo_held_is_quick()) ||
        KYMO_UNLIKELY(must_leave_fast_path(lane, &now, true)) || !take_room_quickly(lane, 2, 1)) {
        return begin_slow(site);
    }
    return write_begin(lane, site, now);
}

/* The zone began on another lane: the end is an event of this one, which names the other. It is recorded also while
 * stopped. */
static __attribute__((noinline, unused)) void end_on_other_lane(struct kymo_lane *owner) {
    struct place place = {.lane = kymo_lane_here()};
    if (!take_end(owner)) {
        kymo_ring_end_unpromised();
        return;
    }
    if (!take_unless_refusing(place.lane, (int32_t)KYMO_END_ON_CELLS, 0, &place.now)) {
        count_lost(place.lane, 1u);
    } else if (hold_place(&place, KYMO_END_ON_CELLS, kymo_long_filling(KYMO_END_ON_CELLS, 1u),
                          1u)) {
        *word_of(&place, 1u) = (uint32_t)place.now;
        *word_of(&place, 2u) = (uint32_t)kymo_lane_index(owner);
        commit_place(&place, KYMO_END_ON_CELLS,
                     KYMO_LONG(KYMO_KIND_ZONE_END_ON, 1u, KYMO_END_ON_CELLS));
        return;
    }
    (void)__atomic_fetch_add(&place.lane->lost_ends, 1u, RELAXED);
}

/* The end of a zone without a promise, or of one by a clock that needs a call. */
static __attribute__((noinline)) void end_slow(struct kymo_lane *lane, bool is_promised) {
    if (is_promised) {
        write_time64(lane, KYMO_TAG_END64, kymo_arch_clock64());
    } else if (take_late_end(lane)) {
        kymo_ring_short(KYMO_TAG_END32);
    } else {
        kymo_ring_end_unpromised();
    }
}

/* The zone began elsewhere, or the thread does not hold its lane. */
static __attribute__((noinline)) void end_unheld(struct kymo_lane *lane) {
    if (KYMO_ARCH_LANE_HELD == 2 && kymo_lane_is_here(lane)) {
        end_slow(lane, take_promised(lane, 1u));
    } else if (KYMO_LANE_ASKED) {
        end_on_other_lane(lane);
    }
}

KYMO_INLINE_ void end_zone(struct kymo_lane *lane) {
    if (lane == NULL) {
        return;
    }
    if (KYMO_UNLIKELY(!kymo_lane_is_held(lane))) {
        end_unheld(lane);
    } else if (KYMO_UNLIKELY(!take_promised(lane, 1u))) {
        end_slow(lane, false);
    } else if (KYMO_ARCH_CLOCK_BITS == 32 || KYMO_UNLIKELY(!kymo_held_is_quick())) {
        end_slow(lane, true);
    } else {
        write_time64(lane, KYMO_TAG_END64, kymo_clock_by(true));
    }
}

#include "ring_calls.h"
#include "ring_promised.h"
#include "zone_calls.h"
#if KYMO_RING_QUICK
#include "ring_atomic_quick.h"
#endif

/* ---- the consumer ---- */

uint32_t kymo_ring_used_bytes(const struct kymo_lane *lane) {
    return (__atomic_load_n(&lane->head, __ATOMIC_RELAXED) - lane->tail) * 4u;
}

#ifdef KYMO_ARCH_RING_PIECE
/* All of it was read. The producer gets the room after that, so it cannot write there meanwhile. */
void kymo_ring_free_piece(struct kymo_lane *lane) {
    kymo_arch_give_back(kymo_ring_at(lane, lane->freed), KYMO_ARCH_RING_PIECE);
    KYMO_PUBLISH(lane->freed, lane->freed + KYMO_ARCH_RING_PIECE / 4u);
}
#endif

/* The thread that wrote all up to lane->left is over. Looked at often, so that the indices stay comparable. */
static bool is_left(struct kymo_lane *lane) {
    uint32_t left = KYMO_ACQUIRE(lane->left);
    if (left != 0u && (int32_t)(left - lane->tail) <= 1) {
        (void)__atomic_compare_exchange_n(&lane->left, &left, 0u, false, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED);
        left = 0u;
    }
    return left != 0u;
}

/* Up to the next record that was begun, within "bytes". Nothing in a place is written before its header is. The loss is
 * reported as if the ring had refused the event. */
static void pass_over_untouched(struct kymo_lane *lane, uint32_t bytes) {
    if (KYMO_LOAD(lane->lost) == 0u) {
        KYMO_STORE(lane->lost_since, (uint32_t)kymo_arch_clock());
    }
    (void)__atomic_fetch_add(&lane->lost, 1u, __ATOMIC_RELAXED);
    kymo_ring_attention(lane);
    for (; bytes != 0u && KYMO_LOAD(*kymo_ring_at(lane, lane->tail)) == 0u;
         bytes -= KYMO_CELL_BYTES) {
        kymo_ring_consume(lane, KYMO_CELL_WORDS);
    }
}

/* It becomes a loss of the event that it was to be. It may have no time yet. */
static void make_loss(struct kymo_lane *lane, uint32_t header) {
    *kymo_ring_at(lane, lane->tail + 1u) = (uint32_t)lane->time;
    *kymo_ring_at(lane, lane->tail + 2u) = KYMO_FILLING_EVENTS(header);
    *kymo_ring_at(lane, lane->tail + 3u) = 0u;
    KYMO_PUBLISH(*kymo_ring_at(lane, lane->tail),
                 KYMO_LONG(KYMO_KIND_LOSS, 2u, KYMO_LONG_CELLS(header)));
}

/* A place without a header does not say whose it is. */
bool kymo_ring_pass(struct kymo_lane *lane, bool is_over) {
    uint32_t header = 0u;
    const bool left = is_left(lane);
    if ((!is_over && !left) || kymo_ring_used_bytes(lane) == 0u ||
        kymo_ring_peek(lane, &header) != 0u) {
        return false;
    }
    if (header != 0u) {
        make_loss(lane, header);
    } else if (left) {
        pass_over_untouched(lane, (lane->left - 1u - lane->tail) * 4u);
    }
    return header != 0u || left;
}

void kymo_ring_abandon(struct kymo_lane *lane) {
    uint32_t header = 0u;
    if (kymo_ring_used_bytes(lane) == 0u || kymo_ring_peek(lane, &header) != 0u) {
        return;
    }
    KYMO_STORE(lane->closed, true);
    if (header == 0u) {
        pass_over_untouched(lane, kymo_ring_used_bytes(lane));
    } else {
        make_loss(lane, header);
    }
}

#endif
