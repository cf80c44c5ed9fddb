/* SPDX-License-Identifier: MIT */
/* Symbols by a program that answers, hangs, dies or babbles: each look-up ends, and names that
 * it lacks come from the table of symbols. The fake program is tests/symbol/fake_tool.sh. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/whole_file.h"
#include "cases.h"
#include "symbol/symbolizer.h"

/* For a program that never answers; one that does has a minute. */
#define SHORT_NS UINT64_C(300000000)
#define LONG_NS UINT64_C(60000000000)

static struct elf elf;
static uint8_t *image;
static uint64_t here;    /* the address of a function below */
static uint64_t wide;    /* of one that is longer than there are glances */
static uint64_t headers; /* of the first byte that is loaded: no function is there */

static unsigned warnings;
static char warning[500];

static void warn(void *context, const char *text) {
    (void)context;
    warnings++;
    (void)snprintf(warning, sizeof warning, "%s", text);
}

static struct symbolizer open_tool(const char *mode, uint64_t limit_ns) {
    warnings = 0;
    assert_int_equal(setenv("FAKE_TOOL", mode, 1), 0);
    return (struct symbolizer){.elf = &elf,
                               .elf_path = "/proc/self/exe",
                               .program = FAKE_TOOL,
                               .host = &tool_child,
                               .choice = "--symbolizer",
                               .limit_ns = limit_ns,
                               .warn = warn};
}

static void is_line(const struct code_place *place, uint32_t number, const char *function,
                    const char *file, uint32_t line) {
    assert_non_null(place);
    assert_true(number < place->count);
    assert_string_equal(place->lines[number].function, function);
    assert_string_equal(place->lines[number].file, file);
    assert_int_equal(place->lines[number].line, line);
}

CASE(answers_are_taken) {
    struct symbolizer s = open_tool("well", LONG_NS);
    for (uint64_t i = 1; i < 300; i++) {
        const uint64_t address = wide + i;
        const struct code_place *place = symbolizer_find(&s, address);
        assert_int_equal(place->count, 2);
        is_line(place, 0, "inner", "in.c", 7);
        is_line(place, 1, "outer", "/src/out.c", 12);
        assert_ptr_equal(symbolizer_find(&s, address), place);
    }
    assert_int_equal(s.table.count, 299);
    is_line(symbolizer_find(&s, here + 1), 1, "outer", "/src/out.c", 12);
    assert_int_equal(symbolizer_find(&s, here + 1)->start, here);
    assert_null(symbolizer_find(&s, here + (UINT64_C(1) << 40))); /* not of this file */
    assert_int_equal(warnings, 0);
    symbolizer_close(&s);
}

/* In the file and in no function: before the code, and right after its last instruction, where a
 * boundary like _etext has its name. The program would give each a function. */
CASE(what_is_no_code_is_unknown) {
    extern const char etext[];
    struct symbolizer s = open_tool("well", LONG_NS);
    symbolizer_start(&s);
    assert_int_equal(s.elf->is_movable, 0);
    assert_null(symbolizer_find(&s, headers + 2));
    assert_null(symbolizer_find(&s, (uintptr_t)etext + 1));
    assert_null(symbolizer_find(&s, (uintptr_t)etext + 2));
    symbolizer_close(&s);
    s = open_tool("well", LONG_NS);
    s.program = "none";
    assert_null(symbolizer_find(&s, (uintptr_t)etext + 1));
    symbolizer_close(&s);
}

static uint64_t size_of(const struct symbolizer *s) {
    const struct elf_function *function = elf_functions_at(&s->functions, here);
    return function->end - function->start;
}

/* Machine code of a whole function or its begin, equal to the file's. */
CASE(machine_code) {
    struct symbolizer s = open_tool("none", LONG_NS);
    s.program = "none";
    const uint8_t *code = symbolizer_code(&s, here, 4);
    const uint64_t bytes = size_of(&s);
    assert_memory_equal(code, elf_at(&elf, here, (size_t)bytes), (size_t)bytes);
    assert_ptr_equal(symbolizer_code(&s, here, bytes), code);
    assert_null(symbolizer_code(&s, here, bytes + 1));
    assert_null(symbolizer_code(&s, here, 0));
    assert_null(symbolizer_code(&s, here, UINT64_MAX));
    assert_null(symbolizer_code(&s, here + 1, 1)); /* no function begins there */
    assert_null(symbolizer_code(&s, headers, 4));
    symbolizer_close(&s);
}

