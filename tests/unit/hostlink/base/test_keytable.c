/* SPDX-License-Identifier: MIT */
#include "base/keytable.h"
#include "cases.h"

CASE(numbers_in_order_of_appearance) {
    struct keytable table = {0};
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 5000; i++) {
            uint32_t key = i * 2654435761u;
            assert_int_equal(keytable_add(&table, &key, sizeof key), i);
        }
    }
    assert_int_equal(table.count, 5000);
    keytable_free(&table);
    assert_int_equal(table.count, 0);
}

CASE(length_is_part_of_the_key) {
    struct keytable table = {0};
    assert_int_equal(keytable_add(&table, "", 0), 0);
    assert_int_equal(keytable_add(&table, "\0", 1), 1);
    assert_int_equal(keytable_add(&table, "\0\0", 2), 2);
    assert_int_equal(keytable_add(&table, "ab", 2), 3);
    assert_int_equal(keytable_add(&table, "abc", 3), 4);
    assert_int_equal(keytable_add(&table, "ab", 2), 3);
    assert_int_equal(keytable_add(&table, "", 0), 0);
    keytable_free(&table);
}
