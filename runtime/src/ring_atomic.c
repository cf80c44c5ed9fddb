/* The ring of a lane without an interrupt mask: user mode and threads, where a signal handler or
 * another thread may preempt between any two instructions.
 *
 * A reservation is two atomic additions: room is taken, then a place. What an event promises (the end of
 * a zone, the return of an interrupt) is counted in the same word as the room, by a third addition once the
 * room is taken, and who comes with a promise takes that first: so nothing leaves the ring, whatever the
 * caller does. A record becomes visible when its first word stops being 0, so the consumer leaves zeros
 * behind it. No loop: an event that finds no room fetches once what the consumer has freed, and is refused
 * after that.
 *
 * model: tests/model/atomic.pml */
#include "ring.h"

#if KYMO_ENABLE && KYMO_ARCH_ATOMIC && !KYMO_KEEP_NEWEST

/* What stands before the first record after the limit: the clock and the context, and then the
 * losses. In cells. */
#define DUES 2
#define LOSS ((int32_t)KYMO_LOSS_CELLS)
/* After an overflow the ring must drain by this much first, else losses would come one by one. */
#define REOPEN ((int32_t)(KYMO_RING_BYTES / 8u / KYMO_CELL_BYTES))
/* Promised with the entry of an interrupt: its return, and a clock record before that. */
#define RETURN 2

#define RELAXED __ATOMIC_RELAXED

/* ---- room: the upper half has the cells that are free, the lower half those that are promised. Both are signed,
 * as they are taken first and given back if there were too few ---- */

#define HALF_BITS (sizeof(kymo_room_t) * 4u)
#define ONE_FREE ((kymo_room_t)1 << HALF_BITS)

_Static_assert(KYMO_RING_BYTES / KYMO_CELL_BYTES <= (uintptr_t)1 << (HALF_BITS - 2u),
               "with KYMO_ARCH_ATOMIC on a 32-bit core KYMO_RING_BYTES must be 131072 or less");

static int32_t promised_of(kymo_room_t room) {
    return HALF_BITS == 16u ? (int32_t)(int16_t)room : (int32_t)room;
}

static int32_t free_of(kymo_room_t room) {
    return (int32_t)((room - (kymo_room_t)promised_of(room)) >> HALF_BITS);
}

static kymo_room_t cells_of(int32_t free, int32_t promised) {
    return (kymo_room_t)free * ONE_FREE + (kymo_room_t)promised;
}

static void give_room(struct kymo_lane *lane, int32_t cells) {
    (void)__atomic_fetch_add(&lane->room, cells_of(cells, 0), RELAXED);
}

/* "promised" of the cells are not for now. They are promised only once they are taken: a promise of cells that are not
 * there could be taken, before it is withdrawn, by a nested context that ends a zone twice. Two additions and no
 * comparison, which would fail whenever a nested context records in between, or another thread ends a zone. */
static inline bool take_room(struct kymo_lane *lane, int32_t cells, int32_t promised) {
    const kymo_room_t taken = cells_of(-cells, 0);
    if (free_of(__atomic_fetch_add(&lane->room, taken, __ATOMIC_ACQUIRE)) < cells) {
        (void)__atomic_fetch_sub(&lane->room, taken, RELAXED);
        return false;
    }
    if (promised != 0) {
        (void)__atomic_fetch_add(&lane->room, (kymo_room_t)promised, RELAXED);
    }
    return true;
}

/* False: so much is not promised. */
static bool take_promised(struct kymo_lane *lane, int32_t cells) {
    if (promised_of(__atomic_fetch_sub(&lane->room, (kymo_room_t)cells, RELAXED)) >= cells) {
        return true;
    }
    (void)__atomic_fetch_add(&lane->room, (kymo_room_t)cells, RELAXED);
    return false;
}

#if KYMO_CONTEXTS
void kymo_ring_give_back(struct kymo_lane *lane, uint32_t ends) {
    if (take_promised(lane, (int32_t)ends)) {
        give_room(lane, (int32_t)ends);
    }
}
#endif

/* The exchange gives each freed word to exactly one caller: where another one has come between, this
 * one only looks what that has left. An untouched lane is all zero: on first use the whole ring counts
 * as freed. */
static bool make_room(struct kymo_lane *lane, int32_t cells, int32_t promised) {
    uint32_t seen = __atomic_load_n(&lane->tail_seen, __ATOMIC_ACQUIRE);
    const uint32_t free_to = KYMO_ACQUIRE(lane->tail) + KYMO_RING_WORDS;
    const int32_t freed = (int32_t)((free_to - seen) / KYMO_CELL_WORDS);
    lane->core = (uint8_t)kymo_lane_index(lane);
    if (!KYMO_LOAD(lane->closed) && __atomic_compare_exchange_n(&lane->tail_seen, &seen, free_to,
                                                                true, __ATOMIC_ACQ_REL, RELAXED)) {
        (void)__atomic_fetch_add(&lane->room, cells_of(freed, 0), __ATOMIC_RELEASE);
    }
    return take_room(lane, cells, promised);
}

