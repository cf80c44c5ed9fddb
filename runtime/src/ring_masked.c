/* The ring of a lane that one core writes: a short interrupt mask makes each reservation one step.
 * The lane is looked up behind the mask, so that a task cannot be moved to another core between.
 *
 * The producer works in runs of free words that do not wrap. "room" is what the run still has
 * beyond all promises, so the fast path compares one number; the end of the ring, the consumer's
 * progress and everything rare is met by make_room() when a run is used up. A zone's begin promises
 * the two words of its end, which therefore is written without any check. */
#include "ring.h"

#if KYMO_ENABLE && !KYMO_ARCH_ATOMIC && !KYMO_KEEP_NEWEST

/* What stands before the first record after the limit: the clock and the context, and then the
 * losses. */
#define DUES_BYTES (2u * KYMO_CELL_BYTES)
#define LOSS_BYTES 16u
/* After an overflow the ring must drain by this much first, else losses would come one by one. */
#define REOPEN_BYTES (KYMO_RING_BYTES / 8u)
/* Promised with the entry of an interrupt: its return, and a clock record before that. */
#define RETURN_BYTES (2u * KYMO_CELL_BYTES)

static uint32_t *ring_of(const struct kymo_lane *lane) { return kymo_rings[kymo_lane_index(lane)]; }

static void write_pair(struct kymo_lane *lane, uint32_t first, uint32_t second) {
    uint32_t *write = lane->write;
    write[0] = first;
    write[1] = second;
    KYMO_PUBLISH(lane->write, write + KYMO_CELL_WORDS);
}

/* Both words are the time. Apart, as reading all of a clock takes long on 32-bit cores. */
static __attribute__((noinline)) void write_time64(struct kymo_lane *lane, enum kymo_tag tag) {
    uint64_t now = kymo_arch_clock64();
    write_pair(lane, (uint32_t)(now << 3) | (uint32_t)tag, (uint32_t)(now >> 29));
}

static void first_use(struct kymo_lane *lane) {
    uint32_t *base = ring_of(lane);
    lane->run_end = base;
    kymo_ring_attention(lane);
    KYMO_PUBLISH(lane->tail, base); /* first: "write" tells the consumer that there is a ring */
    KYMO_PUBLISH(lane->write, base);
}

/* Extends the run to what the consumer has freed, or goes on at the ring's start. Promised words
 * are taken along. True: "need" bytes are there. One cell stays free so that full differs from
 * empty. */
static bool make_room(struct kymo_lane *lane, int32_t need) {
    uint32_t *base = ring_of(lane);
    uint32_t *end = base + KYMO_RING_WORDS;
    uint32_t *write = lane->write;
    uint32_t *tail = KYMO_ACQUIRE(lane->tail);
    int32_t promised = (int32_t)((lane->run_end - write) * 4) - lane->room;

    lane->run_end = tail > write ? tail - KYMO_CELL_WORDS : end;
    lane->room = (int32_t)((lane->run_end - write) * 4) - promised;
    if (lane->room >= need) {
        return true;
    }
    int32_t room = (int32_t)((tail - base) * 4) - (int32_t)KYMO_CELL_BYTES - promised;
    if (tail > write || room < need) {
        return false;
    }
    if (write != end) {
        write[0] = KYMO_LONG(KYMO_LONG_SKIP, 0u, 0u);
    }
    lane->run_end = tail - KYMO_CELL_WORDS;
    lane->room = room;
    KYMO_PUBLISH(lane->write, base);
    return true;
}

static void count_lost(struct kymo_lane *lane, uint32_t events) {
    if (lane->lost == 0u) {
        lane->lost_since = kymo_arch_clock();
    }
    lane->lost += events;
    kymo_ring_attention(lane);
}

/* Its room is there. The context is told again, as a switch may be among the losses. */
static void write_dues(struct kymo_lane *lane) {
    write_time64(lane, KYMO_TAG_CLOCK64);
    uint32_t now = (uint32_t)kymo_arch_clock();
    if (lane->lost != 0u) {
        uint32_t *write = lane->write;
        write[0] = KYMO_LONG(KYMO_KIND_LOSS, 2u, 2u);
        write[1] = now;
        write[2] = lane->lost;
        write[3] = now - (uint32_t)lane->lost_since;
        KYMO_PUBLISH(lane->write, write + LOSS_BYTES / 4u);
        lane->lost = 0u;
    }
    write_pair(lane, (uint32_t)lane->context | KYMO_TAG_RESTATED, now);
}

/* The slow path, masked. True: "need" bytes are reserved at lane->write; false: refused, and
 * counted for "events" unless recording is stopped. */
