/* SPDX-License-Identifier: MIT */
/* The consumer of rings that keep the newest. The producer does not wait for it: the consumer copies records, and
 * accepts a copy only if its block was not given up meanwhile. Runs before the last reset come first. */
#include "../ring/newest.h"
#include "../ring/ring.h"
#include "link.h"

#if KYMO_ENABLE && KYMO_KEEP_NEWEST

/* A long record has at most 60 words of payload, KYMO_PAYLOAD_WORDS, or those of a call stack. */
#define COPY_WORDS (KYMO_CALLSTACKS ? 128u : 64u)

struct kymo_sent kymo_sent[KYMO_LANES] KYMO_NOINIT;

/* The record that was peeked last, of whatever lane. */
static struct {
    uint32_t word[COPY_WORDS];
    const uint32_t *from; /* NULL: it is in no ring */
    uint32_t number;      /* of its block */
} copy;

/* The run that is read. */
static struct kymo_run reading;

/* ---- differences between the two kinds of rings ---- */

#if KYMO_ARCH_ATOMIC

static bool is_awake(const struct kymo_lane *lane) {
    (void)lane;
    return true;
}

/* Checked before a block's records are read: no context is still writing one that was reserved there. */
static bool is_settled(const struct kymo_lane *lane) {
    const uint32_t pin = KYMO_ACQUIRE(lane->pin);
    return pin == 0u || (int32_t)(pin - 1u - lane->tail_number) > 0;
}

static const uint32_t *written_to(const struct kymo_lane *lane) {
    return kymo_state_place(lane, kymo_state(lane));
}

static void wake_lanes(void) { kymo_run_start(); }

#else

static bool is_awake(const struct kymo_lane *lane) { return KYMO_ACQUIRE(lane->awake); }

static bool is_settled(const struct kymo_lane *lane) {
    (void)lane;
    return true;
}

static const uint32_t *written_to(const struct kymo_lane *lane) { return KYMO_LOAD(lane->write); }

static void wake_lanes(void) {
    struct kymo_past past;
    for (uint32_t i = 0u; i < KYMO_LANES; i++) {
        if (KYMO_ACQUIRE(kymo_lanes[i].awake)) {
            continue;
        }
        kymo_lane_look(&kymo_lanes[i], &past);
        kymo_arch_state state = kymo_arch_mask();
        kymo_lane_wake(&kymo_lanes[i], &past);
        kymo_arch_unmask(state);
    }
}

#endif

/* ---- blocks ---- */

static const uint32_t *records_of(const struct kymo_lane *lane) {
    return kymo_block_at(lane, lane->tail_number) + KYMO_BLOCK_HEAD_WORDS;
}

/* Blocks from the one that is read to the newest; negative: that is still to come. */
static int32_t blocks_left(const struct kymo_lane *lane) {
    return (int32_t)(KYMO_ACQUIRE(lane->number) - lane->tail_number);
}

/* Called after reading: newer records may have overwritten those that were read. */
static bool was_given_up(const struct kymo_lane *lane) {
    KYMO_ACQUIRED();
    return blocks_left(lane) >= (int32_t)KYMO_RING_BLOCKS;
}

static void go_to_block(struct kymo_lane *lane, uint32_t number) {
    lane->tail_number = number;
    lane->tail = NULL;
    lane->skip = 0u;
    lane->reported = false;
}

/* Events of a run before a reset that were sent count for that run, and not for those before. */
static void take_over(struct kymo_lane *lane, uint32_t earlier) {
    const uint32_t sent = lane->passed - earlier;
    if ((int32_t)sent > 0) {
        lane->events += sent;
        lane->passed = earlier;
    }
}

/* The run that is read is over: the events missing up to the later one were overwritten, with runs between them. */
static void end_of_run(struct kymo_lane *lane, const struct kymo_block *later) {
    const uint32_t missing = later->earlier - (lane->passed + (uint32_t)lane->events);
    lane->block_events = lane->events + ((int32_t)missing > 0 ? missing : 0u);
    lane->time = lane->time != 0u ? lane->time : kymo_ring_now();
    lane->gap = 0u;
}

enum opening { OPENED, OF_A_LATER_RUN, NO_BLOCK };

