/* SPDX-License-Identifier: MIT */
/* The ring of a lane that keeps the newest where no interrupt can be masked: a flight recorder for threads, whose
 * signal handlers may preempt it between any two instructions. A handler returns before the code it preempted goes on
 * (KYMO_ARCH_NESTS), and nobody else writes the lane.
 *
 * One word, "state", says which block is written, what room is left in it and how many events it has. A reservation
 * exchanges it for the next one, with the time read in between: where a handler has recorded meanwhile that fails, so
 * records are in the order of their times. A block is zero before anything is reserved in it, and the first word of a
 * record is written last, so a reader stops at a record that is not complete.
 *
 * The outermost preempted context pins the block that it began in by "pin": a handler that would reach that block is
 * refused, and counted. Nothing can prolong a loop: an event that was preempted too often is refused, too.
 *
 * model: tests/model/newest_atomic.pml */
#include "newest.h"

#if KYMO_ENABLE && KYMO_KEEP_NEWEST && KYMO_ARCH_ATOMIC

/* A handler that records in the middle costs a try, as does a block that is entered. */
#define TRIES 8u

#define RELAXED __ATOMIC_RELAXED

/* ---- state: number of the block << 32, events in it << 16, cells left ---- */

#define ONE_EVENT (1u << 16)

_Static_assert(BLOCK_BYTES / KYMO_CELL_BYTES <= 0xffffu,
               "KYMO_RING_BYTES is too large for KYMO_KEEP_NEWEST: blocks have at most 256 KiB");

static uint64_t fresh(uint32_t number) {
    return (uint64_t)number << 32 | (BLOCK_BYTES - KYMO_BLOCK_HEAD_BYTES) / KYMO_CELL_BYTES;
}

static bool exchange(struct kymo_lane *lane, uint64_t seen, uint64_t next) {
    return __atomic_compare_exchange_n(&lane->state, &seen, next, false, RELAXED, RELAXED);
}

/* The lane's context may have changed without a record: a new block states it. */
static void close_block(struct kymo_lane *lane) {
    const uint64_t seen = kymo_state(lane);
    (void)exchange(lane, seen, seen & ~UINT64_C(0xffff));
}

/* ---- the preempted context ---- */

/* True for the context that sets it. A handler may have entered other blocks before it was set: then it is set again.
 * Once it is set, none can go further than the ring's length. */
static bool set_pin(struct kymo_lane *lane) {
    if (KYMO_LOAD(lane->pin) != 0u) {
        return false;
    }
    const uint32_t number = kymo_state_number(kymo_state(lane));
    KYMO_STORE(lane->pin, number + 1u);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    const uint32_t now = kymo_state_number(kymo_state(lane));
    if (now != number) {
        KYMO_STORE(lane->pin, now + 1u);
    }
    return true;
}

/* Also for the reader: all that was reserved since is written. */
static void clear_pin(struct kymo_lane *lane, bool is_mine) {
    if (is_mine) {
        KYMO_PUBLISH(lane->pin, 0u);
    }
}

/* ---- blocks ---- */

static void open_fast_path(struct kymo_lane *lane, uint64_t now) {
    KYMO_STORE(lane->limit, (kymo_clock_t)now + KYMO_CLOCK_SPAN);
    kymo_ring_resume(lane, 0u);
}

/* Threads may come here at once: all of them find the same, except the session, where one is the first. A process
 * has one run. */
static void start_run(void) {
    uint32_t none = 0u;
    kymo_know_image();
    const uint32_t id = kymo_sum_add(kymo_run.fingerprint, (uint32_t)kymo_arch_clock64()) | 1u;
    (void)__atomic_compare_exchange_n(&kymo_run.session, &none, id, false, RELAXED, RELAXED);
    KYMO_PUBLISH(kymo_run.number, 1u);
}

void kymo_run_start(void) {
    if (KYMO_ACQUIRE(kymo_run.number) == 0u) {
        start_run();
    }
}

static uint64_t events_before(const struct kymo_lane *lane, uint64_t seen) {
    const uint32_t number = kymo_state_number(seen);
    const struct kymo_block *block =
        (const struct kymo_block *)(const void *)kymo_block_at(lane, number);
    const uint64_t before = (uint64_t)block->events[1] << 32 | block->events[0];
    return number != 0u ? before + ((uint32_t)seen >> 16) : 0u;
}

/* Enters the block after the one that was claimed last, unless a handler claims it now: one that preempts this
 * context while the block is prepared takes another. False: a preempted context holds the block. */
static bool enter_block(struct kymo_lane *lane, uint32_t claimed, uint64_t seen) {
    const uint32_t number = claimed + 1u;
    lane->core = (uint8_t)kymo_lane_index(lane);
    const uint64_t now = kymo_arch_clock64();
    if (number - (KYMO_LOAD(lane->pin) - 1u) >= KYMO_RING_BLOCKS) {
        return false;
    }
    kymo_run_start();
    /* A reader sees the pin before it. */
    if (!__atomic_compare_exchange_n(&lane->number, &claimed, number, false, __ATOMIC_RELEASE,
                                     RELAXED)) {
        return true; /* a handler did: look again */
    }
    const uint64_t events = events_before(lane, seen);
    const struct kymo_block head = {.number = number,
                                    .run = kymo_run.number,
                                    .session = kymo_run.session,
                                    .context = (uint32_t)KYMO_LOAD(lane->context),
                                    .events = {(uint32_t)events, (uint32_t)(events >> 32)},
                                    .time = {(uint32_t)now, (uint32_t)(now >> 32)}};
    kymo_block_begin(lane, &head, BLOCK_WORDS - KYMO_BLOCK_HEAD_WORDS);
    if (exchange(lane, seen, fresh(number))) {
        open_fast_path(lane, now);
    }
    return true;
}