static bool take_slow(struct kymo_lane *lane, uint32_t need, uint32_t events) {
    if (KYMO_LOAD(kymo_stopped)) {
        kymo_ring_attention(lane);
        return false;
    }
    if (kymo_lane_is_astray(lane)) {
        count_lost(lane, events); /* of several such cores some may go uncounted, but never all */
        return false;
    }
    if (lane->write == NULL) {
        first_use(lane);
    }
    kymo_clock_t now = kymo_arch_clock();
    bool lossy = lane->lost != 0u;
    bool due = lossy || kymo_clock_is_past(now, lane->limit);
    uint32_t dues = (due ? DUES_BYTES : 0u) + (lossy ? LOSS_BYTES : 0u);
    int32_t wanted = (int32_t)(need + dues + (lossy ? REOPEN_BYTES : 0u));
    if (lane->muted != 0u || (lane->room < wanted && !make_room(lane, wanted))) {
        count_lost(lane, events);
        return false;
    }
    lane->room -= (int32_t)(need + dues);
    if (due) {
        kymo_ring_calm(lane, now);
        write_dues(lane);
    }
    return true;
}

/* Masked. Takes "need" bytes from the room. */
static bool take(struct kymo_lane *lane, uint32_t need, uint32_t events) {
    int32_t room = lane->room - (int32_t)need;
    if (KYMO_UNLIKELY(room < 0 || kymo_clock_is_past(kymo_arch_clock(), lane->limit))) {
        return take_slow(lane, need, events);
    }
    lane->room = room;
    return true;
}

/* Apart from the fast path, so that this one needs no stack frame. A refused begin counts for two:
 * its end will not be recorded either. */
static __attribute__((noinline)) kymo_zone begin_slow(const struct kymo_site *site,
                                                      struct kymo_lane *lane,
                                                      kymo_arch_state state) {
    bool taken = take_slow(lane, 2u * KYMO_CELL_BYTES, 2u);
    if (taken) {
        write_pair(lane, (uint32_t)(uintptr_t)site, (uint32_t)kymo_arch_clock());
    }
    kymo_arch_unmask(state);
    return taken ? site : NULL;
}

kymo_zone kymo_zone_begin(const struct kymo_site *site) {
    kymo_arch_state state = kymo_arch_mask();
    struct kymo_lane *lane = kymo_lane_here();
    int32_t room = lane->room;
    kymo_clock_t now = kymo_arch_clock();
    if (KYMO_UNLIKELY(room < (int32_t)(2u * KYMO_CELL_BYTES)) ||
        KYMO_UNLIKELY(kymo_clock_is_past(now, lane->limit))) {
        return begin_slow(site, lane, state);
    }
    lane->room = room - (int32_t)(2u * KYMO_CELL_BYTES);
    write_pair(lane, (uint32_t)(uintptr_t)site, (uint32_t)now);
    kymo_arch_unmask(state);
    return site;
}

void kymo_zone_end(kymo_zone zone) {
    if (zone == NULL) {
        return;
    }
    kymo_arch_state state = kymo_arch_mask();
    struct kymo_lane *lane = kymo_lane_of_zone();
    kymo_clock_t now = kymo_arch_clock();
#if KYMO_ARCH_CLOCK_BITS == 64
    uint32_t *write = lane->write;
    uint64_t both = now << 3 | KYMO_TAG_END64;
    *(uint64_t *)(void *)write = both;
    KYMO_PUBLISH(lane->write, write + KYMO_CELL_WORDS);
#else
    if (KYMO_UNLIKELY(kymo_clock_is_past(now, lane->limit))) {
        write_time64(lane, KYMO_TAG_END64);
    } else {
        write_pair(lane, KYMO_TAG_END32, (uint32_t)now);
    }
#endif
    kymo_arch_unmask(state);
}

void kymo_ring_short(uint32_t word) {
    kymo_arch_state state = kymo_arch_mask();
    struct kymo_lane *lane = kymo_lane_here();
    if (take(lane, KYMO_CELL_BYTES, 1u)) {
        write_pair(lane, word, (uint32_t)kymo_arch_clock());
    }
    kymo_arch_unmask(state);
}

kymo_context kymo_context_switch(kymo_context context) {
    kymo_arch_state state = kymo_arch_mask();
    struct kymo_lane *lane = kymo_lane_here();
    kymo_context before = lane->context;
    if (take(lane, KYMO_CELL_BYTES, 1u)) {
        write_pair(lane, (uint32_t)context | KYMO_TAG_CONTEXT, (uint32_t)kymo_arch_clock());
    } else {
        kymo_ring_attention(lane);
    }
    lane->context = context;
    kymo_arch_unmask(state);
    return before;
}

