/* SPDX-License-Identifier: MIT */
#include "sink/json_text.h"

#include <stdlib.h>

#include "cases.h"
#include "files.h"

CASE(escapes) {
    struct outfile *out;
    const char *path = file_path("json");
    static const char awkward[] = "a\"b\\c/\n\t\x01\x7f\xc3\xbc\xc2\x9b\xff\0z</b>\xe2\x80\xa8";
    assert_int_equal(outfile_open(&out, path), 0);
    json_text(out, awkward, sizeof awkward - 1);
    json_text(out, "", 0);
    assert_int_equal(outfile_close(out), 0);
    char *text = file_read(path, NULL);
    assert_string_equal(text,
                        "\"a\\\"b\\\\c/\\u000a\\u0009\\u0001\\u007f\xc3\xbc\\u009b\xef\xbf\xbd"
                        "\\u0000z\\u003c/b>\\u2028\"\"\"");
    free(text);
}

CASE(times) {
    static const int64_t times_ns[] = {0, 1, 999, 1000, 1234567, -5, INT64_MAX};
    char text[sizeof times_ns / sizeof *times_ns * JSON_TIME_BYTES], *at = text;
    for (size_t i = 0; i < sizeof times_ns / sizeof *times_ns; i++) {
        at = json_put_time(at, times_ns[i]);
        *at++ = ' ';
    }
    *at = '\0';
    assert_string_equal(text, "0.000 0.001 0.999 1.000 1234.567 0.000 9223372036854775.807 ");
}

CASES_BETWEEN(files_setup, files_teardown);
