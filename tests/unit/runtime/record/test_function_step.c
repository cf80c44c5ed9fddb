/* SPDX-License-Identifier: MIT */
/* A function that is a zone by itself: an interrupt that reads, records, fills the ring and
 * calls such functions preempts it at each instruction, those of its begin and of its end among
 * them. Each begin has its end, and the interrupt's own calls come out right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "functions_called.h"
#include "kymo_arch.h"
#include "preempt.h"
#include "preempt_each.h"
#include "ring/ring.h"

#define FUNCTIONS 3u
static void (*const functions[FUNCTIONS])(void) = {called_work, called_leaf, called_handler};

static uint32_t begins[FUNCTIONS], ends[FUNCTIONS], interrupts;
static bool is_handled;

static uint32_t number_of(const struct kymo_lane *lane) {
    const uint64_t address = kymo_ring_word(lane, 2u) | (uint64_t)kymo_ring_word(lane, 3u) << 32;
    for (uint32_t i = 0u; i < FUNCTIONS; i++) {
        if ((uint64_t)(uintptr_t)functions[i] == address) {
            return i;
        }
    }
    fake_broken("the address of no function");
    return 0u;
}

static void read_all(void) {
    struct kymo_lane *lane = &kymo_lanes[0];
    uint32_t header = 0u;
    uint32_t words;
    while ((words = kymo_ring_peek(lane, &header)) != 0u) {
        const bool is_long = (header & KYMO_TAG_MASK) == KYMO_TAG_LONG;
        const uint32_t kind = is_long ? KYMO_LONG_KIND(header) : 0u;
        if (kind == KYMO_KIND_FUNCTION_BEGIN) {
            begins[number_of(lane)]++;
        } else if (kind == KYMO_KIND_FUNCTION_END) {
            ends[number_of(lane)]++;
        } else if (kind == KYMO_KIND_FUNCTION_LEFT) {
            fake_broken("a function that returned is said to be left");
        }
        preempt_count_read(lane, header);
        kymo_ring_consume(lane, words);
    }
}

static void interrupt(void) {
    read_all();
    if (is_handled) {
        called_handler();
    }
    interrupts++;
}

static void forget(void) {
    for (uint32_t i = 0u; i < FUNCTIONS; i++) {
        begins[i] = ends[i] = 0u;
    }
    interrupts = 0u;
}

static void check(bool has_room) {
    const uint32_t handled = is_handled ? interrupts : 0u;
    read_all();
    for (uint32_t i = 0u; i < FUNCTIONS; i++) {
        assert_true(KYMO_KEEP_NEWEST || begins[i] == ends[i]);
        assert_in_range(begins[i], 0u, i == 0u ? 1u : i == 1u ? 1u + handled : handled);
    }
    /* In a ring without a mask an event is refused while the one that it preempts looks for room. */
    if (has_room) {
        assert_int_equal(begins[0], 1u);
        assert_in_range(begins[1], KYMO_ARCH_ATOMIC ? 1u : 1u + handled, 1u + handled);
        assert_in_range(begins[2], KYMO_ARCH_ATOMIC ? 0u : handled, handled);
    }
}

static const struct preempted_call test = {forget, called_work, interrupt, check};

static int handled(void **state) {
    (void)state;
    is_handled = true;
    return 0;
}

static int not_handled(void **state) {
    (void)state;
    is_handled = false;
    return 0;
}

static void what_has_begun_ends(void **state) {
    (void)state;
    assert_true(preempt_each(&test, 0u, 0u, true) > 20u);
    (void)preempt_each(&test, 1u, 2u, true);
}

static void what_has_begun_ends_at_the_end_of_the_room(void **state) {
    (void)state;
    preempt_each_at_the_end(&test);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(what_has_begun_ends, not_handled),
        cmocka_unit_test_setup(what_has_begun_ends, handled),
        cmocka_unit_test_setup(what_has_begun_ends_at_the_end_of_the_room, not_handled),
        cmocka_unit_test_setup(what_has_begun_ends_at_the_end_of_the_room, handled),
    };
    called_work(); /* each run knows the first call's findings, for example how functions end */
    return cmocka_run_group_tests(tests, preempt_set_up, NULL);
}