static enum opening open_block(struct kymo_lane *lane) {
    struct kymo_block head;
    if (!kymo_block_read(lane, lane->tail_number, &head) || was_given_up(lane)) {
        return NO_BLOCK;
    }
    if (head.run != reading.number) {
        end_of_run(lane, &head);
        return OF_A_LATER_RUN;
    }
    kymo_link.out.work -= KYMO_WORK_BLOCK;
    const uint64_t time = (uint64_t)head.time[1] << 32 | head.time[0];
    lane->gap = lane->time != 0u ? (uint32_t)(time - lane->time) : 0u;
    lane->time = time;
    take_over(lane, head.earlier);
    lane->block_events =
        ((uint64_t)head.events[1] << 32 | head.events[0]) + (head.earlier - lane->passed);
    lane->block_context = head.context;
    if (lane->reported) {
        lane->reported = false;
        lane->events = lane->block_events;
        lane->context_out = kymo_wire_reference(head.context) ^ KYMO_MAIN_CONTEXT;
    }
    lane->opened = true;
    lane->tail = records_of(lane);
    return OPENED;
}

/* ---- records ---- */

static uint32_t make_up(uint32_t *header, uint32_t first, const struct kymo_lane *lane) {
    copy.from = NULL;
    copy.word[0] = *header = first;
    copy.word[1] = (uint32_t)lane->time;
    return KYMO_CELL_WORDS;
}

/* The loss of the events that were given up before the next block. */
static uint32_t peek_loss(struct kymo_lane *lane, uint32_t *header) {
    if (lane->block_events <= lane->events) {
        return 0u;
    }
    const uint64_t lost = lane->block_events - lane->events;
    copy.word[2] = lost < UINT32_MAX ? (uint32_t)lost : UINT32_MAX;
    copy.word[3] = lane->gap;
    return make_up(header, KYMO_LONG(KYMO_KIND_LOSS, 2u, 2u), lane) + KYMO_CELL_WORDS;
}

/* A switch sets the context before it begins a block. */
static bool begins_with_its_switch(const struct kymo_lane *lane) {
    return KYMO_LOAD(*lane->tail) == (lane->block_context | KYMO_TAG_CONTEXT);
}

/* At the start of a block: the loss, and the context of the lane, if its switch was lost. */
static uint32_t peek_head(struct kymo_lane *lane, uint32_t *header) {
    const uint32_t words = peek_loss(lane, header);
    if (words != 0u) {
        return words;
    }
    if ((kymo_wire_reference(lane->block_context) ^ KYMO_MAIN_CONTEXT) != lane->context_out &&
        !begins_with_its_switch(lane)) {
        return make_up(header, lane->block_context | KYMO_TAG_RESTATED, lane);
    }
    lane->opened = false;
    return 0u;
}

bool kymo_ring_is_copied(const struct kymo_lane *lane) {
    return copy.from != NULL && copy.from == lane->tail && copy.number == lane->tail_number;
}

static uint32_t copy_record(const struct kymo_lane *lane) {
    const uint32_t *end = kymo_block_at(lane, lane->tail_number) + BLOCK_WORDS;
    if (kymo_ring_is_copied(lane)) {
        return kymo_record_words(copy.word[0]);
    }
    const uint32_t first = lane->tail != end ? KYMO_ACQUIRE(*lane->tail) : 0u;
    const uint32_t length = kymo_record_words(first);
    if (length > (uint32_t)(end - lane->tail)) {
        return 0u;
    }
    kymo_link.out.work -= KYMO_WORK_CELL * (int32_t)(length / KYMO_CELL_WORDS);
    copy.from = length != 0u ? lane->tail : NULL;
    copy.number = lane->tail_number;
    for (uint32_t i = 0u; i < length; i += KYMO_CELL_WORDS) {
        copy.word[i] = KYMO_LOAD(lane->tail[i]);
        copy.word[i + 1u] = KYMO_LOAD(lane->tail[i + 1u]);
    }
    return length;
}

/* The block that is read, opened. */
static enum opening find_block(struct kymo_lane *lane, int32_t *left) {
    for (;;) {
        *left = blocks_left(lane);
        if (*left < 0) {
            return NO_BLOCK;
        }
        if (*left >= (int32_t)KYMO_RING_BLOCKS) {
            go_to_block(lane, lane->tail_number + (uint32_t)*left - (KYMO_RING_BLOCKS - 1u));
            continue;
        }
        const enum opening opening = lane->tail != NULL ? OPENED : open_block(lane);
        if (opening != NO_BLOCK || *left == 0) {
            return opening; /* NO_BLOCK: the last one is being entered */
        }
        if (!was_given_up(lane)) {
            go_to_block(lane, lane->tail_number + 1u); /* overwritten by something else */
        }
    }
}

