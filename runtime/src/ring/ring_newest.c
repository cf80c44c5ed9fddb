/* SPDX-License-Identifier: MIT */
/* The ring of a lane that keeps the newest: a flight recorder. One core writes it, as in ring_masked.c, and
 * never finds it full: the ring is divided into blocks, and an event that needs room starts a block, which
 * discards the oldest one. A block's head is enough to read the block alone.
 *
 * A record exists from the moment its first word is not 0: that word is written last, and the word after each
 * record is 0 before. So a reset at any instruction leaves only whole records.
 *
 * model: tests/model/newest.pml */
#include "newest.h"

#if KYMO_ENABLE && KYMO_KEEP_NEWEST && !KYMO_ARCH_ATOMIC

KYMO_INLINE_ void write_pair(struct kymo_lane *lane, uint32_t first, uint32_t second) {
    uint32_t *write = lane->write;
    write[2] = 0u;
    write[1] = second;
    KYMO_PUBLISH(write[0], first);
    lane->write = write + KYMO_CELL_WORDS;
}

/* ---- after a reset ---- */

/* The number of the newest block of a lane and the latest run in it, each 0 if it has none. */
static uint32_t newest_of(const struct kymo_lane *lane, uint32_t *run) {
    struct kymo_block head;
    uint32_t newest = 0u;
    for (uint32_t place = 0u; place < KYMO_RING_BLOCKS; place++) {
        uint32_t number = kymo_block_at(lane, place)[1];
        if (number % KYMO_RING_BLOCKS == place && kymo_block_read(lane, number, &head) &&
            number > newest) {
            newest = number;
            *run = head.run;
        }
    }
    return newest;
}

/* The latest run of all lanes; 0 if that is not asked any more. */
static uint32_t latest_run(void) {
    uint32_t latest = 0u;
    for (uint32_t i = 0u; i < KYMO_LANES && kymo_run.number == 0u; i++) {
        uint32_t run = 0u;
        (void)newest_of(&kymo_lanes[i], &run);
        latest = run > latest ? run : latest;
    }
    return latest;
}

/* The session's id differs from those of other runs, also where power was off between. */
static void start_run(uint32_t latest) {
    if (kymo_run.number == 0u) {
        kymo_run.session =
            kymo_sum_add(kymo_run.fingerprint ^ (uint32_t)kymo_arch_clock64(), latest);
        kymo_run.number = latest + 1u;
    }
}

/* The oldest block after which no block is missing, or else the next one. */
static uint32_t oldest_before(const struct kymo_lane *lane, uint32_t newest) {
    struct kymo_block head;
    uint32_t oldest = newest + 1u;
    while (newest + 1u - oldest < KYMO_RING_BLOCKS && kymo_block_read(lane, oldest - 1u, &head)) {
        oldest--;
    }
    return oldest;
}

/* Events of a lane up to the end of its newest block; 0 if it has none. */
static uint32_t events_before(const struct kymo_lane *lane, uint32_t newest) {
    struct kymo_block head;
    if (!kymo_block_read(lane, newest, &head)) {
        return 0u;
    }
    const uint32_t *word = kymo_block_at(lane, newest);
    const uint32_t *end = word + BLOCK_WORDS;
    uint32_t events = head.earlier + head.events[0];
    uint32_t words = KYMO_BLOCK_HEAD_WORDS;
    while (words != 0u && words < (uint32_t)(end - word)) {
        word += words;
        words = kymo_record_words(*word);
        events += words != 0u ? kymo_record_events(*word) : 0u;
    }
    return events;
}

static void go_on_behind_sent(const struct kymo_lane *lane, uint32_t oldest,
                              struct kymo_past *past) {
    const struct kymo_sent *sent = &kymo_sent[kymo_lane_index(lane)];
    const uint32_t *words = (const uint32_t *)(const void *)sent;
    const bool known = sent->check == kymo_block_check(kymo_run.fingerprint, words + 1) &&
                       sent->number <= past->newest;
    struct kymo_block head;
    past->tail_number = known && sent->number > oldest ? sent->number : oldest;
    past->passed = past->earlier;
    past->skip = 0u;
    past->reported = false;
    if (!kymo_block_read(lane, past->tail_number, &head)) {
        return;
    }
    past->passed = head.earlier;
    if (known && head.run == sent->run) {
        past->passed += sent->events[0];
        past->reported = sent->number >= oldest;
        past->skip = past->reported ? sent->words : 0u;
    }
}

void kymo_lane_look(const struct kymo_lane *lane, struct kymo_past *past) {
    uint32_t run = 0u;
    kymo_know_image();
    past->latest_run = latest_run();
    past->newest = newest_of(lane, &run);
    past->earlier = events_before(lane, past->newest);
    go_on_behind_sent(lane, oldest_before(lane, past->newest), past);
}

