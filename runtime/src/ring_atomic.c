/* The ring of a lane without an interrupt mask: user mode and threads, where a signal handler or
 * another thread may strike between any two instructions.
 *
 * A reservation is two atomic additions: room is taken, then a place. A record becomes visible when
 * its first word stops being 0, so the consumer leaves zeros behind it. No loop: an event that
 * finds no room fetches once what the consumer has freed, and is refused after that. */
#include "ring.h"

#if KYMO_ENABLE && KYMO_ARCH_ATOMIC && !KYMO_KEEP_NEWEST

/* What stands before the first record after the limit: the clock and the context, and then the
 * losses. */
#define DUES_BYTES (2 * (int32_t)KYMO_CELL_BYTES)
#define LOSS_CELLS 2u
#define LOSS_BYTES ((int32_t)(LOSS_CELLS * KYMO_CELL_BYTES))
/* After an overflow the ring must drain by this much first, else losses would come one by one. */
#define REOPEN_BYTES ((int32_t)(KYMO_RING_BYTES / 8u))
/* Promised with the entry of an interrupt: its return, and a clock record before that. */
#define RETURN_BYTES (2 * (int32_t)KYMO_CELL_BYTES)

#define RELAXED __ATOMIC_RELAXED

static uint32_t *place(const struct kymo_lane *lane, uint32_t index) {
    return &kymo_rings[kymo_lane_index(lane)][index & (KYMO_RING_WORDS - 1u)];
}

static void give_room(struct kymo_lane *lane, int32_t bytes) {
    (void)__atomic_fetch_add(&lane->room, bytes, RELAXED);
}

static bool take_room(struct kymo_lane *lane, int32_t bytes) {
    if (__atomic_fetch_sub(&lane->room, bytes, __ATOMIC_ACQUIRE) >= bytes) {
        return true;
    }
    give_room(lane, bytes);
    return false;
}

/* The exchange gives each freed word to exactly one caller. An untouched lane is all zero: on first
 * use the whole ring counts as freed. */
static bool make_room(struct kymo_lane *lane, int32_t bytes) {
    uint32_t free_to = KYMO_ACQUIRE(lane->tail) + KYMO_RING_WORDS;
    uint32_t seen = __atomic_exchange_n(&lane->tail_seen, free_to, __ATOMIC_ACQ_REL);
    (void)__atomic_fetch_add(&lane->room, (int32_t)((free_to - seen) * 4u), __ATOMIC_RELEASE);
    return take_room(lane, bytes);
}

static uint32_t take_place(struct kymo_lane *lane, uint32_t cells) {
    return __atomic_fetch_add(&lane->head, cells * KYMO_CELL_WORDS, RELAXED);
}

static void write_pair(struct kymo_lane *lane, uint32_t first, uint32_t second) {
    uint32_t index = take_place(lane, 1u);
    *place(lane, index + 1u) = second;
    KYMO_PUBLISH(*place(lane, index), first);
}

static void write_time64(struct kymo_lane *lane, enum kymo_tag tag, uint64_t time) {
    write_pair(lane, (uint32_t)(time << 3) | (uint32_t)tag, (uint32_t)(time >> 29));
}

/* The time first: whoever tells of the loss must find one that is not older than the loss. */
static void count_lost(struct kymo_lane *lane, uint32_t events) {
    if (__atomic_load_n(&lane->lost, RELAXED) == 0u) {
        lane->lost_since = kymo_arch_clock();
    }
    (void)__atomic_fetch_add(&lane->lost, events, RELAXED);
    kymo_ring_attention(lane);
}

/* Its room is there. Nothing is left to tell if a nested context has told it meanwhile. */
static void write_loss(struct kymo_lane *lane) {
    uint32_t since = (uint32_t)lane->lost_since;
    uint32_t lost = __atomic_exchange_n(&lane->lost, 0u, RELAXED);
    uint32_t now = (uint32_t)kymo_arch_clock();
    if (lost == 0u) {
        give_room(lane, LOSS_BYTES);
        return;
    }
    uint32_t index = take_place(lane, LOSS_CELLS);
    *place(lane, index + 1u) = now;
    *place(lane, index + 2u) = lost;
    *place(lane, index + 3u) = now - since;
    KYMO_PUBLISH(*place(lane, index), KYMO_LONG(KYMO_KIND_LOSS, 2u, LOSS_CELLS));
}