/* Where the lowest bit of the symbol is set it is Thumb code: found by its name, but not given. */
CASE(no_thumb_code) {
    uint8_t *arm = malloc(elf.length);
    struct elf changed;
    for (unsigned thumb = 0; thumb < 2; thumb++) {
        assert_non_null(arm);
        memcpy(arm, elf.bytes, elf.length);
        arm[18] = 40; /* EM_ARM */
        for (size_t at = 0; at + 8 <= elf.length; at++) {
            if (memcmp(arm + at, &here, 8) == 0) {
                arm[at] = (uint8_t)(arm[at] | thumb);
            }
        }
        assert_int_equal(elf_open(&changed, arm, elf.length), 0);
        struct symbolizer s = open_tool("none", LONG_NS);
        s.elf = &changed;
        s.program = "none";
        assert_true((symbolizer_code(&s, here, 4) == NULL) == (thumb != 0));
        assert_int_equal(symbolizer_find(&s, here + 1)->start, here);
        symbolizer_close(&s);
    }
    free(arm);
}

/* Any number of addresses, of which nothing is kept for later. */
CASE(glances) {
    struct symbolizer s = open_tool("well", LONG_NS);
    const uint64_t first = wide;
    const struct code_place *kept = symbolizer_find(&s, first + 1);
    for (uint64_t i = 1; i < 3 * SYMBOLIZER_GLANCES; i++) {
        const struct code_place *place =
            symbolizer_glance(&s, first + 1 + i % (SYMBOLIZER_GLANCES + 7));
        is_line(place, 1, "outer", "/src/out.c", 12);
        assert_true(s.glances.count <= SYMBOLIZER_GLANCES);
    }
    assert_ptr_equal(symbolizer_glance(&s, first + 1), kept);
    assert_int_equal(s.table.count, 1);
    symbolizer_close(&s);
}

/* One warning, and the names of functions all the same. */
static void what_fails_is_reported_once(const char *mode, const char *said, uint64_t limit_ns) {
    struct symbolizer s = open_tool(mode, limit_ns);
    for (uint64_t i = 2; i < 50; i++) {
        is_line(symbolizer_find(&s, wide + i), 0, "test_symbolizer_wide", "", 0);
    }
    const struct code_place *place = symbolizer_find(&s, here + 1);
    is_line(place, 0, "test_symbolizer_function", "", 0);
    assert_int_equal(place->start, here);
    assert_int_equal(warnings, 1);
    if (strstr(warning, said) == NULL) {
        fail_msg("%s: it says \"%s\"", mode, warning);
    }
    symbolizer_close(&s);
}

CASE(no_program_can_break_it) {
    what_fails_is_reported_once("hang", "does not answer in time", SHORT_NS);
    what_fails_is_reported_once("babble", "invalid", LONG_NS);
    what_fails_is_reported_once("endless", "invalid", LONG_NS);
    what_fails_is_reported_once("long", "invalid", LONG_NS);
    what_fails_is_reported_once("other", "", SHORT_NS);
    what_fails_is_reported_once("odd", "invalid", LONG_NS);
}

static void until_ready(struct symbolizer *s, uint64_t address) {
    while (!symbolizer_is_ready(s, address)) {
        (void)poll(NULL, 0, 1);
    }
}

/* A caller that cannot wait asks again, and gets the answer of a slow program. */
CASE(a_look_up_need_not_wait) {
    char go[] = "/tmp/kymo_go.XXXXXX";
    int fd = mkstemp(go);
    assert_true(fd >= 0);
    assert_int_equal(close(fd) | unlink(go), 0);
    assert_int_equal(setenv("FAKE_TOOL_GO", go, 1), 0);
    struct symbolizer s = open_tool("held", LONG_NS);
    assert_false(symbolizer_is_ready(&s, wide + 2)); /* not even started */
    assert_false(symbolizer_is_ready(&s, wide + 2));
    assert_int_equal(symlink("/", go), 0);
    until_ready(&s, wide + 2);
    assert_int_equal(unlink(go), 0);
    is_line(symbolizer_find(&s, wide + 2), 1, "outer", "/src/out.c", 12); /* is not asked again */
    assert_true(symbolizer_is_ready(&s, wide + 2));
    assert_true(symbolizer_is_ready(&s, here + (UINT64_C(1) << 40)));
    assert_false(symbolizer_is_ready(&s, wide + 3));
    assert_false(symbolizer_is_ready(&s, wide + 4)); /* 3 is nobody's question any more */
    assert_int_equal(symlink("/", go), 0);
    until_ready(&s, wide + 4);
    is_line(symbolizer_glance(&s, wide + 4), 1, "outer", "/src/out.c", 12);
    assert_true(symbolizer_is_ready(&s, wide + 4));
    (void)symbolizer_is_ready(&s, wide + 5);
    is_line(symbolizer_find(&s, wide + 3), 1, "outer", "/src/out.c", 12);
    assert_int_equal(unlink(go), 0);
    assert_int_equal(warnings, 0);
    symbolizer_close(&s);
}