void kymo_lane_wake(struct kymo_lane *lane, const struct kymo_past *past) {
    if (lane->awake) {
        return;
    }
    start_run(past->latest_run);
    lane->earlier = past->earlier;
    lane->tail_number = past->tail_number;
    lane->passed = past->passed;
    lane->skip = past->skip;
    lane->reported = past->reported;
    lane->number = past->newest;
    KYMO_PUBLISH(lane->awake, true);
}

/* Called for the first event, masked. A look takes ten instructions for each word of a site, and more for each block
 * and each record of one: so interrupts are let in. They look too if they record, and find the same. A caller that is
 * moved to another core meanwhile looks there masked, so that no other move holds it up. */
static __attribute__((noinline)) struct kymo_lane *wake_here(struct kymo_lane *lane,
                                                             kymo_arch_state state) {
    struct kymo_past past;
    if (kymo_lane_is_unknown(lane) || KYMO_LOAD(kymo_stopped)) {
        return lane;
    }
    kymo_arch_unmask(state);
    kymo_lane_look(lane, &past);
    (void)kymo_arch_mask();
    struct kymo_lane *here = kymo_lane_here();
    if (kymo_lane_is_unknown(here)) {
        return here;
    }
    if (here != lane) {
        kymo_lane_look(here, &past);
    }
    kymo_lane_wake(here, &past);
    return here;
}

/* ---- recording ---- */

/* The number first: a reader of the block that is given up must see it before anything changes there. */
static void enter_block(struct kymo_lane *lane) {
    const uint64_t now = kymo_arch_clock64();
    lane->emitted_halves += (lane->emitted_halves ^ lane->emitted >> 31) & 1u;
    const struct kymo_block head = {.number = lane->number + 1u,
                                    .run = kymo_run.number,
                                    .session = kymo_run.session,
                                    .context = (uint32_t)lane->context,
                                    .events = {lane->emitted, lane->emitted_halves >> 1},
                                    .time = {(uint32_t)now, (uint32_t)(now >> 32)},
                                    .earlier = lane->earlier};
    KYMO_PUBLISH(lane->number, head.number);
    kymo_block_begin(lane, &head, 1u);
    lane->write = kymo_block_at(lane, head.number) + KYMO_BLOCK_HEAD_WORDS;
    lane->core = (uint8_t)kymo_lane_index(lane);
}

/* The limit of records: the 0 after the last one fits. */
static uintptr_t block_end(const struct kymo_lane *lane) {
    return (uintptr_t)(kymo_block_at(lane, lane->number) + BLOCK_WORDS) - KYMO_CELL_BYTES;
}

static bool fits(const struct kymo_lane *lane, uint32_t need) {
    return lane->write != NULL && (uintptr_t)lane->write + need <= block_end(lane);
}

/* The slow path, masked. False: refused, and counted only where there is no lane. After a stop a new block
 * begins, as the lane's context may have changed meanwhile. The caller may be on another lane afterwards. */
static __attribute__((noinline)) bool take_slow(struct kymo_lane **here, uint32_t need,
                                                uint32_t events, uint32_t lost,
                                                kymo_arch_state state) {
    if (KYMO_UNLIKELY(!(*here)->awake)) {
        *here = wake_here(*here, state);
    }
    struct kymo_lane *lane = *here;
    if (KYMO_LOAD(kymo_stopped)) {
        if (lane->write != NULL) {
            lane->write = kymo_block_at(lane, lane->number) + BLOCK_WORDS - KYMO_CELL_WORDS;
        }
        return false;
    }
    if (kymo_lane_is_unknown(lane)) {
        lane->lost += lost;
        return false;
    }
    const kymo_clock_t now = kymo_arch_clock();
    if (!fits(lane, need + KYMO_CELL_BYTES)) {
        enter_block(lane);
    } else if (kymo_clock_is_past(now, lane->limit)) {
        const uint64_t whole = kymo_arch_clock64();
        write_pair(lane, (uint32_t)(whole << 3) | KYMO_TAG_CLOCK64, (uint32_t)(whole >> 29));
    }
    lane->limit = now + KYMO_CLOCK_SPAN;
    kymo_ring_resume(lane, block_end(lane));
    lane->emitted += events;
    return true;
}

/* Masked. True: there are "need" bytes at lane->write, for a record of the time *now. */
KYMO_INLINE_ bool is_fast(const struct kymo_lane *lane, uint32_t need, kymo_clock_t *now) {
    const uintptr_t end = (uintptr_t)lane->write + need;
    *now = kymo_arch_clock();
    return !(KYMO_UNLIKELY(end > KYMO_LOAD_SHARED(lane->run_end)) ||
             (KYMO_LIMIT_IN_FAST_PATH && KYMO_UNLIKELY(kymo_clock_is_past(*now, lane->limit))));
}

