/* The ring of a lane that one core writes: a short interrupt mask makes each step of a reservation one
 * instruction to all others. The lane is looked up behind the mask, so that a task cannot be moved to
 * another core between.
 *
 * The producer works in runs of free words that do not wrap, and "write" <= "reserved" <= "room_end":
 * what is between the first two is promised (the end of each open zone, the return of each interrupt),
 * what is between the last two is free. A record with a promise is written if write < reserved, one
 * without moves "reserved" first: neither can leave the ring, whatever the caller does. The end of the
 * ring, the consumer's progress and everything rare is met when a run is used up.
 *
 * model: tests/model/masked.pml */
#include "ring.h"

#if KYMO_ENABLE && !KYMO_ARCH_ATOMIC && !KYMO_KEEP_NEWEST

/* After an overflow the ring must drain by this much first, else losses would come one by one. */
#define REOPEN_BYTES (KYMO_RING_BYTES / 8u)
/* Promised with the entry of an interrupt: its return, and a clock record before that. */
#define RETURN_BYTES (2u * KYMO_CELL_BYTES)
#define ZONE_BYTES (2u * KYMO_CELL_BYTES)

static uintptr_t written(const struct kymo_lane *lane) { return (uintptr_t)lane->write; }

static uint32_t promised(const struct kymo_lane *lane) {
    return (uint32_t)(lane->reserved - written(lane));
}

static bool has_room(const struct kymo_lane *lane, uint32_t bytes) {
    return lane->room_end - lane->reserved >= bytes;
}

