/* SPDX-License-Identifier: MIT */
/* Names as Windows is given them. Wine takes long ones as they are, Windows only with their prefix. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include "cases.h"
#include "windows/names.h"

static wchar_t wide[NAME_WIDE];

CASE(short_ones_stay) {
    assert_true(name_to_wide("a/gr\xc3\xbc\xc3\x9f\x65", wide));
    assert_true(wcscmp(wide, L"a/gr\x00fc\x00df\x0065") == 0);
    assert_true(name_to_wide("\\\\.\\COM12", wide));
    assert_true(wcscmp(wide, L"\\\\.\\COM12") == 0);
}

CASE(long_ones_get_the_prefix) {
    static char path[NAME_WIDE + 8], text[NAME_WIDE];
    snprintf(path, sizeof path, "C:/a/./%0250u/../b", 1u);
    assert_true(name_to_wide(path, wide));
    assert_true(wcscmp(wide, L"\\\\?\\C:\\a\\b") == 0);
    snprintf(path, sizeof path, "C:/%0250u", 1u);
    assert_true(name_to_wide(path, wide) && name_to_utf8(wide, text, sizeof text));
    assert_memory_equal(text, "\\\\?\\C:\\", 7);
    assert_string_equal(text + 7, path + 3);
}

CASE(what_is_no_name) {
    static char path[2 * NAME_WIDE];
    memset(path, 'x', sizeof path - 1);
    assert_false(name_to_wide(path, wide));
    assert_false(name_to_wide("", wide));
    assert_int_equal(errno, ENOENT);
    assert_false(name_to_wide("\xff", wide));
    assert_int_equal(errno, ENOENT);
}

CASE(ports) {
    assert_string_equal(name_of_serial("COM1"), "COM1");
    assert_string_equal(name_of_serial("com256"), "com256");
    assert_string_equal(name_of_serial("\\\\.\\COM7"), "COM7");
    assert_string_equal(name_of_serial("//./COM7"), "COM7");
    assert_null(name_of_serial("COM"));
    assert_null(name_of_serial("COM1.txt"));
    assert_null(name_of_serial("C:/COM1"));
}
