/* SPDX-License-Identifier: MIT */
/* Live allocations: known facts about them, their memory, and the handling of too many. */
#include "base/liveset.h"

#include <stdlib.h>

#include "cases.h"

#define MILLION 1000000u

static struct liveset set;

FIXTURE(teardown) {
    liveset_free(&set);
    set = (struct liveset){0};
    return 0;
}

CASE(knows_numbers_by_pool_and_address, NULL, teardown) {
    assert_int_equal(liveset_remove(&set, 0, 0), 0);
    assert_true(liveset_add(&set, 0, 0, 1));
    assert_true(liveset_add(&set, 1, 0, UINT64_MAX));
    assert_true(liveset_add(&set, 0, UINT64_C(1) << 63, 3));
    assert_true(liveset_add(&set, 0, UINT64_C(1) << 63, 4)); /* again: the last one counts */
    assert_int_equal(set.used, 3);
    assert_int_equal(liveset_remove(&set, 1, 0), UINT64_MAX);
    assert_int_equal(liveset_remove(&set, 1, 0), 0);
    assert_int_equal(liveset_remove(&set, 0, 0), 1);
    assert_int_equal(liveset_remove(&set, 0, UINT64_C(1) << 63), 4);
    assert_int_equal(set.used, 0);
}

/* Against an array that has the same in the plainest form. */
CASE(agrees_with_an_array, NULL, teardown) {
    enum { ADDRESSES = 3000, STEPS = 400000 };
    static uint64_t wanted[2][ADDRESSES];
    uint32_t random = 1;
    size_t live = 0;
    for (int i = 0; i < STEPS; i++) {
        random = random * 1664525u + 1013904223u;
        const uint32_t pool = random >> 31, at = (random >> 8) % ADDRESSES;
        const uint64_t address = UINT64_C(0x20000000) + at * 8u;
        uint64_t *number = &wanted[pool][at];
        if ((random & 0x40) != 0) {
            assert_true(liveset_add(&set, pool, address, (uint64_t)i + 1));
            live += *number == 0;
            *number = (uint64_t)i + 1;
        } else {
            assert_int_equal(liveset_remove(&set, pool, address), *number);
            live -= *number != 0;
            *number = 0;
        }
        assert_int_equal(set.used, live);
    }
}

/* Each step of the growth, for addresses as allocators give them. */
CASE(takes_at_most_32_bytes_each, NULL, teardown) {
    static const uint64_t strides[] = {8, 16, 4096};
    for (size_t k = 0; k < sizeof strides / sizeof strides[0]; k++) {
        for (uint32_t i = 0; i < MILLION; i++) {
            assert_true(liveset_add(&set, 7, UINT64_C(0x20000000) + i * strides[k], i + 1));
            if (i >= 8192) {
                assert_true(liveset_bytes(&set) <= (uint64_t)set.used * 32);
            }
        }
        for (uint32_t i = 0; i < MILLION; i += 999) {
            assert_int_equal(liveset_remove(&set, 7, UINT64_C(0x20000000) + i * strides[k]), i + 1);
        }
        liveset_free(&set);
        assert_int_equal(liveset_bytes(&set), 0);
    }
}

static void count_visit(void *context, uint32_t pool, uint64_t address) {
    uint64_t *sum = context;
    *sum += pool * UINT64_C(1000000000) + address;
}

CASE(visits_each_once, NULL, teardown) {
    uint64_t sum = 0, wanted = 0;
    for (uint32_t i = 1; i < 1000; i++) {
        assert_true(liveset_add(&set, i % 3, i * 64u, i));
        wanted += i % 3 * UINT64_C(1000000000) + i * 64u;
    }
    liveset_each(&set, &sum, count_visit);
    assert_int_equal(sum, wanted);
    for (uint32_t pool = 0; pool < 4; pool++) {
        assert_int_equal(liveset_count(&set, pool), pool < 3 ? 333 : 0);
        liveset_each_of(&set, pool, &sum, count_visit);
    }
    assert_int_equal(sum, 2 * wanted);
    for (uint32_t i = 1; i < 1000; i++) {
        assert_int_equal(liveset_remove(&set, i % 3, i * 64u), i);
    }
    assert_int_equal(liveset_bytes(&set), 0); /* nor does a walk over nothing take long */
}

CASE(refuses_what_is_too_much_and_counts_it, NULL, teardown) {
    for (uint32_t i = 0; i < LIVESET_MAX; i++) {
        assert_true(liveset_add(&set, 0, i, 1));
    }
    assert_false(liveset_add(&set, 0, LIVESET_MAX, 1));
    assert_false(liveset_add(&set, 1, 0, 1));
    assert_int_equal(set.refused, 2);
    assert_int_equal(liveset_remove(&set, 0, 5), 1);
    assert_true(liveset_add(&set, 0, LIVESET_MAX, 1));
    liveset_free(&set);
    assert_int_equal(set.refused, 2);
}