/* ---- recording ---- */

static uint32_t *refuse(struct kymo_lane *lane, uint32_t events) {
    (void)__atomic_fetch_add(&lane->lost, events, RELAXED);
    close_block(lane);
    return NULL;
}

/* The clock in a record of its own, before the first record after the limit. */
static uint32_t *write_clock(struct kymo_lane *lane, uint32_t *at, uint64_t time) {
    KYMO_STORE(at[1], (uint32_t)(time >> 29));
    KYMO_PUBLISH(at[0], (uint32_t)(time << 3) | KYMO_TAG_CLOCK64);
    open_fast_path(lane, time);
    return at + KYMO_CELL_WORDS;
}

/* Pinned. The place of a record and its *time. NULL: refused; as "lost" events, unless recording is stopped. Only in
 * the block that was claimed last: a reader does not come back to an earlier one. */
static uint32_t *reserve(struct kymo_lane *lane, uint32_t cells, uint32_t events, uint32_t lost,
                         uint32_t *time) {
    if (KYMO_UNLIKELY(kymo_lane_is_shared(lane))) {
        return refuse(lane, lost);
    }
    for (uint32_t i = 0u; i < TRIES; i++) {
        const uint32_t claimed = KYMO_LOAD(lane->number);
        const uint64_t seen = kymo_state(lane);
        const kymo_clock_t limit = KYMO_LOAD(lane->limit);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        const uint64_t now = kymo_arch_clock64();
        const bool due = (KYMO_ARCH_CLOCK_BITS == 32 && KYMO_LOAD(lane->attention)) ||
                         kymo_clock_is_past((kymo_clock_t)now, limit);
        const uint32_t need = cells + (due ? 1u : 0u);
        if (KYMO_UNLIKELY(due) && KYMO_LOAD(kymo_stopped)) {
            close_block(lane);
            return NULL;
        }
        if (KYMO_UNLIKELY(kymo_state_room(seen) < need) ||
            KYMO_UNLIKELY(kymo_state_number(seen) != claimed)) {
            if (!enter_block(lane, claimed, seen)) {
                break;
            }
        } else if (exchange(lane, seen, seen + events * ONE_EVENT - need)) {
            uint32_t *at = kymo_state_place(lane, seen);
            *time = (uint32_t)now;
            return due ? write_clock(lane, at, now) : at;
        }
    }
    return refuse(lane, lost);
}

/* A record of two words. "lost" is for how many events it counts where it is refused. */
static bool record(struct kymo_lane *lane, uint32_t word, uint32_t lost) {
    const bool is_mine = set_pin(lane);
    uint32_t time = 0u;
    uint32_t *at = reserve(lane, 1u, 1u, lost, &time);
    if (at != NULL) {
        KYMO_STORE(at[1], time);
        KYMO_PUBLISH(at[0], word);
    }
    clear_pin(lane, is_mine);
    return at != NULL;
}

/* A refused begin counts for two: its end will not be recorded either. A first word of 0 would end the block. */
KYMO_INLINE_ struct kymo_lane *begin_zone(const struct kymo_site *site) {
    struct kymo_lane *lane = kymo_lane_here();
    if (KYMO_UNLIKELY(site == NULL)) {
        kymo_usage_error(KYMO_USAGE_NO_SITE);
        return NULL;
    }
    return record(lane, (uint32_t)(uintptr_t)site, 2u) ? lane : NULL;
}

KYMO_INLINE_ void end_zone(struct kymo_lane *owner) {
    if (owner == NULL) {
        return;
    }
    if (KYMO_LIKELY(kymo_lane_is_here(owner))) {
        (void)record(owner, KYMO_TAG_END32, 1u);
    } else {
        const uint32_t number = (uint32_t)kymo_lane_index(owner);
        (void)kymo_ring_long(KYMO_KIND_ZONE_END_ON, 0u, &number, 1u);
    }
}

/* ---- functions for ring_calls.h ---- */

#define TRIES_PLACE 0

struct place {
    struct kymo_lane *lane;
    uint32_t *at;
    uint32_t now;
    bool is_mine; /* the pin */
};

static inline void enter_lane(struct place *place) {
    place->lane = kymo_lane_here();
    place->is_mine = false;
}

/* Also for the reader: all that was reserved since is written. */
static inline void leave_lane(struct place *place) { clear_pin(place->lane, place->is_mine); }

/* No room is promised. The context was set before: a handler that preempts in between must switch back to it. */
static inline bool take_place(struct place *place, uint32_t cells, uint32_t promised,
                              uint32_t events, uint32_t lost) {
    (void)promised;
    place->is_mine = set_pin(place->lane);
    place->at = reserve(place->lane, cells, events, lost, &place->now);
    return place->at != NULL;
}

static inline void put_pair(struct place *place, uint32_t word) {
    KYMO_STORE(place->at[1], place->now);
    KYMO_PUBLISH(place->at[0], word);
}

static inline bool hold_place(struct place *place, uint32_t cells, uint32_t filling,
                              uint32_t lost) {
    (void)place;
    (void)cells;
    (void)filling;
    (void)lost;
    return true;
}

static inline uint32_t *word_of(const struct place *place, uint32_t index) {
    return place->at + index;
}

static inline void commit_place(struct place *place, uint32_t cells, uint32_t header) {
    (void)cells;
    KYMO_PUBLISH(place->at[0], header);
    leave_lane(place);
}

static inline void switch_refused(struct kymo_lane *lane) { (void)lane; }

/* A handler that ended its thread may have preempted a recording call. */
void kymo_ring_left(struct kymo_lane *lane) { KYMO_PUBLISH(lane->pin, 0u); }

#include "ring_calls.h"
#include "ring_unpromised.h"
#include "zone_calls.h"

#endif