static bool find_room(struct kymo_lane *lane, int32_t cells, int32_t promised) {
    return take_room(lane, cells, promised) || make_room(lane, cells, promised);
}

/* ---- records, in room that was taken ---- */

static uint32_t take_place(struct kymo_lane *lane, uint32_t cells) {
    return __atomic_fetch_add(&lane->head, cells * KYMO_CELL_WORDS, RELAXED);
}

static void put_time64(const struct kymo_lane *lane, uint32_t index, enum kymo_tag tag,
                       uint64_t time) {
    *kymo_ring_at(lane, index + 1u) = (uint32_t)(time >> 29);
    KYMO_PUBLISH(*kymo_ring_at(lane, index), (uint32_t)(time << 3) | (uint32_t)tag);
}

/* Kept from its place for so long that 32 bits of the clock do not tell when that was. */
static inline bool is_late(kymo_clock_t now) { return kymo_arch_clock() - now > KYMO_CLOCK_SPAN; }

#if KYMO_ARCH_CLOCK_BITS == 64

static bool is_in_time(struct kymo_lane *lane, uint32_t index, uint32_t cells, kymo_clock_t now) {
    (void)lane;
    (void)index;
    (void)cells;
    (void)now;
    return true;
}

#else

/* To records of the clock. */
static __attribute__((noinline)) void give_up_place(struct kymo_lane *lane, uint32_t index,
                                                    uint32_t cells) {
    const uint64_t now = kymo_arch_clock64();
    for (uint32_t i = 0u; i < cells; i++) {
        put_time64(lane, index + i * KYMO_CELL_WORDS, KYMO_TAG_CLOCK64, now);
    }
}

static bool is_in_time(struct kymo_lane *lane, uint32_t index, uint32_t cells, kymo_clock_t now) {
    if (KYMO_LIKELY(!is_late(now))) {
        return true;
    }
    give_up_place(lane, index, cells);
    return false;
}

#endif

/* One that came too late has the time at which it came: what follows counts from that. */
static void write_time64(struct kymo_lane *lane, enum kymo_tag tag, uint64_t time) {
    const uint32_t index = take_place(lane, 1u);
    if (KYMO_ARCH_CLOCK_BITS == 32 && KYMO_UNLIKELY(is_late((kymo_clock_t)time))) {
        time = kymo_arch_clock64();
    }
    put_time64(lane, index, tag, time);
}

/* False: it came too late. */
static inline bool write_pair(struct kymo_lane *lane, uint32_t first, kymo_clock_t now) {
    uint32_t index = take_place(lane, 1u);
    if (!is_in_time(lane, index, 1u, now)) {
        return false;
    }
    *kymo_ring_at(lane, index + 1u) = (uint32_t)now;
    KYMO_PUBLISH(*kymo_ring_at(lane, index), first);
    return true;
}

/* The header that says its length comes first, so that the consumer can pass over one that is never finished. */
static bool write_long(struct kymo_lane *lane, enum kymo_event_kind kind, uint32_t reference,
                       const uint32_t *words, uint32_t count, kymo_clock_t now) {
    const uint32_t cells = kymo_long_cells(kind, count);
    const uint32_t start = take_place(lane, cells);
    uint32_t next = start + 2u;
    if (!is_in_time(lane, start, cells, now)) {
        return false;
    }
    KYMO_PUBLISH(*kymo_ring_at(lane, start), kymo_long_filling(kind, count, cells));
    KYMO_RELEASE();
    *kymo_ring_at(lane, start + 1u) = (uint32_t)now;
    if (((uint32_t)kind & KYMO_KIND_HAS_REF) != 0u) {
        *kymo_ring_at(lane, next++) = reference;
    }
    for (uint32_t i = 0u; i < count; i++) {
        *kymo_ring_at(lane, next++) = words[i];
    }
    KYMO_PUBLISH(*kymo_ring_at(lane, start), KYMO_LONG(kind, count, cells));
    return true;
}

/* ---- losses ---- */

/* The time first: whoever records the loss must find one that is not older than the loss. */
static void count_lost(struct kymo_lane *lane, uint32_t events) {
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
        give_room(lane, LOSS);
        return;
    }
    uint32_t index = take_place(lane, KYMO_LOSS_CELLS);
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