/* Clock, losses, context, all or nothing: the last is told again, as a switch may be among the
 * losses. Calm comes behind the clock record, or a nested event could stand before it with half a
 * time; and before the look at the losses, or it would undo the attention that a nested loss asks
 * for. */
static bool write_dues(struct kymo_lane *lane, kymo_clock_t now) {
    bool lossy = __atomic_load_n(&lane->lost, RELAXED) != 0u;
    int32_t bytes = DUES_BYTES + (lossy ? LOSS_BYTES + REOPEN_BYTES : 0);
    if (!take_room(lane, bytes) && !make_room(lane, bytes)) {
        return false;
    }
    write_time64(lane, KYMO_TAG_CLOCK64, kymo_arch_clock64());
    kymo_ring_calm(lane, now);
    if (lossy) {
        give_room(lane, REOPEN_BYTES);
        write_loss(lane);
    } else if (__atomic_load_n(&lane->lost, RELAXED) != 0u) {
        kymo_ring_attention(lane);
    }
    write_pair(lane, (uint32_t)lane->context | KYMO_TAG_RESTATED, (uint32_t)now);
    return true;
}

/* The limit first: were the clock read before it, a nested context that asks for attention in between
 * would move the limit beyond that time, and the event would pass by what it asks for. */
static bool is_past_limit(const struct kymo_lane *lane, kymo_clock_t *now) {
    kymo_clock_t limit = __atomic_load_n(&lane->limit, RELAXED);
    __atomic_signal_fence(__ATOMIC_ACQUIRE);
    *now = kymo_arch_clock();
    return kymo_clock_is_past(*now, limit);
}

/* Refused as long as the interrupt is served whose entry was, or for ever on the lane of those without
 * one. Both are kept on the slow path by a limit in the past. */
static bool is_mute(const struct kymo_lane *lane) {
#ifdef KYMO_ARCH_SPARE_LANE
    if (lane == &kymo_lanes[KYMO_ARCH_SPARE_LANE]) {
        return true;
    }
#endif
    return kymo_lane_is_astray(lane) || __atomic_load_n(&lane->muted, RELAXED) != 0u;
}

/* The event's time is taken again, as it must not lie before that of the records it follows. */
static __attribute__((noinline)) bool take_slow(struct kymo_lane *lane, uint32_t need,
                                                uint32_t events, kymo_clock_t *now) {
    if (__atomic_load_n(&kymo_stopped, __ATOMIC_RELAXED)) {
        kymo_ring_attention(lane);
        return false;
    }
    bool due = is_past_limit(lane, now);
    if (is_mute(lane) || (due && !write_dues(lane, *now)) ||
        (!take_room(lane, (int32_t)need) && !make_room(lane, (int32_t)need))) {
        count_lost(lane, events);
        return false;
    }
    *now = kymo_arch_clock();
    return true;
}

/* True: "need" bytes of room are taken; the time of the event is in *now. */
static bool take(struct kymo_lane *lane, uint32_t need, uint32_t events, kymo_clock_t *now) {
    if (KYMO_UNLIKELY(is_past_limit(lane, now)) || !take_room(lane, (int32_t)need)) {
        return take_slow(lane, need, events, now);
    }
    return true;
}

/* A refused begin counts for two: its end will not be recorded either. */
kymo_zone kymo_zone_begin(const struct kymo_site *site) {
    struct kymo_lane *lane = kymo_lane_here();
    kymo_clock_t now;
    if (!take(lane, 2u * KYMO_CELL_BYTES, 2u, &now)) {
        return NULL;
    }
    write_pair(lane, (uint32_t)(uintptr_t)site, (uint32_t)now);
    return site;
}

void kymo_zone_end(kymo_zone zone) {
    if (zone != NULL) {
        write_time64(kymo_lane_of_zone(), KYMO_TAG_END64, kymo_arch_clock64());
    }
}

void kymo_ring_short(uint32_t word) {
    struct kymo_lane *lane = kymo_lane_here();
    kymo_clock_t now;
    if (take(lane, KYMO_CELL_BYTES, 1u, &now)) {
        write_pair(lane, word, (uint32_t)now);
    }
}