/* A record of two words, if there is nothing else to do; so that the fast path needs no stack frame. */
KYMO_INLINE_ bool record_fast(struct kymo_lane *lane, uint32_t word) {
    kymo_clock_t now;
    if (!is_fast(lane, KYMO_CELL_BYTES, &now)) {
        return false;
    }
    lane->emitted++;
    write_pair(lane, word, (uint32_t)now);
    return true;
}

/* Returns the lane that has it; NULL: refused. */
static __attribute__((noinline)) struct kymo_lane *record_slow(struct kymo_lane *lane,
                                                               uint32_t word, uint32_t lost,
                                                               kymo_arch_state state) {
    const bool taken = take_slow(&lane, KYMO_CELL_BYTES, 1u, lost, state);
    if (taken) {
        write_pair(lane, word, (uint32_t)kymo_arch_clock());
    }
    kymo_arch_unmask(state);
    return taken ? lane : NULL;
}

static __attribute__((noinline)) struct kymo_lane *begin_slow(const struct kymo_site *site,
                                                              struct kymo_lane *lane,
                                                              kymo_arch_state state) {
    if (site == NULL) {
        kymo_usage_error(KYMO_USAGE_NO_SITE);
        kymo_arch_unmask(state);
        return NULL;
    }
    /* Refused, its end will not be recorded either. */
    return record_slow(lane, (uint32_t)(uintptr_t)site, 2u, state);
}

/* A first word of 0 would end the block. */
KYMO_INLINE_ struct kymo_lane *begin_zone(const struct kymo_site *site) {
    kymo_arch_state state = kymo_arch_mask();
    struct kymo_lane *lane = kymo_lane_here();
    if (KYMO_UNLIKELY(site == NULL) || !record_fast(lane, (uint32_t)(uintptr_t)site)) {
        return begin_slow(site, lane, state);
    }
    kymo_arch_unmask(state);
    return lane;
}

/* On another core than it began on. */
static __attribute__((noinline)) void end_on_other_lane(const struct kymo_lane *owner,
                                                        kymo_arch_state state) {
    const uint32_t number = (uint32_t)kymo_lane_index(owner);
    kymo_arch_unmask(state);
    (void)kymo_ring_long(KYMO_KIND_ZONE_END_ON, 0u, &number, 1u);
}

KYMO_INLINE_ void end_zone(struct kymo_lane *owner) {
    if (owner == NULL) {
        return;
    }
    kymo_arch_state state = kymo_arch_mask();
    if (KYMO_UNLIKELY(!kymo_lane_is_here(owner))) {
        end_on_other_lane(owner, state);
        return;
    }
    if (!record_fast(owner, KYMO_TAG_END32)) {
        (void)record_slow(owner, KYMO_TAG_END32, 1u, state);
        return;
    }
    kymo_arch_unmask(state);
}

/* ---- functions for ring_calls.h ---- */

#define TRIES_PLACE 0

#include "ring_masked_place.h"

/* No room is promised: it is never refused. */
KYMO_INLINE_ bool take_place(struct place *place, uint32_t cells, uint32_t promised,
                             uint32_t events, uint32_t lost) {
    const uint32_t need = cells * KYMO_CELL_BYTES;
    (void)promised;
    if (KYMO_LIKELY(is_fast(place->lane, need, &place->now))) {
        place->lane->emitted += events;
        return true;
    }
    const bool taken = take_slow(&place->lane, need, events, lost, place->state);
    place->now = kymo_arch_clock(); /* not before that of the records it follows */
    return taken;
}

KYMO_INLINE_ void put_pair(struct place *place, uint32_t word) {
    write_pair(place->lane, word, (uint32_t)place->now);
}

/* Interrupts are kept out until it is written: those that would come meanwhile could go round the ring. */
KYMO_INLINE_ bool hold_place(struct place *place, uint32_t cells, uint32_t filling, uint32_t lost) {
    (void)cells;
    (void)filling;
    (void)lost;
    place->at = place->lane->write;
    return true;
}

static inline uint32_t *word_of(const struct place *place, uint32_t index) {
    return place->at + index;
}

KYMO_INLINE_ void commit_place(struct place *place, uint32_t cells, uint32_t header) {
    place->lane->write = place->at + (size_t)cells * KYMO_CELL_WORDS;
    *place->lane->write = 0u;
    KYMO_PUBLISH(place->at[0], header);
    kymo_arch_unmask(place->state);
}

static inline void switch_refused(struct kymo_lane *lane) { (void)lane; }

#include "ring_calls.h"
#include "ring_unpromised.h"
#include "zone_calls.h"

#endif
