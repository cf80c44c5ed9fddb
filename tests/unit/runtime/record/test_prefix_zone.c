/* SPDX-License-Identifier: MIT */
/* A zone's begin with its call stack: an interrupt that reads, records and fills the ring preempts it at each
 * instruction. The reader finds both, next to each other, or neither; and a zone that has begun has its end. */
#include "cases.h"
#include "kymo/unwind.h"
#include "kymo_arch.h"
#include "preempt.h"
#include "preempt_each.h"
#include "ring/ring.h"

KYMO_SITE_DEFINE_GLOBAL(filler, KYMO_SITE_FRAME, "filler", 0u, 0u, NULL);
KYMO_SITE_DEFINE_GLOBAL(zone_site, KYMO_SITE_ZONE, "zone", 0u, 0u, NULL);

#define FRAMES 2u
#define ADDRESS 0x1234u

static uint32_t stacks, begins, ends;
static bool is_begin_next;
static kymo_zone zone;

uint32_t kymo_arch_unwind(uintptr_t *addresses, uint32_t count, uint32_t skip,
                          uintptr_t stack_end) {
    (void)skip, (void)stack_end;
    for (uint32_t i = 0u; i < count; i++) {
        addresses[i] = ADDRESS + i;
    }
    return count;
}

static void check_stack(const struct kymo_lane *lane, uint32_t header) {
    const uint32_t expected[1u + FRAMES] = {FRAMES, ADDRESS, ADDRESS + 1u};
    if (KYMO_LONG_WORDS(header) != 1u + FRAMES) {
        fake_broken("the stack is not whole");
    }
    for (uint32_t i = 0u; i < 1u + FRAMES; i++) {
        if (kymo_ring_word(lane, 2u + i) != expected[i]) {
            fake_broken("a word of the stack is not what was recorded");
        }
    }
    stacks++;
}

static void read_all(void) {
    struct kymo_lane *lane = &kymo_lanes[0];
    uint32_t header = 0u;
    uint32_t words;
    while ((words = kymo_ring_peek(lane, &header)) != 0u) {
        const uint32_t tag = header & KYMO_TAG_MASK;
        const bool is_begin = tag == KYMO_TAG_BEGIN;
        if (is_begin_next != is_begin) {
            fake_broken("one of the two stands alone");
        }
        is_begin_next =
            tag == KYMO_TAG_LONG && KYMO_LONG_KIND(header) == (uint32_t)KYMO_KIND_CALLSTACK;
        if (is_begin_next) {
            check_stack(lane, header);
        }
        begins += is_begin ? 1u : 0u;
        ends += tag == KYMO_TAG_END32 || tag == KYMO_TAG_END64 ? 1u : 0u;
        preempt_count_read(lane, header);
        kymo_ring_consume(lane, words);
    }
}

static void interrupt(void) {
    read_all();
    if (is_begin_next) {
        fake_broken("the reader finds the stack only");
    }
}

static void forget(void) {
    stacks = begins = ends = 0u;
    is_begin_next = false;
}

static void begin_zone(void) { zone = kymo_zone_begin_stack(&zone_site, FRAMES); }

/* Refused is the zone only by a ring that is full; its end never, as long as the ring is not overwritten. */
static void check(bool has_room) {
    assert_true(zone != NULL || !has_room);
    if (!KYMO_KEEP_NEWEST) {
        for (uint32_t i = 0u; i < KYMO_RING_BYTES / KYMO_CELL_BYTES; i++) {
            kymo_frame(&filler);
        }
    }
    kymo_zone_end(zone);
    read_all();
    assert_false(is_begin_next);
    assert_int_equal(begins, zone != NULL);
    assert_int_equal(stacks, begins);
    assert_int_equal(ends, begins);
}

static const struct preempted_call test = {forget, begin_zone, interrupt, check};

CASE(both_are_found_and_nothing_between) { preempt_each_with_room(&test); }

CASE(both_or_none_at_the_end_of_the_room) { preempt_each_at_the_end(&test); }

CASES_BETWEEN(preempt_set_up, NULL);
