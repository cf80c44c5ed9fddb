/* SPDX-License-Identifier: MIT */
/* The part of cmocka that the unit tests use, for Windows alone: Debian has no cmocka for it. The names, and their
 * meaning, are cmocka's. Include <setjmp.h>, <stdarg.h>, <stddef.h> and <stdint.h> before it, as for cmocka's own. */
#ifndef TEST_WINDOWS_CMOCKA_H
#define TEST_WINDOWS_CMOCKA_H

#include <stdbool.h>

typedef int (*CMFixtureFunction)(void **state);

struct CMUnitTest {
    const char *name;
    void (*test)(void **state);
    CMFixtureFunction set_up, tear_down;
};

#define cmocka_unit_test(test) cmocka_unit_test_setup_teardown(test, NULL, NULL)
#define cmocka_unit_test_setup(test, set_up) cmocka_unit_test_setup_teardown(test, set_up, NULL)
#define cmocka_unit_test_teardown(test, tear_down)                                                 \
    cmocka_unit_test_setup_teardown(test, NULL, tear_down)
#define cmocka_unit_test_setup_teardown(test, set_up, tear_down)                                   \
    { #test, test, set_up, tear_down }
/* How many failed. */
int _cmocka_run_group_tests(const char *file, const struct CMUnitTest *cases, size_t count,
                            CMFixtureFunction set_up, CMFixtureFunction tear_down);

/* Each ends its case if it is wrong. */
struct case_place {
    const char *file;
    int line;
    const char *text; /* the asserted expression */
};
#define CASE_PLACE(...)                                                                            \
    (struct case_place) { __FILE__, __LINE__, #__VA_ARGS__ }
void case_true(struct case_place place, bool right);
void case_numbers(struct case_place place, uintmax_t got, uintmax_t expected, bool equal);
void case_range(struct case_place place, uintmax_t got, uintmax_t least, uintmax_t most);
void case_texts(struct case_place place, const char *got, const char *expected);
void case_bytes(struct case_place place, const void *got, const void *expected, size_t length);
void case_fail(struct case_place place, const char *format, ...);

#define assert_true(a) case_true(CASE_PLACE(a), !!(a))
#define assert_false(a) case_true(CASE_PLACE(!(a)), !(a))
#define assert_null(a) case_true(CASE_PLACE(!(a)), !(a))
#define assert_non_null(a) case_true(CASE_PLACE(a), !!(a))
#define assert_ptr_equal(a, b)                                                                     \
    case_true(CASE_PLACE((a) == (b)), (const void *)(a) == (const void *)(b))
#define assert_ptr_not_equal(a, b)                                                                 \
    case_true(CASE_PLACE((a) != (b)), (const void *)(a) != (const void *)(b))
#define assert_int_equal(a, b)                                                                     \
    case_numbers(CASE_PLACE(a == b), (uintmax_t)(a), (uintmax_t)(b), true)
#define assert_int_not_equal(a, b)                                                                 \
    case_numbers(CASE_PLACE(a != b), (uintmax_t)(a), (uintmax_t)(b), false)
#define assert_in_range(a, least, most)                                                            \
    case_range(CASE_PLACE(least <= a <= most), (uintmax_t)(a), (uintmax_t)(least),                 \
               (uintmax_t)(most))
#define assert_string_equal(a, b) case_texts(CASE_PLACE(a, b), a, b)
#define assert_memory_equal(a, b, length) case_bytes(CASE_PLACE(a, b, length), a, b, length)
#define fail() case_fail(CASE_PLACE(fail()), "%s", "")
#define fail_msg(...) case_fail(CASE_PLACE(fail()), __VA_ARGS__)

#endif
