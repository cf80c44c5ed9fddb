/* SPDX-License-Identifier: MIT */
/* A sample with its call stack: an interrupt that reads, records and fills the ring preempts it at each instruction.
 * The reader finds both, next to each other, or neither. And a sample that preempts a zone's begin and end is whole, as
 * they are. */
#include <string.h>

#include "cases.h"
#include "kymo/sample.h"
#include "kymo/unwind.h"
#include "kymo_arch.h"
#include "preempt.h"
#include "preempt_each.h"
#include "record/divide.h"
#include "ring/ring.h"
#include "trace.h"

KYMO_SITE_DEFINE_GLOBAL(filler, KYMO_SITE_FRAME, "filler", 0u, 0u, NULL);
KYMO_SITE_DEFINE_GLOBAL(zone_site, KYMO_SITE_ZONE, "zone", 0u, 0u, NULL);

#define FRAMES 2u
#define PC 0x1233u

static uint32_t stacks, samples, begins, ends;
static bool is_sample_next;
static bool samples_inside; /* the interrupt takes one */
static bool has_sampled;    /* it has */
static kymo_zone zone;
static const struct kymo_interrupted preempted = {.pc = PC};

uint32_t kymo_arch_unwind(uintptr_t *addresses, uint32_t count, uint32_t skip,
                          uintptr_t stack_end) {
    (void)skip, (void)stack_end;
    for (uint32_t i = 0u; i < count; i++) {
        addresses[i] = PC + i;
    }
    return count;
}

static void check_stack(const struct kymo_lane *lane, uint32_t header) {
    const uint32_t expected[1u + FRAMES] = {FRAMES, PC + 1u, PC + 2u};
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

static bool is_of_kind(uint32_t header, enum kymo_event_kind kind) {
    return (header & KYMO_TAG_MASK) == KYMO_TAG_LONG && KYMO_LONG_KIND(header) == (uint32_t)kind;
}

static void read_all(void) {
    struct kymo_lane *lane = &kymo_lanes[0];
    uint32_t header = 0u;
    uint32_t words;
    while ((words = kymo_ring_peek(lane, &header)) != 0u) {
        const uint32_t tag = header & KYMO_TAG_MASK;
        const bool is_sample = is_of_kind(header, KYMO_KIND_SAMPLE);
        if (is_sample_next != is_sample) {
            fake_broken("one of the two stands alone");
        }
        is_sample_next = is_of_kind(header, KYMO_KIND_CALLSTACK);
        if (is_sample_next) {
            check_stack(lane, header);
        }
        samples += is_sample ? 1u : 0u;
        begins += tag == KYMO_TAG_BEGIN ? 1u : 0u;
        ends += tag == KYMO_TAG_END32 || tag == KYMO_TAG_END64 ? 1u : 0u;
        preempt_count_read(lane, header);
        kymo_ring_consume(lane, words);
    }
}

static void interrupt(void) {
    read_all();
    if (is_sample_next) {
        fake_broken("the reader finds the stack only");
    }
    if (samples_inside) {
        fake.clock += 100000u;
        (void)kymo_sample(&preempted);
        has_sampled = true;
    }
}

static void forget(void) {
    stacks = samples = begins = ends = 0u;
    is_sample_next = has_sampled = false;
    kymo_sample_rate(1000u);
    kymo_sample_restart();
    (void)kymo_sample(&preempted);
    fake.clock += 100000u;
    kymo_frame(&filler); /* the lane has its ring from its first event on */
    read_all();
}

static void fill(void) {
    for (uint32_t i = 0u; !KYMO_KEEP_NEWEST && i < KYMO_RING_BYTES / KYMO_CELL_BYTES; i++) {
        kymo_frame(&filler);
    }
}

/* ---- a sample that is preempted ---- */

static void take(void) { (void)kymo_sample(&preempted); }

static void begin_taking(void) {
    samples_inside = false;
    forget();
}

static void check_taken(bool has_room) {
    fill();
    read_all();
    assert_false(is_sample_next);
    assert_int_equal(stacks, samples);
    assert_true(samples <= 1u && (samples == 1u || !has_room));
}

static const struct preempted_call taking = {begin_taking, take, interrupt, check_taken};

CASE(both_are_found_and_nothing_between) { preempt_each_with_room(&taking); }

CASE(both_or_none_at_the_end_of_the_room) { preempt_each_at_the_end(&taking); }

/* ---- a sample that preempts ---- */

static void run_zone(void) {
    zone = kymo_zone_begin(&zone_site);
    kymo_zone_end(zone);
}

static void begin_zone(void) {
    samples_inside = true;
    forget();
}

static void check_zone(bool has_room) {
    assert_true(zone != NULL || !has_room);
    fill();
    read_all();
    assert_false(is_sample_next);
    assert_int_equal(stacks, samples);
    assert_int_equal(begins, zone != NULL);
    assert_int_equal(ends, begins);
    assert_true(samples == (has_sampled ? 1u : 0u) || !has_room);
}

static const struct preempted_call zone_run = {begin_zone, run_zone, interrupt, check_zone};

CASE(a_zone_and_a_sample_in_it_are_whole) { preempt_each_with_room(&zone_run); }

CASE(they_are_at_the_end_of_the_room) { preempt_each_at_the_end(&zone_run); }

/* ---- the cost of lateness ---- */

/* Instructions of a sample that comes so many ticks after it is due. */
static uint32_t instructions(uint32_t late) {
    fake_reset();
    trace_power_up();
    memset(preempts, 0, sizeof preempts);
    preempt_level = 0u;
    kymo_init(NULL, "late");
    kymo_sample_rate(1000u);
    kymo_sample_restart();
    fake.clock += kymo_sample(&preempted);
    fake.clock += kymo_sample(&preempted); /* the lane has its ring */
    fake.clock += late;
    preempt_find(true);
    preempt_around(true);
    (void)kymo_sample(&preempted);
    preempt_around(false);
    preempt_find(false);
    return preempt_place_count();
}

/* The duration of a sample delays the next one, so a late one must not take much longer. */
CASE(a_late_one_costs_little_more) {
    const uint32_t in_time = instructions(0u);
    assert_in_range(in_time, 20u, PREEMPT_PLACES - 1u);
    assert_in_range(instructions(2000u), in_time, in_time + 64u);
}

/* The results are those of the core's division. */
CASE(it_divides) {
    static const uint64_t numbers[] = {
        0u, 1u, 2u, 3u, 1000u, 0xffffffffu, 0x100000000u, (uint64_t)1 << 62, INT64_MAX, UINT64_MAX};
    for (uint32_t i = 0u; i < 100u; i++) {
        const uint64_t dividend = numbers[i / 10u] + (i & 1u);
        const uint64_t divisor = numbers[i % 10u] != 0u ? numbers[i % 10u] : 7u;
        uint64_t rest = 0u;
        assert_true(kymo_divide(dividend, divisor, &rest) == dividend / divisor);
        assert_true(rest == dividend % divisor);
    }
}

CASES_BETWEEN(preempt_set_up, NULL);
