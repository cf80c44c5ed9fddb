/* SPDX-License-Identifier: MIT */
/* The walk by frame pointers, on this machine: a chain of records, and rubbish of all kinds. The stack lies between two
 * pages that fault. */
#include <string.h>
#include <sys/mman.h>

#include "cases.h"
#include "frames.c"

#define PAGE 4096u
#define WORDS (PAGE / sizeof(uintptr_t))
#define MOST 32u

static uintptr_t *stack;
static uint32_t random_state;

static uint32_t any(uint32_t below) {
    random_state = random_state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)random_state * below >> 32);
}

static uintptr_t at(size_t word) { return (uintptr_t)(stack + word); }

FIXTURE(set_up) {
    if (stack == NULL) {
        uint8_t *pages =
            mmap(NULL, 3u * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        assert_true(pages != MAP_FAILED);
        assert_int_equal(mprotect(pages, PAGE, PROT_NONE), 0);
        assert_int_equal(mprotect(pages + 2u * PAGE, PAGE, PROT_NONE), 0);
        stack = (uintptr_t *)(void *)(pages + PAGE);
    }
    memset(stack, 0, PAGE);
    random_state = 1u;
    return 0;
}

/* A record of a frame at a word: the frame pointer of its caller, and its return address. */
static void put_record(size_t word, uintptr_t next, uintptr_t address) {
    stack[word] = next;
    stack[word + 1u] = address;
}

static void make_chain(void) {
    put_record(10u, at(20u), 1000u);
    put_record(20u, at(22u), 1001u);
    put_record(22u, at(WORDS - 2u), 1002u);
    put_record(WORDS - 2u, 0u, 1003u);
}

CASE(a_chain_is_walked_to_its_end, set_up) {
    uintptr_t addresses[MOST];
    make_chain();
    assert_int_equal(walk(at(10u), at(WORDS), addresses, MOST, 0u, 0u), 4u);
    for (uint32_t i = 0u; i < 4u; i++) {
        assert_int_equal(addresses[i], 1000u + i);
    }
    assert_int_equal(walk(at(10u), at(WORDS), addresses, 2u, 1u, 0u), 2u);
    assert_int_equal(addresses[0], 1001u);
    assert_int_equal(walk(at(10u), at(WORDS), addresses, MOST, 4u, 0u), 0u);
    assert_int_equal(walk(at(10u), at(WORDS), addresses, 0u, 0u, 0u), 0u);
}

CASE(nothing_beyond_the_stack_is_read, set_up) {
    uintptr_t addresses[MOST];
    make_chain();
    assert_int_equal(walk(at(10u), at(WORDS - 1u), addresses, MOST, 0u, 0u), 3u);
    assert_int_equal(walk(at(10u), at(WORDS) - 1u, addresses, MOST, 0u, 0u), 3u);
    assert_int_equal(walk(at(10u), at(11u), addresses, MOST, 0u, 0u), 0u);
    assert_int_equal(walk(at(10u), 0u, addresses, MOST, 0u, 0u), 0u);
    assert_int_equal(walk(at(WORDS), UINTPTR_MAX - 15u, addresses, 0u, 0u, 0u), 0u);
}

CASE(circles_and_steps_down_end_the_walk, set_up) {
    uintptr_t addresses[MOST];
    const uintptr_t wrong[] = {at(10u),      at(20u),     at(21u), at(24u) + 2u,
                               at(24u) - 4u, UINTPTR_MAX, 0u};
    make_chain();
    for (uint32_t i = 0u; i < sizeof wrong / sizeof wrong[0]; i++) {
        stack[20] = wrong[i];
        assert_int_equal(walk(at(10u), at(WORDS), addresses, MOST, 0u, 0u), 2u);
    }
    make_chain();
    stack[21] = 0u; /* no return address */
    assert_int_equal(walk(at(10u), at(WORDS), addresses, MOST, 0u, 0u), 1u);
}

/* Mostly within the stack, mostly aligned. */
static uintptr_t any_place(void) { return at(WORDS - any(66u)) + (any(8u) == 0u ? any(9u) : 0u); }

CASE(rubbish_does_not_lead_out_of_the_stack, set_up) {
    uintptr_t addresses[MOST];
    uint64_t found = 0u;
    for (uint32_t round = 0u; round < 200000u; round++) {
        for (uint32_t i = 0u; i < 64u; i++) {
            stack[WORDS - 1u - i] = any(16u) == 0u ? any(UINT32_MAX) : any_place();
        }
        const uintptr_t end = at(WORDS) - (any(2u) == 0u ? any(17u) : 0u);
        const uint32_t count = walk(any_place(), end, addresses, MOST, any(2u), 0u);
        assert_true(count <= MOST);
        found += count;
    }
    assert_true(found > 100000u); /* or the walks were over at once */
}

/* The stack ends KYMO_STACK_BYTES above the preempted stack pointer, and the walk stays in it. */
CASE(samples_begin_at_a_frame_pointer, set_up) {
    uintptr_t addresses[MOST] = {0u};
    struct kymo_interrupted preempted = {.pc = 1u, .stack = at(WORDS) - KYMO_STACK_BYTES};
    const size_t first = WORDS - KYMO_STACK_BYTES / sizeof(uintptr_t);
    put_record(first, at(first + 4u), 1000u);
    put_record(first + 4u, at(WORDS - 2u), 1001u);
    put_record(WORDS - 2u, 0u, 1002u);
    preempted.frame = at(first);
    assert_int_equal(kymo_unwind_interrupted(&preempted, addresses, MOST), 3u);
    assert_int_equal(addresses[0], 1000u);
    assert_int_equal(addresses[2], 1002u);
    assert_int_equal(kymo_unwind_interrupted(&preempted, addresses, 2u), 2u);
    assert_int_equal(kymo_unwind_interrupted(&preempted, addresses, 0u), 0u);
    /* Values of the register in code that was compiled without frames. */
    const uintptr_t wrong[] = {1u,        at(first) - 8u,   at(first) + 1u,
                               at(WORDS), at(WORDS) - 8u,   UINTPTR_MAX,
                               at(0u),    UINTPTR_MAX - 15u};
    for (uint32_t i = 0u; i < sizeof wrong / sizeof wrong[0]; i++) {
        preempted.frame = wrong[i];
        assert_int_equal(kymo_unwind_interrupted(&preempted, addresses, MOST), 0u);
    }
}

/* First stands what may be the caller of the code that was interrupted, marked, if it is another address than the walk
 * begins with, and there is room. */
CASE(what_may_be_a_caller_is_marked, set_up) {
    uintptr_t addresses[MOST] = {0u};
    const size_t first = WORDS - KYMO_STACK_BYTES / sizeof(uintptr_t);
    struct kymo_interrupted preempted = {
        .pc = 1u, .frame = at(first + 4u), .stack = at(first), .link = 900u};
    put_record(first + 4u, at(WORDS - 2u), 1001u);
    put_record(WORDS - 2u, 0u, 1002u);
    assert_int_equal(kymo_unwind_interrupted(&preempted, addresses, MOST), 4u);
    assert_int_equal(addresses[0], KYMO_STACK_HELD);
    assert_int_equal(addresses[1], 900u);
    assert_int_equal(addresses[2], 1001u);
    assert_int_equal(addresses[3], 1002u);
    addresses[3] = 77u;
    assert_int_equal(kymo_unwind_interrupted(&preempted, addresses, 3u), 3u); /* it goes first */
    assert_int_equal(addresses[0], KYMO_STACK_HELD);
    assert_int_equal(addresses[2], 1001u);
    assert_int_equal(addresses[3], 77u);
    preempted.frame = 0u; /* nothing else is known */
    assert_int_equal(kymo_unwind_interrupted(&preempted, addresses, MOST), 2u);
    assert_int_equal(kymo_unwind_interrupted(&preempted, addresses, 1u), 0u);
    preempted.frame = at(first + 4u);
    preempted.link = 1001u;
    assert_int_equal(kymo_unwind_interrupted(&preempted, addresses, MOST), 2u);
    preempted.link = KYMO_STACK_HELD; /* not code */
    assert_int_equal(kymo_unwind_interrupted(&preempted, addresses, MOST), 2u);
    preempted.stack = at(WORDS) - sizeof(uintptr_t) + 1u;
    preempted.frame = preempted.link = 0u;
    assert_int_equal(kymo_unwind_interrupted(&preempted, addresses, MOST), 0u);
}

/* Each code that was interrupted may lack its caller, as where a handler is interrupted in its turn; not where the word
 * below the record says the same as the next record. */
CASE(each_interrupt_marks_what_may_be_a_caller, set_up) {
    uintptr_t addresses[MOST] = {0u};
    const uintptr_t expected[] = {1000u, KYMO_STACK_HELD, 901u, 1001u, 1002u, 1003u};
    make_chain();
    put_record(10u, at(20u) | 1u, 1000u);
    stack[9] = 900u; /* below the stack that is read */
    put_record(20u, at(24u) | 1u, 1001u);
    put_record(24u, at(WORDS - 2u), 1002u);
    stack[19] = 1002u;
    assert_int_equal(walk(at(10u), at(WORDS), addresses, MOST, 0u, 0u), 4u);
    assert_int_equal(addresses[2], 1002u);
    put_record(16u, at(20u) | 1u, 1000u);
    put_record(12u, at(16u), 999u);
    stack[15] = 901u;
    assert_int_equal(walk(at(12u), at(WORDS), addresses, MOST, 1u, 0u), 6u);
    for (uint32_t i = 0u; i < 6u; i++) {
        assert_int_equal(addresses[i], expected[i]);
    }
    assert_int_equal(walk(at(12u), at(WORDS), addresses, MOST, 2u, 0u),
                     3u); /* of none that was left out */
    assert_int_equal(addresses[0], 1001u);
    assert_int_equal(walk(at(12u), at(WORDS), addresses, 2u, 1u, 0u), 2u); /* no room for both */
    assert_int_equal(addresses[1], 1001u);
    stack[19] = 902u;
    assert_int_equal(walk(at(12u), at(WORDS), addresses, MOST, 1u, 0u), 8u);
    assert_int_equal(addresses[4], KYMO_STACK_HELD);
    assert_int_equal(addresses[5], 902u);
}

/* A number of arguments where a return address would be: a program's stack begins with it. */
CASE(one_is_no_return_address, set_up) {
    uintptr_t addresses[MOST];
    make_chain();
    stack[23] = 1u;
    assert_int_equal(walk(at(10u), at(WORDS), addresses, MOST, 0u, 0u), 2u);
}
