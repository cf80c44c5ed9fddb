/* SPDX-License-Identifier: MIT */
#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

#include "cases.h"

/* Elements stay as they are, however often the list moves. */
CASE(a_list_grows) {
    uint64_t *list = NULL;
    uint32_t capacity = 0;
    for (uint32_t i = 0; i < 100000; i++) {
        assert_true(grow(&list, &capacity, i, sizeof *list));
        assert_true(capacity > i);
        list[i] = i * UINT64_C(0x100000001);
    }
    for (uint32_t i = 0; i < 100000; i++) {
        assert_int_equal(list[i], i * UINT64_C(0x100000001));
    }
    free(list);
}

/* Also those between the old end and the element that is wanted, and after it. */
CASE(new_elements_are_zero) {
    char *list = NULL;
    uint32_t capacity = 0;
    for (uint32_t i = 0; i < 100000; i = capacity + 1000) {
        const uint32_t before = capacity;
        assert_true(grow_zeroed(&list, &capacity, i, sizeof *list));
        for (uint32_t at = 0; at < capacity; at++) {
            assert_int_equal(list[at], at < before);
        }
        memset(list, 1, capacity);
    }
    free(list);
}

CASE(what_cannot_be_is_refused) {
    static const uint64_t never[] = {UINT32_MAX / 2, UINT32_MAX, UINT64_C(1) << 32, UINT64_MAX};
    char *list = NULL;
    uint32_t capacity = 0;
    assert_true(grow(&list, &capacity, 0, sizeof *list));
    const uint32_t before = capacity;
    list[0] = 7;
    for (size_t i = 0; i < sizeof never / sizeof *never; i++) {
        assert_false(grow(&list, &capacity, never[i], sizeof *list));
        assert_int_equal(capacity, before);
        assert_int_equal(list[0], 7);
    }
    free(list);
}