CASE(what_fails_is_not_waited_for) {
    static const char *const modes[] = {"hang", "late", "die", "babble", "odd"};
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        struct symbolizer s = open_tool(modes[i], SHORT_NS);
        until_ready(&s, wide + 2);
        is_line(symbolizer_find(&s, wide + 2), 0, "test_symbolizer_wide", "", 0);
        assert_true(symbolizer_is_ready(&s, here + 1));
        is_line(symbolizer_find(&s, here + 1), 0, "test_symbolizer_function", "", 0);
        assert_int_equal(warnings, 1);
        symbolizer_close(&s);
    }
}

/* A script around a program that hangs: all that has the pipe open is gone. */
CASE(what_a_program_started_ends_with_it) {
    struct symbolizer s = open_tool("wrapper", SHORT_NS);
    int held[2];
    assert_int_equal(pipe(held), 0);
    is_line(symbolizer_find(&s, wide + 2), 0, "test_symbolizer_wide", "", 0);
    symbolizer_close(&s);
    assert_int_equal(close(held[1]), 0);
    struct pollfd end = {.fd = held[0], .events = POLLIN};
    assert_int_equal(poll(&end, 1, 300000), 1);
    assert_int_equal(close(held[0]), 0);
}

/* It answers the question at the start, and none after it. */
CASE(a_program_may_end_later) {
    what_fails_is_reported_once("die", "has ended", LONG_NS);
    what_fails_is_reported_once("late", "does not answer in time", SHORT_NS);
}

CASE(names_are_cleaned_and_cut) {
    struct symbolizer s = open_tool("names", LONG_NS);
    const struct code_place *place = symbolizer_find(&s, wide + 2);
    assert_string_equal(place->lines[0].function, "?[31mred?");
    assert_int_equal(strlen(place->lines[0].file), CODE_TEXT_BYTES_MAX - 1);
    assert_int_equal(place->lines[0].line, 0);
    symbolizer_close(&s);
    s = open_tool("template", LONG_NS);
    place = symbolizer_find(&s, wide + 2);
    assert_int_equal(strlen(place->lines[0].function), CODE_TEXT_BYTES_MAX - 1);
    assert_int_equal(strncmp(place->lines[0].file, "/src/d/d/", 9), 0);
    assert_int_equal(place->lines[0].line, 12);
    assert_int_equal(warnings, 0);
    symbolizer_close(&s);
    s = open_tool("deep", LONG_NS);
    assert_int_equal(symbolizer_find(&s, wide + 2)->count, CODE_LINES_MAX);
    symbolizer_close(&s);
    s = open_tool("unknown", LONG_NS);
    is_line(symbolizer_find(&s, wide + 2), 0, "test_symbolizer_wide", "", 0);
    is_line(symbolizer_find(&s, here + 1), 0, "test_symbolizer_function", "", 0);
    assert_int_equal(warnings, 0);
    symbolizer_close(&s);
}

CASE(a_line_without_a_name_has_that_of_the_table) {
    struct symbolizer s = open_tool("unnamed", LONG_NS);
    is_line(symbolizer_find(&s, here + 1), 0, "test_symbolizer_function", "out.c", 7);
    symbolizer_close(&s);
}

/* Where kymo's headers are inside a function, and where there is no other. */
CASE(markup_is_left_out) {
    struct symbolizer s = open_tool("markup", LONG_NS);
    const struct code_place *place = symbolizer_find(&s, wide + 2);
    is_line(place, 0, "outer", "out.c", 7);
    is_line(place, 1, "last", "kymo/macros.h", 6);
    assert_int_equal(place->count, 2);
    symbolizer_close(&s);
    s = open_tool("markup_alone", LONG_NS);
    is_line(symbolizer_find(&s, wide + 2), 0, "scope", "/k/kymo/macros.h", 8);
    symbolizer_close(&s);
}

CASE(a_program_may_be_absent) {
    struct symbolizer s = open_tool("well", LONG_NS);
    s.program = "/nowhere/addr2line";
    is_line(symbolizer_find(&s, here + 1), 0, "test_symbolizer_function", "", 0);
    assert_int_equal(warnings, 1);
    symbolizer_close(&s);
    s = open_tool("well", LONG_NS);
    s.program = "none";
    is_line(symbolizer_find(&s, here + 1), 0, "test_symbolizer_function", "", 0);
    assert_int_equal(warnings, 0);
    symbolizer_close(&s);
}

