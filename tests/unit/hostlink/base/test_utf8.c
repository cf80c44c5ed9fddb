/* SPDX-License-Identifier: MIT */
#include "base/utf8.h"

#include <string.h>

#include "cases.h"

CASE(characters) {
    static const struct {
        const char *bytes;
        uint32_t character;
    } cases[] = {{"a", 'a'},
                 {"\x7f", 0x7f},
                 {"\xc2\x80", 0x80},
                 {"\xdf\xbf", 0x7ff},
                 {"\xe0\xa0\x80", 0x800},
                 {"\xed\x9f\xbf", 0xd7ff},
                 {"\xef\xbf\xbf", 0xffff},
                 {"\xf0\x90\x80\x80", 0x10000},
                 {"\xf4\x8f\xbf\xbf", 0x10ffff}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t character = 0;
        size_t length = strlen(cases[i].bytes);
        assert_int_equal(utf8_next(cases[i].bytes, length, &character), length);
        assert_int_equal(character, cases[i].character);
        assert_true(utf8_valid(cases[i].bytes, length));
        assert_int_equal(utf8_next(cases[i].bytes, 1, &character), 1); /* cut short */
    }
}

CASE(refused) {
    static const char *const cases[] = {
        "\x80",             /* continuation without a start */
        "\xc0\x80",         /* overlong NUL */
        "\xc1\xbf",         /* overlong */
        "\xe0\x9f\xbf",     /* overlong */
        "\xf0\x8f\xbf\xbf", /* overlong */
        "\xed\xa0\x80",     /* surrogate */
        "\xf4\x90\x80\x80", /* above U+10FFFF */
        "\xf5\x80\x80\x80",
        "\xff",
        "\xc3(",
        "\xe2\x82",
        "\xf0\x9f\x98",
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t character = 0;
        assert_int_equal(utf8_next(cases[i], strlen(cases[i]), &character), 1);
        assert_int_equal(character, UTF8_REPLACEMENT);
        assert_false(utf8_valid(cases[i], strlen(cases[i])));
    }
    assert_true(utf8_valid("", 0));
}

CASE(controls) {
    assert_true(utf8_is_control(0));
    assert_true(utf8_is_control(0x1b));
    assert_false(utf8_is_control(' '));
    assert_false(utf8_is_control('~'));
    assert_true(utf8_is_control(0x7f));
    assert_true(utf8_is_control(0x9b)); /* the one-byte form of ESC [ */
    assert_false(utf8_is_control(0xa0));
    assert_true(utf8_is_control(0x202e)); /* turn the text after them around */
    assert_true(utf8_is_control(0x2066));
    assert_false(utf8_is_control(0x202f));
    assert_false(utf8_is_control(0x206a));
}

CASE(cleaned) {
    char out[8];
    utf8_clean(out, sizeof out, "a\x1b[\xc2\x9b\xffz", 7);
    assert_string_equal(out, "a?[??z");
    utf8_clean(out, sizeof out, "12345\xe2\x82\xac", 8); /* a character is whole or not there */
    assert_string_equal(out, "12345");
    utf8_clean(out, sizeof out, "1234\xe2\x82\xac", 7);
    assert_string_equal(out, "1234\xe2\x82\xac");
    utf8_clean(out, 1, "abc", 3);
    assert_string_equal(out, "");
    utf8_clean(out, sizeof out, "", 0);
    assert_string_equal(out, "");
}

/* A cut leaves out a character that has no room, and all invalid bytes. */
CASE(cut) {
    assert_int_equal(utf8_cut("abc", 3, 3), 3);
    assert_int_equal(utf8_cut("abc", 3, 2), 2);
    assert_int_equal(utf8_cut("a\xf0\x9f\x98\x80z", 6, 5), 5);
    for (size_t limit = 1; limit < 5; limit++) {
        assert_int_equal(utf8_cut("a\xf0\x9f\x98\x80z", 6, limit), 1);
    }
    assert_int_equal(utf8_cut("\xe2\x82\xac", 3, 2), 0);
    assert_int_equal(utf8_cut("\x80\x80\x80\x80\x80\x80", 6, 5), 5);
}