kymo_context kymo_interrupt_enter(kymo_context context) {
    kymo_arch_state state = kymo_arch_mask();
    struct kymo_lane *lane = kymo_lane_here();
    kymo_context before = lane->context;
    if (take(lane, KYMO_CELL_BYTES + RETURN_BYTES, 1u)) {
        write_pair(lane, (uint32_t)context | KYMO_TAG_CONTEXT, (uint32_t)kymo_arch_clock());
        lane->context = context;
        before |= KYMO_RETURN_PROMISED;
    } else {
        lane->muted++;
        kymo_ring_attention(lane);
    }
    kymo_arch_unmask(state);
    return before;
}

void kymo_interrupt_leave(kymo_context before) {
    kymo_arch_state state = kymo_arch_mask();
    struct kymo_lane *lane = kymo_lane_here();
    if ((before & KYMO_RETURN_PROMISED) != 0u) {
        lane->context = before - KYMO_RETURN_PROMISED;
        if (kymo_clock_is_past(kymo_arch_clock(), lane->limit)) {
            write_time64(lane, KYMO_TAG_CLOCK64);
        } else {
            lane->room += (int32_t)KYMO_CELL_BYTES;
        }
        write_pair(lane, (uint32_t)lane->context | KYMO_TAG_CONTEXT, (uint32_t)kymo_arch_clock());
    } else {
        lane->muted--;
        if (!KYMO_LOAD(kymo_stopped)) {
            count_lost(lane, 1u);
        }
    }
    kymo_arch_unmask(state);
}

void kymo_ring_long(enum kymo_event_kind kind, uint32_t reference, const uint32_t *words,
                    uint32_t count) {
    uint32_t cells = kymo_long_cells(kind, count);
    kymo_arch_state state = kymo_arch_mask();
    struct kymo_lane *lane = kymo_lane_here();
    if (!take(lane, cells * KYMO_CELL_BYTES, kymo_events_of(kind))) {
        kymo_arch_unmask(state);
        return;
    }
    uint32_t *start = lane->write;
    start[0] = KYMO_LONG(KYMO_LONG_FILLING, count, cells);
    start[1] = (uint32_t)kymo_arch_clock();
    KYMO_PUBLISH(lane->write, start + (size_t)cells * KYMO_CELL_WORDS);
    kymo_arch_unmask(state);

    uint32_t *next = start + 2;
    if (((uint32_t)kind & KYMO_KIND_HAS_REF) != 0u) {
        *next++ = reference;
    }
    for (uint32_t i = 0u; i < count; i++) {
        *next++ = words[i];
    }
    KYMO_PUBLISH(start[0], KYMO_LONG(kind, count, cells));
}

/* The whole clock is read, so that a port that widens a narrow one sees each of its wraps. */
void kymo_clock_keepalive(void) {
    kymo_arch_state state = kymo_arch_mask();
    struct kymo_lane *lane = kymo_lane_here();
    kymo_clock_t now = (kymo_clock_t)kymo_arch_clock64();
    if (lane->write != NULL && kymo_clock_is_past(now, lane->limit)) {
        kymo_ring_attention(lane);
    }
    kymo_arch_unmask(state);
}

uint32_t kymo_ring_peek(struct kymo_lane *lane, uint32_t *header) {
    for (;;) {
        uint32_t *write = KYMO_ACQUIRE(lane->write);
        uint32_t *tail = lane->tail;
        if (tail == write || write == NULL) {
            return 0u;
        }
        uint32_t *end = ring_of(lane) + KYMO_RING_WORDS;
        uint32_t word = tail == end ? KYMO_LONG(KYMO_LONG_SKIP, 0u, 0u) : KYMO_ACQUIRE(*tail);
        if ((word & KYMO_TAG_MASK) != KYMO_TAG_LONG) {
            *header = word;
            return KYMO_CELL_WORDS;
        }
        if (KYMO_LONG_KIND(word) == KYMO_LONG_FILLING) {
            return 0u;
        }
        if (KYMO_LONG_KIND(word) != KYMO_LONG_SKIP) {
            *header = word;
            return KYMO_LONG_CELLS(word) * KYMO_CELL_WORDS;
        }
        KYMO_PUBLISH(lane->tail, ring_of(lane));
    }
}

uint32_t kymo_ring_word(const struct kymo_lane *lane, uint32_t index) { return lane->tail[index]; }

void kymo_ring_consume(struct kymo_lane *lane, uint32_t words) {
    KYMO_PUBLISH(lane->tail, lane->tail + words);
}

uint32_t kymo_ring_used_bytes(const struct kymo_lane *lane) {
    const uint32_t *write = KYMO_ACQUIRE(lane->write);
    const uint32_t *tail = lane->tail;
    uint32_t used = (uint32_t)(write - tail) * 4u;
    return write >= tail ? used : used + KYMO_RING_BYTES;
}

#endif
