/* SPDX-License-Identifier: MIT */
/* What a file of unit tests begins with: cmocka with the headers it needs, and CASE(), which makes a test of the
 * function that follows it. The program's main() is in cases.c. */
#ifndef TEST_CASES_H
#define TEST_CASES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* CASE(name), CASE(name, set_up) or CASE(name, set_up, tear_down), then the test's body, which may use "state". */
#define CASE(...) CASE_FROM_(__VA_ARGS__, NULL, NULL, NULL)
#define CASE_FROM_(name, set_up, tear_down, ...)                                                   \
    static void name(void **state);                                                                \
    __attribute__((constructor)) static void add_##name(void) {                                    \
        const struct CMUnitTest case_ = cmocka_unit_test_setup_teardown(name, set_up, tear_down);  \
        cases_add(__FILE__, __LINE__, &case_);                                                     \
    }                                                                                              \
    static void name(__attribute__((unused)) void **state)

/* A set_up or tear_down, whose body ends with "return 0;". */
#define FIXTURE(name) static int name(__attribute__((unused)) void **state)

/* Tests as cmocka's macros have them: of functions that several files use, or more than once. */
#define CASES(which, ...)                                                                          \
    __attribute__((constructor)) static void add_##which(void) {                                   \
        const struct CMUnitTest cases_[] = {__VA_ARGS__};                                          \
        for (size_t i = 0u; i < sizeof cases_ / sizeof cases_[0]; i++) {                           \
            cases_add(__FILE__, __LINE__, &cases_[i]);                                             \
        }                                                                                          \
    }                                                                                              \
    _Static_assert(1, "takes the semicolon")

/* Before all of the file's tests, and after them. */
#define CASES_BETWEEN(set_up, tear_down)                                                           \
    __attribute__((constructor)) static void add_group(void) {                                     \
        cases_between(__FILE__, set_up, tear_down);                                                \
    }                                                                                              \
    _Static_assert(1, "takes the semicolon")

void cases_add(const char *file, int line, const struct CMUnitTest *test);
void cases_between(const char *file, CMFixtureFunction set_up, CMFixtureFunction tear_down);

#endif
