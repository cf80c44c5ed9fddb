/* SPDX-License-Identifier: MIT */
/* A record with a prefix: an interrupt that reads, records and fills the ring preempts it at each instruction. The
 * reader finds both, next to each other, or neither. */
#include <string.h>

#include "cases.h"
#include "kymo_arch.h"
#include "preempt.h"
#include "preempt_each.h"
#include "ring/ring.h"
#include "trace.h"

#define FIRST KYMO_KIND_ZONE_TEXT
#define SECOND KYMO_KIND_ZONE_VALUE
#define FIRST_WORDS 3u
#define SECOND_WORDS 2u

static uint32_t pairs;
static bool is_second_next;

/* Reads the ring, in order. The contents are those of the call, or the test ends. */
static void read_all(void) {
    struct kymo_lane *lane = &kymo_lanes[0];
    uint32_t header = 0u;
    uint32_t words;
    while ((words = kymo_ring_peek(lane, &header)) != 0u) {
        const bool is_long = (header & KYMO_TAG_MASK) == KYMO_TAG_LONG;
        const uint32_t kind = is_long ? KYMO_LONG_KIND(header) : 0u;
        if (is_second_next != (is_long && kind == SECOND)) {
            fake_broken("one of the two stands alone");
        }
        is_second_next = is_long && kind == FIRST;
        for (uint32_t i = 0u;
             is_long && (kind == FIRST || kind == SECOND) && i < KYMO_LONG_WORDS(header); i++) {
            if (kymo_ring_word(lane, 2u + i) != 10u * kind + i) {
                fake_broken("a word is not what was recorded");
            }
        }
        pairs += is_long && kind == SECOND ? 1u : 0u;
        preempt_count_read(lane, header);
        kymo_ring_consume(lane, words);
    }
}

static void interrupt(void) {
    read_all();
    if (is_second_next) {
        fake_broken("the reader finds the first one only");
    }
}

static void record(void) {
    uint32_t words[2][FIRST_WORDS];
    for (uint32_t i = 0u; i < FIRST_WORDS; i++) {
        words[0][i] = 10u * FIRST + i;
        words[1][i] = 10u * SECOND + i;
    }
    const struct kymo_long prefix = {.kind = FIRST, .count = FIRST_WORDS, .words = words[0]};
    const struct kymo_long event = {.kind = SECOND, .count = SECOND_WORDS, .words = words[1]};
    kymo_ring_long_with(&prefix, &event);
}

static void forget(void) {
    pairs = 0u;
    is_second_next = false;
}

/* Refused is the pair only by a ring that is full. */
static void check(bool has_room) {
    read_all();
    assert_false(is_second_next);
    assert_in_range(pairs, has_room ? 1u : 0u, 1u);
}

static const struct preempted_call test = {forget, record, interrupt, check};

CASE(both_are_found_and_nothing_between) { preempt_each_with_room(&test); }

CASE(both_or_none_at_the_end_of_the_room) { preempt_each_at_the_end(&test); }

/* Both together have the room of one event. */
CASE(a_long_prefix_is_cut) {
    uint32_t words[KYMO_PAYLOAD_WORDS + 4u];
    uint32_t header = 0u;
    memset(words, 0, sizeof words);
    for (uint32_t count = 0u; count < KYMO_PAYLOAD_WORDS + 4u; count++) {
        const struct kymo_long prefix = {
            .kind = FIRST, .count = KYMO_PAYLOAD_WORDS + 4u, .words = words};
        const struct kymo_long event = {.kind = SECOND, .count = count, .words = words};
        fake_reset();
        trace_power_up();
        kymo_init(NULL, "prefix");
        kymo_ring_long_with(&prefix, &event);
        uint32_t sum = 0u;
        uint32_t cells = 0u;
        uint32_t length;
        while ((length = kymo_ring_peek(&kymo_lanes[0], &header)) != 0u) {
            if ((header & KYMO_TAG_MASK) == KYMO_TAG_LONG) {
                sum += KYMO_LONG_WORDS(header);
                cells += KYMO_LONG_CELLS(header);
            }
            kymo_ring_consume(&kymo_lanes[0], length);
        }
        assert_in_range(sum, count < KYMO_PAYLOAD_WORDS ? count : KYMO_PAYLOAD_WORDS,
                        KYMO_PAYLOAD_WORDS);
        assert_in_range(cells, 1u, kymo_cells_of(KYMO_KIND_MESSAGE, KYMO_PAYLOAD_WORDS));
    }
}

CASES_BETWEEN(preempt_set_up, NULL);