uint32_t kymo_ring_peek(struct kymo_lane *lane, uint32_t *header) {
    int32_t left = 0;
    kymo_link.out.work -= KYMO_WORK_PEEK;
    while (is_awake(lane)) {
        const enum opening opening = find_block(lane, &left);
        if (opening != OPENED) {
            return opening == OF_A_LATER_RUN ? peek_loss(lane, header) : 0u;
        }
        uint32_t words = lane->opened ? peek_head(lane, header) : 0u;
        if (words != 0u) {
            return words;
        }
        const bool is_complete = left != 0 && is_settled(lane);
        words = copy_record(lane);
        if (was_given_up(lane)) {
            continue;
        }
        if (words != 0u) {
            *header = copy.word[0];
            return words;
        }
        if (!is_complete && kymo_ring_is_current()) {
            return 0u; /* so far */
        }
        go_to_block(lane, lane->tail_number + 1u);
    }
    return 0u;
}

uint32_t kymo_ring_word(const struct kymo_lane *lane, size_t index) {
    (void)lane;
    return copy.word[index];
}

void kymo_ring_consume(struct kymo_lane *lane, uint32_t words) {
    if (copy.from != NULL) {
        lane->tail += words;
    }
}

uint32_t kymo_ring_used_bytes(const struct kymo_lane *lane) {
    const int32_t left = blocks_left(lane);
    if (left == 0 && lane->tail != NULL) {
        return (uint32_t)(written_to(lane) - lane->tail) * 4u;
    }
    return left > 0 ? (uint32_t)left * BLOCK_BYTES : 0u;
}

/* ---- over a reset ---- */

bool kymo_ring_was_sent(const struct kymo_lane *lane) {
    return copy.from != NULL && (uint32_t)(lane->tail - records_of(lane)) < lane->skip;
}

/* The check last: half of it is nothing. */
void kymo_ring_sent(const struct kymo_lane *lane) {
    struct kymo_sent *sent = &kymo_sent[kymo_lane_index(lane)];
    sent->check = 0u;
    KYMO_RELEASE();
    sent->number = lane->tail_number;
    sent->run = reading.number;
    sent->words = lane->tail != NULL ? (uint32_t)(lane->tail - records_of(lane)) : 0u;
    sent->events[0] = (uint32_t)lane->events;
    sent->events[1] = (uint32_t)(lane->events >> 32);
    KYMO_PUBLISH(sent->check,
                 kymo_block_check(kymo_run.fingerprint, (const uint32_t *)(const void *)sent + 1));
}

/* The earliest run of which a lane still has something to be read. */
static void choose_run(void) {
    struct kymo_block head;
    /* By its members: for the whole gcc -Os calls memcpy(). */
    reading.number = kymo_run.number;
    reading.session = kymo_run.session;
    for (uint32_t i = 0u; i < KYMO_LANES; i++) {
        const struct kymo_lane *lane = &kymo_lanes[i];
        if (blocks_left(lane) >= 0 && kymo_block_read(lane, lane->tail_number, &head) &&
            head.run < reading.number) {
            reading.number = head.run;
            reading.session = head.session;
        }
    }
}

void kymo_ring_start(void) {
    copy.from = NULL;
    wake_lanes();
    choose_run();
}

uint32_t kymo_ring_session(void) { return reading.session; }

bool kymo_ring_is_current(void) { return reading.number == kymo_run.number; }

void kymo_ring_next_run(void) {
    for (uint32_t i = 0u; i < KYMO_LANES; i++) {
        struct kymo_lane *lane = &kymo_lanes[i];
        lane->passed += (uint32_t)lane->events;
        lane->events = 0u;
        lane->context_out = 0u;
        lane->time = 0u;
    }
    choose_run();
}

uint64_t kymo_ring_now(void) {
    uint64_t latest = 0u;
    for (uint32_t i = 0u; i < KYMO_LANES; i++) {
        const uint64_t time = kymo_lanes[i].time;
        latest = time > latest ? time : latest;
    }
    return kymo_ring_is_current() ? kymo_arch_clock64() : latest;
}

#endif