kymo_context kymo_context_switch(kymo_context context) {
    struct kymo_lane *lane = kymo_lane_here();
    kymo_clock_t now;
    kymo_context before = lane->context;
    lane->context = context; /* first: what strikes now must come back to it */
    if (take(lane, KYMO_CELL_BYTES, 1u, &now)) {
        write_pair(lane, (uint32_t)context | KYMO_TAG_CONTEXT, (uint32_t)now);
    } else {
        kymo_ring_attention(lane);
    }
    return before;
}

kymo_context kymo_interrupt_enter(kymo_context context) {
    struct kymo_lane *lane = kymo_lane_here();
    kymo_clock_t now;
    kymo_context before = lane->context;
    if (!take(lane, KYMO_CELL_BYTES + (uint32_t)RETURN_BYTES, 1u, &now)) {
        (void)__atomic_fetch_add(&lane->muted, 1u, RELAXED);
        kymo_ring_attention(lane);
        return before;
    }
    lane->context = context; /* first: what strikes now must come back to it */
    write_pair(lane, (uint32_t)context | KYMO_TAG_CONTEXT, (uint32_t)now);
    return before | KYMO_RETURN_PROMISED;
}

void kymo_interrupt_leave(kymo_context before) {
    struct kymo_lane *lane = kymo_lane_here();
    if ((before & KYMO_RETURN_PROMISED) == 0u) {
        (void)__atomic_fetch_sub(&lane->muted, 1u, RELAXED);
        if (!__atomic_load_n(&kymo_stopped, RELAXED)) {
            count_lost(lane, 1u);
        }
        return;
    }
    before -= KYMO_RETURN_PROMISED;
    lane->context = before;
    kymo_clock_t now;
    if (is_past_limit(lane, &now)) {
        write_time64(lane, KYMO_TAG_CLOCK64, kymo_arch_clock64());
    } else {
        give_room(lane, (int32_t)KYMO_CELL_BYTES);
    }
    write_pair(lane, (uint32_t)before | KYMO_TAG_CONTEXT, (uint32_t)now);
}

void kymo_ring_long(enum kymo_event_kind kind, uint32_t reference, const uint32_t *words,
                    uint32_t count) {
    struct kymo_lane *lane = kymo_lane_here();
    uint32_t cells = kymo_long_cells(kind, count);
    kymo_clock_t now;
    if (!take(lane, cells * KYMO_CELL_BYTES, kymo_events_of(kind), &now)) {
        return;
    }
    uint32_t start = take_place(lane, cells);
    uint32_t next = start + 2u;
    *place(lane, start + 1u) = (uint32_t)now;
    if (((uint32_t)kind & KYMO_KIND_HAS_REF) != 0u) {
        *place(lane, next++) = reference;
    }
    for (uint32_t i = 0u; i < count; i++) {
        *place(lane, next++) = words[i];
    }
    KYMO_PUBLISH(*place(lane, start), KYMO_LONG(kind, count, cells));
}

/* The whole clock is read, so that a port that widens a narrow one sees each of its wraps. */
void kymo_clock_keepalive(void) {
    struct kymo_lane *lane = kymo_lane_here();
    kymo_clock_t now = (kymo_clock_t)kymo_arch_clock64();
    if (kymo_clock_is_past(now, lane->limit)) {
        kymo_ring_attention(lane);
    }
}

uint32_t kymo_ring_peek(struct kymo_lane *lane, uint32_t *header) {
    uint32_t word = KYMO_ACQUIRE(*place(lane, lane->tail));
    *header = word;
    if (word == 0u) {
        return 0u;
    }
    return (word & KYMO_TAG_MASK) == KYMO_TAG_LONG ? KYMO_LONG_CELLS(word) * KYMO_CELL_WORDS
                                                   : KYMO_CELL_WORDS;
}

uint32_t kymo_ring_word(const struct kymo_lane *lane, uint32_t index) {
    return *place(lane, lane->tail + index);
}

void kymo_ring_consume(struct kymo_lane *lane, uint32_t words) {
    for (uint32_t i = 0u; i < words; i++) {
        *place(lane, lane->tail + i) = 0u;
    }
    KYMO_PUBLISH(lane->tail, lane->tail + words);
}

uint32_t kymo_ring_used_bytes(const struct kymo_lane *lane) {
    return (__atomic_load_n(&lane->head, RELAXED) - lane->tail) * 4u;
}

#endif
