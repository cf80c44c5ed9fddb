/* SPDX-License-Identifier: MIT */
/* The user's objdump, well and otherwise. The fake program is tests/lines/fake_objdump.sh. */
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "symbol/disassemble.h"

#define LIMIT_NS (UINT64_C(300) * 1000000)

struct seen {
    uint32_t count;
    uint64_t address[4];
    char text[4][64];
};

static void on_line(void *context, uint64_t address, const char *text) {
    struct seen *seen = context;
    if (seen->count < 4) {
        seen->address[seen->count] = address;
        (void)strncpy(seen->text[seen->count], text, sizeof seen->text[0] - 1);
    }
    seen->count++;
}

static bool run(const char *what, struct seen *seen, const char **why) {
    const struct elf elf = {0};
    const struct disassemble disassemble = {
        .elf = &elf, .elf_path = "fw.elf", .program = FAKE_OBJDUMP, .limit_ns = LIMIT_NS};
    *seen = (struct seen){0};
    (void)setenv("FAKE_OBJDUMP", what, 1);
    return disassemble_each(&disassemble, 0x1000, 0x1010, on_line, seen, why);
}

CASE(instructions_of_the_range) {
    struct seen seen;
    const char *why = NULL;
    assert_true(run("well", &seen, &why));
    assert_int_equal(seen.count, 2);
    assert_int_equal(seen.address[0], 0x1000);
    assert_string_equal(seen.text[0], "addi\tsp,sp,-16");
    assert_int_equal(seen.address[1], 0x1002);
    assert_string_equal(seen.text[1], "ret");
}

CASE(what_is_wrong_with_it_is_said) {
    static const char *const cases[][2] = {{"hang", "does not answer in time"},
                                           {"die", "shows no instruction of this file"},
                                           {"odd", "shows no instruction of this file"},
                                           {"long", "gives invalid answers"}};
    struct seen seen;
    const char *why = NULL;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_false(run(cases[i][0], &seen, &why));
        assert_string_equal(why, cases[i][1]);
        assert_int_equal(seen.count, 0);
    }
}

/* However long the disassembler goes on. */
CASE(it_takes_a_bounded_time) {
    struct seen seen;
    const char *why = NULL;
    assert_true(run("half", &seen, &why));
    assert_int_equal(seen.count, 1);
    assert_true(run("endless", &seen, &why));
    assert_int_equal(seen.count, DISASSEMBLE_LINES_MAX);
    assert_false(run("babble", &seen, &why));
}

CASE(one_that_is_not_there) {
    const struct elf elf = {0};
    struct disassemble disassemble = {.elf = &elf, .elf_path = "fw.elf", .program = "nowhere"};
    struct seen seen = {0};
    const char *why = NULL;
    assert_false(disassemble_each(&disassemble, 0, 1, on_line, &seen, &why));
    assert_string_equal(why, "cannot be started");
    disassemble.program = NULL;
    (void)setenv("PATH", "/nowhere", 1);
    assert_false(disassemble_each(&disassemble, 0, 1, on_line, &seen, &why));
    assert_string_equal(why, "cannot be started");
}
