/* SPDX-License-Identifier: MIT */
/* The table module: one set of rows as text, CSV and JSON. */
#include "sink/table.h"

#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "files.h"
#include "platform/memory_stream.h"

static const struct table_column columns[] = {
    {"name", "zone", TABLE_NAME, 0, 6, 0},          {"count", "count", TABLE_COUNT, 6, 0, 0},
    {"total_ns", "total", TABLE_TIME, 8, 0, 0},     {"share", NULL, TABLE_PERCENT, 0, 0, 0},
    {"p50_ns", NULL, TABLE_TIME, 0, 0, TABLE_JSON}, {NULL, "at", TABLE_AT, 0, 0, 0},
    {"value", "value", TABLE_VALUE, 0, 0, 0},       {"where", "where", TABLE_NAME, 0, 0, 0},
};

static void put(struct table *t, unsigned forms, const char *name, uint64_t count,
                uint64_t total_ns, double value) {
    table_row(t, forms);
    table_text(t, name);
    table_number(t, count);
    table_number(t, total_ns);
    table_real(t, 12.5);
    table_number(t, 7);
    table_number(t, UINT64_C(1234567890));
    if (count == 0) {
        table_nothing(t);
        table_text(t, "");
    } else {
        table_real(t, value);
        table_text(t, "a,\"b\"");
    }
}

static int64_t put_all(struct table_to *to, uint32_t limit) {
    struct table t;
    table_begin(&t, to, "things", "Things", limit);
    table_columns(&t, columns, sizeof columns / sizeof *columns);
    put(&t, TABLE_ALL, "gr\xc3\xbc\xc3\x9f", 3, 999, 0.1);
    put(&t, TABLE_ALL, "evil\x1b[2Jname", 20, 1500, -4.0);
    put(&t, TABLE_DATA, "aside", 0, 5, 0.0);
    put(&t, TABLE_ALL, "empty", 0, UINT64_C(2000000000), 0.0);
    return table_end(&t);
}

static char *text_of(struct table_to *to, uint32_t limit) {
    char *text = NULL;
    size_t length;
    to->form = TABLE_TEXT;
    to->text = memory_stream_open(&text, &length);
    assert_int_equal(put_all(to, limit), 3);
    assert_int_equal(memory_stream_close(to->text), 0);
    return text;
}

static char *data_of(struct table_to *to, enum table_form form) {
    const char *path = file_path("table");
    to->form = form;
    assert_int_equal(outfile_open(&to->out, path), 0);
    table_document(to);
    assert_int_equal(put_all(to, 1), 4);
    table_document_end(to);
    assert_int_equal(outfile_close(to->out), 0);
    return file_read(path, NULL);
}

/* Numbers are aligned right, names left; too wide cells are cut; no line ends with blanks. */
CASE(for_people) {
    struct table_to to = {0};
    char *text = text_of(&to, 0);
    assert_string_equal(text,
                        "Things\n"
                        "zone     count     total             at  value  where\n"
                        "gr\xc3\xbc\xc3\x9f         3    999 ns  1.234567890 s    0.1  a,\"b\"\n"
                        "evil..      20   1.50 us  1.234567890 s     -4  a,\"b\"\n"
                        "empty        0   2.00 s   1.234567890 s\n");
    free(text);
    text = text_of(&to, 1);
    assert_non_null(strstr(text, "and 2 more, which --csv has\n"));
    assert_null(strstr(text, "evil"));
    free(text);
}

CASE(as_csv) {
    struct table_to to = {0};
    char *text = data_of(&to, TABLE_CSV);
    assert_string_equal(text,
                        "name,count,total_ns,share,value,where\n"
                        "gr\xc3\xbc\xc3\x9f,3,999,12.5000,0.10000000000000001,\"a,\"\"b\"\"\"\n"
                        "evil\x1b[2Jname,20,1500,12.5000,-4,\"a,\"\"b\"\"\"\n"
                        "aside,0,5,12.5000,,\n"
                        "empty,0,2000000000,12.5000,,\n");
    free(text);
}

CASE(as_json) {
    struct table_to to = {.sort = "total", .top = 2};
    const char *path = file_path("json");
    to.form = TABLE_JSON;
    assert_int_equal(outfile_open(&to.out, path), 0);
    table_document(&to);
    assert_int_equal(put_all(&to, 0), 4);
    table_document_end(&to);
    assert_int_equal(outfile_close(to.out), 0);
    assert_true(to.sorted);
    char *text = file_read(path, NULL);
    assert_string_equal(
        text,
        "{\"version\":1,\n\"things\":[\n"
        "{\"name\":\"empty\",\"count\":0,\"total_ns\":2000000000,\"share\":12.5000,\"p50_ns\":7,"
        "\"value\":null,\"where\":\"\"},\n"
        "{\"name\":\"evil\\u001b[2Jname\",\"count\":20,\"total_ns\":1500,\"share\":12.5000,"
        "\"p50_ns\":7,\"value\":-4,\"where\":\"a,\\\"b\\\"\"}]}\n");
    free(text);
}

/* By the key or by the head, also of a column that this form does not have; equal rows keep their order. */
CASE(sorted) {
    struct table_to to = {.sort = "value"};
    char *text = text_of(&to, 0);
    assert_true(strstr(text, "gr") < strstr(text, "evil"));
    assert_true(strstr(text, "evil") < strstr(text, "empty"));
    free(text);
    to.sort = "name";
    text = text_of(&to, 0);
    assert_true(strstr(text, "empty") < strstr(text, "evil"));
    assert_true(strstr(text, "evil") < strstr(text, "gr"));
    free(text);
    to.sort = "share";
    text = text_of(&to, 0);
    assert_true(strstr(text, "gr") < strstr(text, "evil"));
    free(text);
    to = (struct table_to){.sort = "nothing"};
    free(text_of(&to, 0));
    assert_false(to.sorted);
}

CASES_BETWEEN(files_setup, files_teardown);
