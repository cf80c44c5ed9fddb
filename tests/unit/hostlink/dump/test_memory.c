/* SPDX-License-Identifier: MIT */
/* Memory images: raw bytes, and text that a tool made of them. */
#include "dump/memory.h"

#include <string.h>

#include "cases.h"

#define FIRST 0x20000000u

static const char *opened(const char *bytes, size_t length) {
    struct memory memory;
    const char *why = NULL;
    const int error = memory_open(&memory, (const uint8_t *)bytes, length, &why);
    assert_int_equal(error != 0, why != NULL);
    return why;
}

CASE(text_is_refused_by_its_first_characters) {
    static const struct {
        const char *begins, *named;
    } forms[] = {{":", "ihex"}, {"S", "srec"}, {"%", "tekhex"}, {"@", "verilog"}};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        char text[] = "?01aF9B";
        text[0] = forms[i].begins[0];
        const char *why = opened(text, 7);
        assert_non_null(why);
        assert_non_null(strstr(why, forms[i].named));
        /* Six characters are too few to tell, whatever follows them. */
        assert_null(opened(text, 6));
    }
}

CASE(bytes_that_begin_like_text_are_taken) {
    assert_null(opened("?01aF9B", 7));
    for (size_t at = 1; at <= 6; at++) {
        char text[] = ":01aF9B0";
        text[at] = 'G';
        assert_null(opened(text, 8));
    }
    assert_non_null(opened(":01aF9BG", 8)); /* a seventh digit is not needed */
    assert_null(opened("", 0));
}

CASE(raw_bytes_have_one_part_and_two_ends) {
    static const uint8_t bytes[16] = {1};
    struct memory memory;
    struct memory_part part;
    const char *why = NULL;
    uint32_t index = 0;
    assert_int_equal(memory_open(&memory, bytes, sizeof bytes, &why), 0);
    assert_false(memory.is_placed);
    memory_place(&memory, FIRST);
    assert_true(memory.is_placed);
    assert_true(memory_next(&memory, &index, &part));
    assert_int_equal(part.address, FIRST);
    assert_ptr_equal(part.bytes, bytes);
    assert_int_equal(part.length, sizeof bytes);
    assert_false(memory_next(&memory, &index, &part));

    assert_ptr_equal(memory_at(&memory, FIRST, 16), bytes);
    assert_ptr_equal(memory_at(&memory, FIRST + 15, 1), bytes + 15);
    assert_ptr_equal(memory_at(&memory, FIRST + 16, 0), bytes + 16);
    assert_null(memory_at(&memory, FIRST, 17));
    assert_null(memory_at(&memory, FIRST + 15, 2));
    assert_null(memory_at(&memory, FIRST - 1, 1));
    assert_null(memory_at(&memory, FIRST + 17, 0));
    assert_null(memory_at(&memory, FIRST + 8, SIZE_MAX));
}