/* Clock, losses, context, all or nothing: the last is told again, as a switch may be among the
 * losses. Calm comes behind the clock record, or a nested event could stand before it with half a
 * time; and before the look at the losses, or it would undo the attention that a nested loss asks
 * for. */
static bool write_dues(struct kymo_lane *lane, kymo_clock_t now) {
    bool lossy = __atomic_load_n(&lane->lost, RELAXED) != 0u;
    if (!find_room(lane, DUES + (lossy ? LOSS + REOPEN : 0), 0)) {
        return false;
    }
    write_time64(lane, KYMO_TAG_CLOCK64, kymo_arch_clock64());
    KYMO_STORE(lane->limit, now + KYMO_CLOCK_SPAN);
    kymo_ring_calm(lane, 0u);
    if (lossy) {
        give_room(lane, REOPEN);
        write_loss(lane);
    } else if (__atomic_load_n(&lane->lost, RELAXED) != 0u) {
        kymo_ring_attention(lane);
    }
    (void)write_pair(lane, (uint32_t)lane->context | KYMO_TAG_RESTATED, kymo_arch_clock());
    return true;
}

/* The limit first: were the clock read before it, a nested context that asks for attention in between
 * would move the limit beyond that time, and the event would pass by what it asks for. */
static inline bool must_leave_fast_path(const struct kymo_lane *lane, kymo_clock_t *now) {
    kymo_clock_t limit = __atomic_load_n(&lane->limit, RELAXED);
    __atomic_signal_fence(__ATOMIC_ACQUIRE);
    *now = kymo_arch_clock();
#if KYMO_ARCH_CLOCK_BITS == 32
    if (KYMO_LOAD(lane->attention)) {
        return true;
    }
#endif
    return kymo_clock_is_past(*now, limit);
}

/* Refused as long as the interrupt is served whose entry was, or for ever on the lane of those without
 * one. Both are kept on the slow path by attention. */
static bool is_mute(const struct kymo_lane *lane) {
#ifdef KYMO_ARCH_SPARE_LANE
    if (lane == &kymo_lanes[KYMO_ARCH_SPARE_LANE]) {
        return true;
    }
#endif
    return kymo_lane_is_unknown(lane) || __atomic_load_n(&lane->muted, RELAXED) != 0u;
}

/* The event's time is taken again, as it must not lie before that of the records it follows. */
static bool take_muted(struct kymo_lane *lane, int32_t cells, int32_t promised, kymo_clock_t *now) {
    bool due = must_leave_fast_path(lane, now);
    if (is_mute(lane) || (due && !write_dues(lane, *now)) || !find_room(lane, cells, promised)) {
        return false;
    }
    *now = kymo_arch_clock();
    return true;
}

static __attribute__((noinline)) bool take_slow(struct kymo_lane *lane, int32_t cells,
                                                int32_t promised, uint32_t events,
                                                kymo_clock_t *now) {
    if (KYMO_LOAD(kymo_stopped)) {
        kymo_ring_attention(lane);
        return false;
    }
    if (!take_muted(lane, cells, promised, now)) {
        count_lost(lane, events);
        return false;
    }
    return true;
}

/* ---- events ---- */

/* True: the room is taken, "promised" cells of it for later; the time of the event is in *now. */
static inline bool take(struct kymo_lane *lane, int32_t cells, int32_t promised, uint32_t events,
                        kymo_clock_t *now) {
    if (KYMO_UNLIKELY(must_leave_fast_path(lane, now)) || !take_room(lane, cells, promised)) {
        return take_slow(lane, cells, promised, events, now);
    }
    return true;
}

/* It came too late for its place. */
static kymo_zone refuse_begin(struct kymo_lane *lane) {
    (void)take_promised(lane, 1);
    give_room(lane, 1);
    count_lost(lane, 2u);
    return NULL;
}

/* A refused begin counts for two: its end will not be recorded either. One without a site is no event: its first word
 * would be 0, and the consumer would wait there for ever. */
kymo_zone KYMO_RING_BEGIN(const struct kymo_site *site) {
    struct kymo_lane *lane = kymo_lane_here();
    kymo_clock_t now;
    if (KYMO_UNLIKELY(site == NULL)) {
        kymo_usage_error(KYMO_USAGE_NO_SITE);
        return NULL;
    }
    if (!take(lane, 2, 1, 2u, &now)) {
        return NULL;
    }
    if (!write_pair(lane, (uint32_t)(uintptr_t)site, now)) {
        return refuse_begin(lane);
    }
    return lane;
}

#if KYMO_LANES > 1 || KYMO_LANE_CHECK

/* The zone began on another lane: the end is an event of this one, which names the other. It is recorded also while
 * stopped. */