/* Of promised room. */
static inline void write_pair(struct kymo_lane *lane, uint32_t first, uint32_t second) {
    uint32_t *write = lane->write;
    write[0] = first;
    write[1] = second;
    KYMO_PUBLISH(lane->write, write + KYMO_CELL_WORDS);
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

#if KYMO_LANE_ASKED

static void give_back(const struct kymo_lane *owner, const struct kymo_lane *here) {
    uint32_t *cells = &kymo_returns.cells[kymo_lane_index(owner)][here - kymo_lanes];
    KYMO_STORE(*cells, *cells + 1u);
}

#endif

/* Extends the run to what the consumer has freed, or goes on at the ring's start. Promised words are taken along.
 * True: "need" bytes are there. One cell stays free so that full differs from empty. Nobody takes the fast path until
 * step_open(): an interrupt would compare with the end of the run before, which may lie behind the new room. */
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

/* ---- the slow path: what stands before an event, in steps ----
 *
 * Interrupts are let in between the steps, so that none masks them for longer than an event does. Each
 * looks up the lane anew, as the caller may have been moved, and does what is still to be done there:
 * an interrupt in between may have done it. */

#define LOSS_BYTES (KYMO_LOSS_CELLS * KYMO_CELL_BYTES)

/* False: refused, and counted. As long as the consumer frees nothing there is no use in looking for room again. */
static bool refuse_or_pass(struct kymo_lane *lane, uint32_t need, uint32_t events) {
    if (kymo_lane_is_unknown(lane) || lane->muted != 0u) {
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

/* What others gave back, but no more than is promised: a zone that was ended twice gave back what others need. */
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

/* Lets events take the fast path again. */
static __attribute__((noinline)) void step_open(void) {
    kymo_arch_state state = kymo_arch_mask();
    struct kymo_lane *lane = kymo_lane_here();
    if (lane->lost == 0u && !lane->restate) {
        kymo_ring_calm(lane, lane->room_end);
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

/* Masked. True: "need" bytes are reserved at lane->write, for a record of the time *now. */
static inline __attribute__((always_inline)) bool take(struct kymo_lane *lane, uint32_t need,
                                                       kymo_clock_t *now) {
    const uintptr_t reserved = lane->reserved + need;
    const uintptr_t run_end = KYMO_LOAD(lane->run_end);
    *now = kymo_arch_clock();
    if (KYMO_UNLIKELY(reserved > run_end) || KYMO_UNLIKELY(kymo_clock_is_past(*now, lane->limit))) {
        return false;
    }
    lane->reserved = reserved;
    return true;
}

/* The second try of an event that was not accepted at once. Masked on return. NULL: refused. */
static __attribute__((noinline)) struct kymo_lane *take_again(uint32_t need, uint32_t events,
                                                              kymo_arch_state *state,
                                                              kymo_clock_t *now) {
    kymo_arch_unmask(*state);
    const bool prepared = !KYMO_LOAD(kymo_stopped) && prepare(need, events);
    *state = kymo_arch_mask();
    struct kymo_lane *lane = kymo_lane_here();
    if (!prepared) {
        return NULL;
    }
    if (!take(lane, need, now)) {
        if (!KYMO_LOAD(kymo_stopped)) {
            count_lost(lane, events);
        }
        return NULL;
    }
    return lane;
}

/* Apart from the fast path, which so needs no stack frame. A refused begin counts for its end, too. */
static __attribute__((noinline)) kymo_zone begin_slow(const struct kymo_site *site,
                                                      kymo_arch_state state) {
    kymo_clock_t now;
    struct kymo_lane *lane = NULL;
    if (site == NULL) {
        kymo_usage_error(KYMO_USAGE_NO_SITE);
    } else if ((lane = take_again(ZONE_BYTES, 2u, &state, &now)) != NULL) {
        write_pair(lane, (uint32_t)(uintptr_t)site, (uint32_t)now);
    }
    kymo_arch_unmask(state);
    return lane;
}

kymo_zone KYMO_RING_BEGIN(const struct kymo_site *site) {
    kymo_arch_state state = kymo_arch_mask();
    struct kymo_lane *lane = kymo_lane_here();
    kymo_clock_t now;
    if (KYMO_UNLIKELY(site == NULL) || !take(lane, ZONE_BYTES, &now)) {
        return begin_slow(site, state);
    }
    write_pair(lane, (uint32_t)(uintptr_t)site, (uint32_t)now);
    kymo_arch_unmask(state);
    return lane;
}

#if KYMO_LANE_ASKED

/* The zone began on another lane, whose producer is not ours: the end is an event of this one, which names the
 * other. It is recorded also while stopped. */
static void end_on_other_lane(struct kymo_lane *owner) {
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

#else

static void end_on_other_lane(struct kymo_lane *owner) { (void)owner; }

#endif

/* Masked at first. The end of a zone of another lane, one without a promise, one after the limit of the clock. */
static __attribute__((noinline)) void end_slow(struct kymo_lane *lane, kymo_arch_state state) {
    if (!kymo_lane_is_here(lane)) {
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

void KYMO_RING_END(kymo_zone zone) {
    struct kymo_lane *lane = zone;
    if (lane == NULL) {
        return;
    }
    kymo_arch_state state = kymo_arch_mask();
    uint32_t *write = lane->write;
    if (KYMO_UNLIKELY(!kymo_lane_is_here(lane)) ||
        KYMO_UNLIKELY((uintptr_t)write >= lane->reserved)) {
        end_slow(lane, state);
        return;
    }
    kymo_clock_t now = kymo_arch_clock();
#if KYMO_ARCH_CLOCK_BITS == 64
    uint64_t both = now << 3 | KYMO_TAG_END64;
    *(uint64_t *)(void *)write = both;
#else
    if (KYMO_UNLIKELY(kymo_clock_is_past(now, lane->limit))) {
        end_slow(lane, state);
        return;
    }
    write[0] = KYMO_TAG_END32;
    write[1] = (uint32_t)now;
#endif
    KYMO_PUBLISH(lane->write, write + KYMO_CELL_WORDS);
    kymo_arch_unmask(state);
}

/* Masked on return. NULL: refused. */
static __attribute__((noinline)) struct kymo_lane *reserve(uint32_t need, uint32_t events,
                                                           kymo_arch_state *state,
                                                           kymo_clock_t *now) {
    *state = kymo_arch_mask();
    struct kymo_lane *lane = kymo_lane_here();
    return take(lane, need, now) ? lane : take_again(need, events, state, now);
}

void kymo_ring_short(uint32_t word) {
    kymo_arch_state state;
    kymo_clock_t now;
    struct kymo_lane *lane = reserve(KYMO_CELL_BYTES, 1u, &state, &now);
    if (lane != NULL) {
        write_pair(lane, word, (uint32_t)now);
    }
    kymo_arch_unmask(state);
}

kymo_context kymo_ring_switch(kymo_context context) {
    kymo_arch_state state;
    kymo_clock_t now;
    struct kymo_lane *lane = reserve(KYMO_CELL_BYTES, 1u, &state, &now);
    if (lane != NULL) {
        write_pair(lane, (uint32_t)context | KYMO_TAG_CONTEXT, (uint32_t)now);
    } else {
        lane = kymo_lane_here();
        lane->restate = true;
        kymo_ring_attention(lane);
    }
    kymo_context before = lane->context;
    lane->context = context;
    kymo_arch_unmask(state);
    return before;
}

kymo_context kymo_ring_enter(kymo_context context) {
    kymo_arch_state state;
    kymo_clock_t now;
    struct kymo_lane *lane = reserve(KYMO_CELL_BYTES + RETURN_BYTES, 1u, &state, &now);
    kymo_context before;
    if (lane != NULL) {
        write_pair(lane, (uint32_t)context | KYMO_TAG_CONTEXT, (uint32_t)now);
        before = lane->context | KYMO_RETURN_PROMISED;
        lane->context = context;
    } else {
        lane = kymo_lane_here();
        before = lane->context;
        lane->muted++;
        kymo_ring_attention(lane);
    }
    kymo_arch_unmask(state);
    return before;
}

/* Masked. False: no return is promised. */
static bool return_to(struct kymo_lane *lane, kymo_context context) {
    if (promised(lane) < RETURN_BYTES) {
        return false;
    }
    lane->context = context;
    if (clock_is_due(lane)) {
        write_time64(lane, KYMO_TAG_CLOCK64);
    } else {
        lane->reserved -= KYMO_CELL_BYTES;
    }
    write_pair(lane, (uint32_t)context | KYMO_TAG_CONTEXT, (uint32_t)kymo_arch_clock());
    return true;
}

/* Masked. False: no entry was refused. */
static bool leave_muted(struct kymo_lane *lane) {
    if (lane->muted == 0u) {
        return false;
    }
    lane->muted--;
    if (!KYMO_LOAD(kymo_stopped)) {
        count_lost(lane, 1u);
    }
    return true;
}

void KYMO_RING_LEAVE(kymo_context before) {
    const kymo_context context = before & ~KYMO_CONTEXT_BITS;
    kymo_arch_state state = kymo_arch_mask();
    struct kymo_lane *lane = kymo_lane_here();
    const bool is_entered =
        (before & KYMO_RETURN_PROMISED) != 0u ? return_to(lane, context) : leave_muted(lane);
    kymo_arch_unmask(state);
    if (!is_entered) {
        kymo_ring_leave_unpromised(context);
    }
}

void kymo_ring_long(enum kymo_event_kind kind, uint32_t reference, const uint32_t *words,
                    uint32_t count) {
    uint32_t cells = kymo_long_cells(kind, count);
    kymo_arch_state state;
    kymo_clock_t now;
    struct kymo_lane *lane = reserve(cells * KYMO_CELL_BYTES, kymo_events_of(kind), &state, &now);
    if (lane == NULL) {
        kymo_arch_unmask(state);
        return;
    }
    uint32_t *start = lane->write;
    start[0] = kymo_long_filling(kind, count, cells);
    start[1] = (uint32_t)now;
    KYMO_PUBLISH(lane->write, start + (size_t)cells * KYMO_CELL_WORDS);
    kymo_arch_unmask(state);
    kymo_long_fill(start + 2, kind, reference, words, count);
    KYMO_PUBLISH(start[0], KYMO_LONG(kind, count, cells));
}

/* The whole clock is read, so that a port that widens a narrow one sees each of its wraps. */
void kymo_clock_keepalive(void) {
    kymo_arch_state state = kymo_arch_mask();
    struct kymo_lane *lane = kymo_lane_here();
    kymo_ring_keep_alive(lane, kymo_arch_clock64());
    kymo_arch_unmask(state);
}

#endif