/* Any byte of the headers, sections and symbols may be another: functions are found, or none. */
CASE(hostile_files_are_read) {
    size_t length = 0;
    uint8_t *bytes = NULL;
    uint32_t random = 1;
    assert_int_equal(whole_file_read(STACKS_BOARD, &bytes, &length), 0);
    for (unsigned round = 0; round < 400; round++) {
        uint8_t kept[64];
        size_t at[64];
        struct elf_functions functions;
        struct elf changed;
        for (unsigned i = 0; i < 64; i++) {
            random = random * 1664525u + 1013904223u;
            const size_t place = random >> 8;
            at[i] = round % 4 == 0   ? place % 64
                    : round % 4 == 1 ? length - 1 - place % 8192
                                     : place % length;
            kept[i] = bytes[at[i]];
            bytes[at[i]] = (uint8_t)(random >> 24);
        }
        memcpy(bytes, elf.bytes, 20); /* it stays an ELF file */
        const size_t cut = round % 3 == 0 ? length - (random >> 8) % length : length;
        if (elf_open(&changed, bytes, cut) == 0 && elf_functions_open(&functions, &changed) == 0) {
            for (uint64_t address = 0x400000; address < 0x402000; address += 64) {
                (void)elf_functions_at(&functions, address);
            }
            elf_functions_free(&functions);
        }
        for (unsigned i = 64; i-- > 0;) {
            bytes[at[i]] = kept[i];
        }
    }
    free(bytes);
}

/* Their symbols are looked at once, not once for each section. */
CASE(sections_that_are_the_same) {
    enum { SECTIONS = 40, FILE_HEADER = 64, HEADER = 64, SYMBOL = 24, SYMBOLS = 500 };
    static const char name[] = "wanted";
    static uint8_t file[FILE_HEADER + SECTIONS * HEADER + SYMBOLS * SYMBOL + sizeof name];
    uint8_t *const last = file + sizeof file - sizeof name - SYMBOL;
    struct elf same;
    uint64_t address = 0;
    memcpy(file, elf.bytes, FILE_HEADER);
    memset(file + 40, 0, 8);
    file[40] = FILE_HEADER; /* e_shoff */
    file[60] = SECTIONS;    /* e_shnum */
    file[61] = 0;
    for (uint32_t i = 0; i < SECTIONS; i++) {
        const bool is_last = i == SECTIONS - 1;
        const uint64_t table[2] = {FILE_HEADER + SECTIONS * HEADER +
                                       (is_last ? (SYMBOLS - 1) * SYMBOL : 0),
                                   is_last ? SYMBOL : (SYMBOLS - 1) * SYMBOL};
        const uint64_t strings[2] = {sizeof file - sizeof name, sizeof name};
        uint8_t *header = file + FILE_HEADER + i * HEADER;
        header[4] = i == 0 ? 3 : 2; /* the strings; symbols */
        memcpy(header + 24, i == 0 ? strings : table, sizeof table);
    }
    memcpy(file + sizeof file - sizeof name, name, sizeof name);
    last[6] = 1; /* it is defined */
    last[8] = 0x80;
    assert_int_equal(elf_open(&same, file, sizeof file), 0);
    assert_false(elf_symbol(&same, name, &address));
    for (uint32_t i = 2; i < SECTIONS - 1; i++) {
        file[FILE_HEADER + i * HEADER + 4] = 0;
    }
    assert_true(elf_symbol(&same, name, &address));
    assert_int_equal(address, 0x80);
}

static struct elf_function found;
static void note_function(const struct elf_functions *functions, const char *name) {
    for (size_t i = 0; i < functions->count; i++) {
        found = strcmp(functions->list[i].name, name) == 0 ? functions->list[i] : found;
    }
}

/* At an even address, as the lowest bit of one has a meaning on Arm. */
int test_symbolizer_function(int number);
__attribute__((noinline, used, aligned(16))) int test_symbolizer_function(int number) {
    return number + 1;
}

/* Never called. */
void test_symbolizer_wide(void);
__attribute__((noinline, used, aligned(16))) void test_symbolizer_wide(void) {
    __asm__ volatile(".skip 4608");
}

static int set_up(void **state) {
    size_t length = 0;
    struct elf_functions functions;
    (void)state;
    assert_int_equal(whole_file_read("/proc/self/exe", &image, &length), 0);
    assert_int_equal(elf_open(&elf, image, length), 0);
    assert_int_equal(elf_functions_open(&functions, &elf), 0);
    note_function(&functions, "test_symbolizer_wide");
    wide = found.start;
    note_function(&functions, "test_symbolizer_function");
    elf_functions_free(&functions);
    here = found.start;
    assert_int_not_equal(here, 0);
    struct elf_segment segment;
    uint32_t first = 0;
    while (!elf_segment(&elf, first, &segment)) {
        first++;
        assert_true(first < elf.segment_count);
    }
    headers = segment.address;
    return 0;
}

FIXTURE(tear_down) {
    free(image);
    return 0;
}

CASES_BETWEEN(set_up, tear_down);