static __attribute__((noinline)) void end_on_other_lane(struct kymo_lane *owner) {
    struct kymo_lane *lane = kymo_lane_here();
    const uint32_t number = (uint32_t)kymo_lane_index(owner);
    kymo_clock_t now;
    if (!take_promised(owner, 1)) {
        kymo_ring_end_unpromised();
        return;
    }
    give_room(owner, 1);
    if (!take_muted(lane, (int32_t)KYMO_END_ON_CELLS, 0, &now) ||
        !write_long(lane, KYMO_KIND_ZONE_END_ON, 0u, &number, 1u, now)) {
        (void)__atomic_fetch_add(&lane->lost_ends, 1u, RELAXED);
        count_lost(lane, 1u);
    }
}

#else

static void end_on_other_lane(struct kymo_lane *owner) { (void)owner; }

#endif

void KYMO_RING_END(kymo_zone zone) {
    struct kymo_lane *lane = zone;
    if (lane == NULL) {
        return;
    }
    if (KYMO_UNLIKELY(!kymo_lane_is_here(lane))) {
        end_on_other_lane(lane);
    } else if (KYMO_UNLIKELY(!take_promised(lane, 1))) {
        kymo_ring_end_unpromised();
    } else {
        write_time64(lane, KYMO_TAG_END64, kymo_arch_clock64());
    }
}

void kymo_ring_short(uint32_t word) {
    struct kymo_lane *lane = kymo_lane_here();
    kymo_clock_t now;
    if (take(lane, 1, 0, 1u, &now) && !write_pair(lane, word, now)) {
        count_lost(lane, 1u);
    }
}

kymo_context kymo_ring_switch(kymo_context context) {
    struct kymo_lane *lane = kymo_lane_here();
    kymo_clock_t now;
    kymo_context before = lane->context;
    lane->context = context; /* first: what preempts now must come back to it */
    if (!take(lane, 1, 0, 1u, &now)) {
        kymo_ring_attention(lane);
    } else if (!write_pair(lane, (uint32_t)context | KYMO_TAG_CONTEXT, now)) {
        count_lost(lane, 1u);
    }
    return before;
}

kymo_context kymo_ring_enter(kymo_context context) {
    struct kymo_lane *lane = kymo_lane_here();
    kymo_clock_t now;
    kymo_context before = lane->context;
    if (!take(lane, 1 + RETURN, RETURN, 1u, &now)) {
        (void)__atomic_fetch_add(&lane->muted, 1u, RELAXED);
        kymo_ring_attention(lane);
        return before;
    }
    lane->context = context; /* first: what preempts now must come back to it */
    if (!write_pair(lane, (uint32_t)context | KYMO_TAG_CONTEXT, now)) {
        count_lost(lane, 1u);
    }
    return before | KYMO_RETURN_PROMISED;
}

static void leave_muted(struct kymo_lane *lane, kymo_context before) {
    if (__atomic_load_n(&lane->muted, RELAXED) == 0u) {
        kymo_ring_leave_unpromised(before);
        return;
    }
    (void)__atomic_fetch_sub(&lane->muted, 1u, RELAXED);
    if (!KYMO_LOAD(kymo_stopped)) {
        count_lost(lane, 1u);
    }
}

void KYMO_RING_LEAVE(kymo_context before) {
    struct kymo_lane *lane = kymo_lane_here();
    kymo_clock_t now;
    const bool is_promised = (before & KYMO_RETURN_PROMISED) != 0u;
    before &= ~KYMO_CONTEXT_BITS;
    if (!is_promised) {
        leave_muted(lane, before);
        return;
    }
    lane->context = before;
    if (!take_promised(lane, RETURN)) {
        kymo_ring_leave_unpromised(before);
        return;
    }
    if (must_leave_fast_path(lane, &now)) {
        write_time64(lane, KYMO_TAG_CLOCK64, kymo_arch_clock64());
        now = kymo_arch_clock();
    } else {
        give_room(lane, 1);
    }
    if (!write_pair(lane, (uint32_t)before | KYMO_TAG_CONTEXT, now)) {
        count_lost(lane, 1u);
    }
}

void kymo_ring_long(enum kymo_event_kind kind, uint32_t reference, const uint32_t *words,
                    uint32_t count) {
    struct kymo_lane *lane = kymo_lane_here();
    kymo_clock_t now;
    if (take(lane, (int32_t)kymo_long_cells(kind, count), 0, kymo_events_of(kind), &now) &&
        !write_long(lane, kind, reference, words, count, now)) {
        count_lost(lane, kymo_events_of(kind));
    }
}

/* The whole clock is read, so that a port that widens a narrow one sees each of its wraps. */
void kymo_clock_keepalive(void) {
    struct kymo_lane *lane = kymo_lane_here();
    kymo_ring_keep_alive(lane, kymo_arch_clock64());
}

#endif
