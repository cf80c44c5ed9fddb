/* The ring of a lane that one core writes: a short interrupt mask makes each reservation one step.
 *
 * The producer works in runs of free words that do not wrap. "room" is what the run still has beyond
 * all promises, so the fast path compares one number; the end of the ring, the consumer's progress and
 * everything rare is met by make_room() when a run is used up. A zone's begin promises the two words of
 * its end, which therefore is written without any check. */
#include "ring.h"

#if KYMO_ENABLE && !KYMO_ARCH_ATOMIC

#define LOSS_BYTES 16u
/* After an overflow the ring must drain by this much first, else losses would come one by one. */
#define REOPEN_BYTES (KYMO_RING_BYTES / 8u)

static uint32_t *ring_of(const struct kymo_lane *lane) { return kymo_rings[lane - kymo_lanes]; }

static void write_pair(struct kymo_lane *lane, uint32_t first, uint32_t second) {
    uint32_t *write = lane->write;
    write[0] = first;
    write[1] = second;
    KYMO_PUBLISH(lane->write, write + KYMO_CELL_WORDS);
}

static void write_time64(struct kymo_lane *lane, enum kymo_tag tag, uint64_t time) {
    write_pair(lane, (uint32_t)(time << 3) | (uint32_t)tag, (uint32_t)(time >> 29));
}

static void first_use(struct kymo_lane *lane) {
    lane->write = lane->run_end = ring_of(lane);
    lane->clock_due = true;
    KYMO_PUBLISH(lane->tail, lane->write);
}

/* Extends the run to what the consumer has freed, or goes on at the ring's start. Promised words are
 * taken along. True: "need" bytes are there. One cell stays free so that full differs from empty. */
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

/* Writes what must stand before the next record: clock, losses, context. Its room is there. */
static void write_dues(struct kymo_lane *lane, uint64_t now) {
    write_time64(lane, KYMO_TAG_CLOCK64, now);
    lane->clock_due = false;
    lane->room -= (int32_t)KYMO_CELL_BYTES;
    if (lane->lost != 0u) {
        uint32_t *write = lane->write;
        write[2] = lane->lost;
        write[3] = (uint32_t)lane->lost_since;
        write[0] = KYMO_LONG(KYMO_KIND_LOSS, 2u, 2u);
        write[1] = (uint32_t)now;
        KYMO_PUBLISH(lane->write, write + LOSS_BYTES / 4u);
        lane->lost = 0u;
        lane->room -= (int32_t)LOSS_BYTES;
    }
    if (lane->context_stale) {
        write_pair(lane, (uint32_t)lane->context | KYMO_TAG_RESTATED, (uint32_t)now);
        lane->context_stale = false;
        lane->room -= (int32_t)KYMO_CELL_BYTES;
    }
}

/* The slow path, masked. True: "need" bytes are reserved at lane->write; false: refused, counted. */
static bool take_slow(struct kymo_lane *lane, uint32_t need, uint32_t events) {
    if (lane->write == NULL) {
        first_use(lane);
    }
    if (__atomic_load_n(&kymo_stopped, __ATOMIC_RELAXED)) {
        kymo_ring_attention(lane);
        lane->clock_due = true;
        return false;
    }
    uint32_t dues = 0u;
    kymo_clock_t now = kymo_arch_clock();
    if (lane->clock_due || kymo_clock_is_past(now, lane->limit)) {
        dues = KYMO_CELL_BYTES + (lane->lost != 0u ? LOSS_BYTES + REOPEN_BYTES : 0u) +
               (lane->context_stale ? KYMO_CELL_BYTES : 0u);
    }
    int32_t wanted = (int32_t)(need + dues);
    if (lane->room < wanted && !make_room(lane, wanted)) {
        count_lost(lane, events);
        return false;
    }
    if (dues != 0u) {
        kymo_ring_calm(lane, now);
        write_dues(lane, kymo_arch_clock64());
    }
    lane->room -= (int32_t)need;
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

/* Apart from the fast path, so that this one needs no stack frame. A refused begin counts for two: its
 * end will not be recorded either. */
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
    struct kymo_lane *lane = kymo_lane_here();
    kymo_arch_state state = kymo_arch_mask();
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
    struct kymo_lane *lane = kymo_lane_here();
    kymo_arch_state state = kymo_arch_mask();
    kymo_clock_t now = kymo_arch_clock();
#if KYMO_ARCH_CLOCK_BITS == 64
    uint32_t *write = lane->write;
    uint64_t both = now << 3 | KYMO_TAG_END64;
    *(uint64_t *)(void *)write = both;
    KYMO_PUBLISH(lane->write, write + KYMO_CELL_WORDS);
#else
    if (KYMO_UNLIKELY(kymo_clock_is_past(now, lane->limit))) {
        write_time64(lane, KYMO_TAG_END64, kymo_arch_clock64());
    } else {
        write_pair(lane, KYMO_TAG_END32, (uint32_t)now);
    }
#endif
    kymo_arch_unmask(state);
}

void kymo_ring_short(struct kymo_lane *lane, uint32_t word) {
    kymo_arch_state state = kymo_arch_mask();
    if (take(lane, KYMO_CELL_BYTES, 1u)) {
        write_pair(lane, word, (uint32_t)kymo_arch_clock());
    }
    kymo_arch_unmask(state);
}

kymo_context kymo_context_switch(kymo_context context) {
    struct kymo_lane *lane = kymo_lane_here();
    kymo_arch_state state = kymo_arch_mask();
    kymo_context before = lane->context;
    lane->context = context;
    if (take(lane, KYMO_CELL_BYTES, 1u)) {
        write_pair(lane, (uint32_t)context | KYMO_TAG_CONTEXT, (uint32_t)kymo_arch_clock());
    } else {
        lane->context_stale = true;
    }
    kymo_arch_unmask(state);
    return before;
}

bool kymo_ring_reserve(struct kymo_record *record, enum kymo_event_kind kind, uint32_t reference,
                       uint32_t words) {
    struct kymo_lane *lane = kymo_lane_here();
    uint32_t cells = kymo_long_cells(kind, words);
    kymo_arch_state state = kymo_arch_mask();
    bool taken = take(lane, cells * KYMO_CELL_BYTES, kymo_events_of(kind));
    if (taken) {
        uint32_t *write = lane->write;
        write[0] = KYMO_LONG(KYMO_LONG_FILLING, words, cells);
        write[1] = (uint32_t)kymo_arch_clock();
        record->start = write;
        KYMO_PUBLISH(lane->write, write + (size_t)cells * KYMO_CELL_WORDS);
    }
    kymo_arch_unmask(state);
    if (!taken) {
        return false;
    }
    record->next = record->start + 2;
    record->header = KYMO_LONG(kind, words, cells);
    if (((uint32_t)kind & KYMO_KIND_HAS_REF) != 0u) {
        kymo_ring_put(record, reference);
    }
    return true;
}

void kymo_ring_put(struct kymo_record *record, uint32_t word) { *record->next++ = word; }

void kymo_ring_commit(struct kymo_record *record) {
    KYMO_PUBLISH(record->start[0], record->header);
}

void kymo_clock_keepalive(void) {
    struct kymo_lane *lane = kymo_lane_here();
    kymo_arch_state state = kymo_arch_mask();
    if (lane->write != NULL && kymo_clock_is_past(kymo_arch_clock(), lane->limit)) {
        lane->clock_due = true;
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
