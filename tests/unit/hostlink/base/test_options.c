/* SPDX-License-Identifier: MIT */
#include "base/options.h"

#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "cases.h"
#include "platform/memory_stream.h"

enum { OUT, BAUD, QUIET };
struct settings {
    const char *out;
    uint32_t baud;
    bool quiet;
    char operands[16];
};

static int add_operand(void *context, const struct options *of) {
    struct settings *settings = context;
    if (strcmp(of->value, "bad") == 0) {
        return options_wrong(of, "not this one");
    }
    return strcat(settings->operands, of->value), 0;
}

static const struct option_spec table[] = {
    [OUT] = {"output", 'o', "OUT", "where to", OPTION_TEXT(out)},
    [BAUD] = {"baud", 'b', "N", "how fast", OPTION_COUNT(baud)},
    [QUIET] = {"quiet", 'q', NULL, "no words\nat all", OPTION_FLAG(quiet)},
    {.take = add_operand},
};

#define WORDS_MAX 8
static char words[WORDS_MAX][32];
static char *argv[WORDS_MAX + 1];
static struct options options;

/* "line" at its blanks; "." stands for an empty word. */
static void begin(const char *line) {
    size_t count = 0;
    for (; *line != '\0' && count < WORDS_MAX; count++) {
        size_t length = strcspn(line, " ");
        snprintf(words[count], sizeof words[count], "%.*s", (int)length, line);
        if (strcmp(words[count], ".") == 0) {
            words[count][0] = '\0';
        }
        argv[count] = words[count];
        line += length + (line[length] == ' ');
    }
    argv[count] = NULL;
    options = (struct options){.command = "test", .specs = table, .argv = argv};
}

static void expect(int option, const char *value) {
    assert_int_equal(options_next(&options), option);
    if (value) {
        assert_string_equal(options.value, value);
    }
}

CASE(all_forms) {
    begin("--output a -o b -oc --output=d -q --quiet e -");
    expect(OUT, "a");
    expect(OUT, "b");
    expect(OUT, "c");
    expect(OUT, "d");
    expect(QUIET, NULL);
    expect(QUIET, NULL);
    begin("--output= e - -- --quiet --");
    expect(OUT, "");
    expect(OPTIONS_OPERAND, "e");
    expect(OPTIONS_OPERAND, "-");
    expect(OPTIONS_OPERAND, "--quiet");
    expect(OPTIONS_OPERAND, "--");
    expect(OPTIONS_END, NULL);
    expect(OPTIONS_END, NULL);
}

CASE(help) {
    begin("--help");
    expect(OPTIONS_HELP, NULL);
    begin("-h");
    expect(OPTIONS_HELP, NULL);
}

CASE(wrong) {
    static const char *const lines[] = {
        "--outpu a", "--outputs=a", "-x",  "-qq",      "--quiet=1", "--output",
        "-o",        "--=",         "---", "--help=1", "-hx",       "--outputoutputoutputoutput"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        begin(lines[i]);
        expect(OPTIONS_WRONG, NULL);
    }
}

static bool number_of(const char *text, uint32_t *number) {
    begin("--baud");
    argv[1] = strcpy(words[1], text);
    argv[2] = NULL;
    expect(BAUD, text);
    return options_unsigned(&options, 2, 4000000000u, number);
}

CASE(numbers) {
    static const char *const not_these[] = {
        "", "1", "-3", " ", "4000000001", "x", "3 x", "0x9", "4294967298", "99999999999999999999"};
    uint32_t number = 7;
    for (size_t i = 0; i < sizeof not_these / sizeof not_these[0]; i++) {
        assert_false(number_of(not_these[i], &number));
        assert_int_equal(number, 7);
    }
    assert_true(number_of("2", &number));
    assert_int_equal(number, 2);
    assert_true(number_of("4000000000", &number));
    assert_int_equal(number, 4000000000u);
}

static bool seconds_of(const char *text, uint64_t *time_ns) {
    begin("--baud");
    argv[1] = strcpy(words[1], text);
    argv[2] = NULL;
    expect(BAUD, text);
    return options_seconds(&options, time_ns);
}

CASE(seconds) {
    static const char *const not_these[] = {"", "0", "-1", "nan", "inf", "1e10", "1s", "x"};
    uint64_t time_ns = 7;
    for (size_t i = 0; i < sizeof not_these / sizeof not_these[0]; i++) {
        assert_false(seconds_of(not_these[i], &time_ns));
        assert_int_equal(time_ns, 7);
    }
    assert_true(seconds_of("1.5", &time_ns));
    assert_int_equal(time_ns, 1500000000u);
    assert_true(seconds_of("1e9", &time_ns));
    assert_int_equal(time_ns, UINT64_C(1000000000000000000));
}

/* Each value is in its member; the first that is wrong ends it. */
CASE(each) {
    struct settings settings = {0};
    begin("a --baud 9600 -o b -q -- -q");
    assert_int_equal(options_each(&options, &settings), 0);
    assert_int_equal(settings.baud, 9600);
    assert_string_equal(settings.out, "b");
    assert_true(settings.quiet);
    assert_string_equal(settings.operands, "a-q");
    settings = (struct settings){0};
    begin("-b 0 -q");
    assert_int_equal(options_each(&options, &settings), OPTIONS_WRONG);
    begin("bad -q");
    assert_int_equal(options_each(&options, &settings), OPTIONS_WRONG);
    begin("-o c -h -q");
    assert_int_equal(options_each(&options, &settings), OPTIONS_HELP);
    assert_false(settings.quiet);
    assert_string_equal(settings.out, "c");
}

static const char *nearest_of(const char *typed) {
    static const char *const names[] = {"capture", "convert", "stats", "info"};
    struct nearest nearest = {.typed = typed};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        nearest_try(&nearest, names[i]);
    }
    return nearest.word;
}

CASE(nearest) {
    assert_string_equal(nearest_of("stat"), "stats");
    assert_string_equal(nearest_of("stast"), "stats");
    assert_string_equal(nearest_of("convret"), "convert");
    assert_string_equal(nearest_of("cap"), "capture");
    assert_string_equal(nearest_of("imfo"), "info");
    assert_null(nearest_of("ca"));
    assert_null(nearest_of(""));
    assert_null(nearest_of("firmware"));
    assert_null(nearest_of("statsstatsstatsstatsstatsstatsstatsstats"));
}

CASE(help_text) {
    char *text = NULL;
    size_t length = 0;
    FILE *out = memory_stream_open(&text, &length);
    assert_non_null(out);
    options_help(table, out);
    assert_int_equal(memory_stream_close(out), 0);
    assert_string_equal(text, "  -o, --output OUT      where to\n"
                              "  -b, --baud N          how fast\n"
                              "  -q, --quiet           no words\n"
                              "                        at all\n"
                              "  -h, --help            this text\n");
    free(text);
}
