/* SPDX-License-Identifier: MIT */
#include "base/intmap.h"
#include "cases.h"

#define KEYS 40000u

CASE(finds_what_was_added) {
    struct intmap map = {0};
    assert_int_equal(intmap_get(&map, 0), 0);
    for (uint32_t i = 0; i < KEYS; i++) {
        assert_int_equal(intmap_get(&map, i * UINT64_C(0x100000001)), 0);
        assert_int_equal(intmap_add(&map, i * UINT64_C(0x100000001), i + 1), 0);
    }
    for (uint32_t i = 0; i < KEYS; i++) {
        assert_int_equal(intmap_get(&map, i * UINT64_C(0x100000001)), i + 1);
    }
    assert_int_equal(intmap_get(&map, UINT64_MAX), 0);
    intmap_free(&map);
    assert_int_equal(intmap_get(&map, 0), 0);
}

/* Keys as they come: numbers in a row, addresses of objects of a size, pointers, numbers of lanes in the high half. */
CASE(steps_do_not_grow_with_the_keys) {
    static const uint64_t strides[] = {1, 2, 8, 24, 88, 256, 4096, UINT64_C(1) << 32};
    for (size_t k = 0; k < sizeof strides / sizeof strides[0]; k++) {
        for (uint32_t keys = 10; keys <= KEYS; keys *= 2) {
            struct intmap map = {0};
            for (uint32_t i = 0; i < keys; i++) {
                assert_int_equal(intmap_add(&map, UINT64_C(0x7f12345600) + i * strides[k], 1), 0);
            }
            for (uint32_t i = 0; i < keys; i++) {
                assert_int_equal(intmap_get(&map, UINT64_C(0x7f12345600) + i * strides[k]), 1);
            }
            assert_true(map.steps <= keys);
            intmap_free(&map);
        }
    }
}
