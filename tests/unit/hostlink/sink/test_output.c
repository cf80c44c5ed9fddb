/* SPDX-License-Identifier: MIT */
/* The names of outputs, known facts before the run, and the other outputs when one fails. */
#include "sink/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "files.h"
#include "platform/file.h"
#include "sink/sink.h"

static struct outputs outputs;
static char why[256];

static bool add(const char *text) { return outputs_add(&outputs, text, why, sizeof why); }

FIXTURE(reset) {
    outputs = (struct outputs){0};
    return 0;
}

CASE(suffix_names_format, reset) {
    assert_true(add("a.csv"));
    assert_true(add("b/c.pftrace"));
    assert_true(add("d.json"));
    assert_true(add("e.kymo"));
    assert_int_equal(outputs.count, 3);
    assert_string_equal(outputs.list[0].sink->name, "csv");
    assert_string_equal(outputs.list[0].path, "a.csv");
    assert_string_equal(outputs.list[1].sink->name, "perfetto");
    assert_string_equal(outputs.list[2].sink->name, "chrome");
    assert_string_equal(outputs.capture, "e.kymo");
    assert_false(outputs_use_stdout(&outputs));
}

CASE(prefix_names_format, reset) {
    assert_true(add("csv:a.json"));
    assert_string_equal(outputs.list[0].sink->name, "csv");
    assert_string_equal(outputs.list[0].path, "a.json");
    assert_true(add("chrome:-"));
    assert_string_equal(outputs.list[1].path, "-");
    assert_true(outputs_use_stdout(&outputs));
    assert_true(add("kymo:/dev/null"));
    assert_string_equal(outputs.capture, "/dev/null");
    /* A prefix that is no format belongs to the name. */
    assert_true(add("x:y.csv"));
    assert_string_equal(outputs.list[2].path, "x:y.csv");
}

CASE(wrong_names, reset) {
    assert_false(add("a.cvs"));
    assert_non_null(strstr(why, "did you mean '.csv'"));
    assert_false(add("a"));
    assert_non_null(strstr(why, "FORMAT:PATH"));
    assert_false(add("-"));
    assert_false(add(""));
    assert_false(add(".csv"));
    assert_false(add("csv:"));
    assert_false(add(".kymo"));
    assert_int_equal(outputs.count, 0);
    assert_true(add("a.csv"));
    assert_false(add("chrome:a.csv"));
    assert_true(add("a.kymo"));
    assert_false(add("b.kymo"));
    assert_int_equal(outputs.count, 1);
}

CASE(not_more_than_fit, reset) {
    static char names[OUTPUTS_MAX + 1][16];
    for (int i = 0; i <= OUTPUTS_MAX; i++) {
        snprintf(names[i], sizeof names[i], "%d.csv", i);
        assert_int_equal(add(names[i]), i < OUTPUTS_MAX);
    }
    assert_int_equal(outputs.count, OUTPUTS_MAX);
}

CASE(check_leaves_no_trace, reset) {
    assert_int_equal(sys_make_folder(file_path("empty")), 0);
    assert_true(add(file_path("empty/new.csv")));
    assert_true(outputs_check(&outputs));
    assert_int_equal(sys_remove_folder(file_path("empty")), 0);
    assert_true(add(file_path("none/new.csv")));
    assert_false(outputs_check(&outputs));
}

CASE(one_that_fails_does_not_stop_others, reset) {
    const struct event session = {.kind = EVENT_SESSION, .u.session.image = "i"};
    assert_int_equal(sys_make_folder(file_path("folder.csv")), 0);
    assert_true(add(file_path("none/a.csv")));
    assert_true(add(file_path("folder.csv")));
    assert_true(add(file_path("good.csv")));
    outputs_open(&outputs);
    outputs_event(&outputs, &session);
    assert_false(outputs_close(&outputs));
    assert_int_equal(outputs.list[0].error, -ENOENT);
    assert_int_equal(outputs.list[1].error, -EISDIR);
    assert_int_equal(outputs.list[2].error, 0);
    char *content = file_read(file_path("good.csv"), NULL);
    assert_non_null(content);
    assert_memory_equal(content, "name,", 5);
    free(content);
}

static bool apart_from(const char *input) {
    const char *const inputs[] = {NULL, input};
    return outputs_apart(&outputs, inputs, 2);
}

static bool is_apart(const char *first, const char *second, const char *input) {
    outputs = (struct outputs){0};
    assert_true(add(first));
    assert_true(!second || add(second));
    return apart_from(input);
}

/* In any spelling of the file's name. */
CASE(no_output_is_the_input_or_another, reset) {
    static char input[512], upper[512], again[600];
    snprintf(input, sizeof input, "%s", file_path("in.json"));
    file_write(input, "capture");
    assert_false(is_apart(input, NULL, input));
    assert_false(is_apart("kymo:/nowhere/x", input, input));
    assert_true(is_apart(file_path("out.json"), NULL, input));
    assert_false(is_apart(input, file_path("./in.json"), NULL));

    /* Not there yet, and called in two ways. */
    snprintf(upper, sizeof upper, "%s", file_path("new.csv"));
    snprintf(again, sizeof again, "chrome:%s", file_path("./new.csv"));
    assert_false(is_apart(upper, again, NULL));
    assert_true(is_apart(upper, file_path("new.json"), NULL));
    snprintf(again, sizeof again, "kymo:%s", upper);
    assert_false(is_apart(upper, again, NULL));
}

CASES_BETWEEN(files_setup, files_teardown);
