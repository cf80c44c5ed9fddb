/* The reader of a frame's fields: it gives what is there, and never reads beyond the end. */
#include "trace/decode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* "length" bytes of "bytes" are the frame; what is behind them belongs to somebody else. */
static struct reader reader_of(const char *bytes, size_t length) {
    return (struct reader){.bytes = (const uint8_t *)bytes, .length = length};
}

static void check_string(struct reader *reader, const char *text, size_t length) {
    size_t got = 99;
    const char *string = read_string(reader, &got);
    assert_int_equal(got, length);
    assert_memory_equal(string, text, length);
    assert_true(reader->at <= reader->length);
}

static void a_string_has_its_length_before_it(void **state) {
    (void)state;
    struct reader reader = reader_of("\3abc\0\1d", 7);
    check_string(&reader, "abc", 3);
    check_string(&reader, "", 0);
    check_string(&reader, "d", 1);
    assert_false(reader.bad);
    assert_int_equal(reader.at, 7);
}

static void a_string_beyond_the_end_is_none(void **state) {
    (void)state;
    struct reader one_more = reader_of("\4abcd", 4);
    check_string(&one_more, "", 0);
    assert_true(one_more.bad);
    struct reader longest = reader_of("\xff\xff\xff\xff\xff\xff\xff\xff\xff\1abcd", 12);
    check_string(&longest, "", 0);
    assert_true(longest.bad);
}

static void a_length_that_is_cut_is_none(void **state) {
    (void)state;
    struct reader reader = reader_of("\x83", 1);
    check_string(&reader, "", 0);
    assert_true(reader.bad);
    check_string(&reader, "", 0);
}

static void numbers_beyond_the_end_are_bad(void **state) {
    (void)state;
    struct reader reader = reader_of("\1\2\3\4\5\6\7\10\11", 9);
    assert_true(read_u64(&reader) == UINT64_C(0x0807060504030201));
    assert_int_equal(read_u8(&reader), 9);
    assert_false(reader.bad);
    assert_int_equal(read_u8(&reader), 0);
    assert_true(reader.bad);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_string_has_its_length_before_it),
        cmocka_unit_test(a_string_beyond_the_end_is_none),
        cmocka_unit_test(a_length_that_is_cut_is_none),
        cmocka_unit_test(numbers_beyond_the_end_are_bad),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
