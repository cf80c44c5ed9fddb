/* What stands at an address of this process: functions of the program, which is loaded anywhere, and of a library. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "client/own_symbols.h"

static uint64_t sorted_from;

static __attribute__((noinline)) uint64_t address_here(void) {
    return (uint64_t)(uintptr_t)__builtin_return_address(0);
}

static int compare(const void *left, const void *right) {
    sorted_from = (uint64_t)(uintptr_t)__builtin_return_address(0);
    return memcmp(left, right, 1);
}

static void finds_the_programs_function(void **state) {
    (void)state;
    struct own_symbols symbols = {0};
    const uint64_t address = address_here();
    const struct code_place *place = own_symbols_find(&symbols, address);
    assert_non_null(place);
    assert_int_equal(place->count, 1);
    assert_string_equal(place->lines[0].function, "finds_the_programs_function");
    assert_true(place->start < address && address <= place->start + place->bytes);
    assert_int_equal(place->start, (uint64_t)(uintptr_t)finds_the_programs_function);
    assert_ptr_equal(own_symbols_find(&symbols, address), place);
    assert_int_equal(symbols.count, 1);
    own_symbols_free(&symbols);
}

/* qsort() calls back: its name is in the library's table or not, the library's is known. */
static void finds_a_library(void **state) {
    (void)state;
    struct own_symbols symbols = {0};
    char bytes[] = "ba";
    qsort(bytes, 2, 1, compare);
    const struct code_place *place = own_symbols_find(&symbols, sorted_from);
    assert_non_null(place);
    assert_non_null(strstr(place->lines[0].file, "libc"));
    own_symbols_free(&symbols);
}

static void knows_nothing_of_data(void **state) {
    (void)state;
    struct own_symbols symbols = {0};
    char *block = malloc(10);
    assert_non_null(block);
    assert_null(own_symbols_find(&symbols, (uint64_t)(uintptr_t)block));
    assert_null(own_symbols_find(&symbols, 0));
    assert_null(own_symbols_find(&symbols, UINT64_MAX));
    assert_int_equal(symbols.count, 0);
    free(block);
    own_symbols_free(&symbols);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(finds_the_programs_function),
                                       cmocka_unit_test(finds_a_library),
                                       cmocka_unit_test(knows_nothing_of_data)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
