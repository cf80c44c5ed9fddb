/* SPDX-License-Identifier: MIT */
/* Look-ups of addresses of this process: functions of the program, which is loaded anywhere, and of a library. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"
#include "client/detached_program.h"
#include "client/own_symbols.h"

static uint64_t sorted_from;

static __attribute__((noinline)) uint64_t address_here(void) {
    return (uint64_t)(uintptr_t)__builtin_return_address(0);
}

static int compare(const void *left, const void *right) {
    sorted_from = (uint64_t)(uintptr_t)__builtin_return_address(0);
    return memcmp(left, right, 1);
}

CASE(finds_the_programs_function) {
    struct own_symbols symbols = {0};
    const uint64_t address = address_here();
    const struct code_place *place = own_symbols_find(&symbols, address);
    assert_non_null(place);
    assert_int_equal(place->count, 1);
    assert_string_equal(place->lines[0].function, "finds_the_programs_function");
    assert_true(place->start < address && address <= place->start + place->bytes);
    assert_int_equal(place->start, (uint64_t)(uintptr_t)finds_the_programs_function);
    assert_ptr_equal(own_symbols_find(&symbols, address), place);
    assert_int_equal(symbols.count, 1);
    own_symbols_free(&symbols);
}

/* qsort() calls back: its name is in the library's table or not, the library's is known. */
CASE(finds_a_library) {
    struct own_symbols symbols = {0};
    char bytes[] = "ba";
    qsort(bytes, 2, 1, compare);
    const struct code_place *place = own_symbols_find(&symbols, sorted_from);
    assert_non_null(place);
    assert_non_null(strstr(place->lines[0].file, "libc"));
    own_symbols_free(&symbols);
}

CASE(knows_nothing_of_data) {
    struct own_symbols symbols = {0};
    char *block = malloc(10);
    assert_non_null(block);
    assert_null(own_symbols_find(&symbols, (uint64_t)(uintptr_t)block));
    assert_null(own_symbols_find(&symbols, 0));
    assert_null(own_symbols_find(&symbols, UINT64_MAX));
    assert_int_equal(symbols.count, 0);
    free(block);
    own_symbols_free(&symbols);
}

/* At the tenth turn this file is there, for which a slow program waits. */
static char tenth[40];
static unsigned turns;
static void count_turn(void *context) {
    (void)context;
    if (++turns == 10 && tenth[0] != '\0') {
        FILE *file = fopen(tenth, "w");
        assert_non_null(file);
        (void)fclose(file);
    }
}

static struct own_symbols with(const char *program) {
    return (struct own_symbols){.program = program,
                                .host = {.start = detached_program_start, .meanwhile = count_turn}};
}

/* A function of its own: compilers give no line to a call that they have merged with another one. */
static __attribute__((noinline)) void look_here(const char *program) {
    struct own_symbols symbols = with(program);
    const int line = __LINE__ + 1;
    const uint64_t address = address_here();
    const struct code_place *place = own_symbols_find(&symbols, address);
    assert_non_null(place);
    const struct code_line *last = &place->lines[place->count - 1];
    assert_string_equal(last->function, "look_here");
    assert_non_null(strstr(last->file, "test_own_symbols.c"));
    assert_int_equal(last->line, line);
    own_symbols_free(&symbols);
}

CASE(knows_the_line) {
    look_here(NULL);
    look_here("addr2line");
}

/* The program answers late: the test does other work meanwhile. A program that is not there is not waited for. */
CASE(waits_for_a_program) {
    char name[] = "/tmp/kymo_tool.XXXXXX";
    const int fd = mkstemp(name);
    static const char text[] = "#!/bin/sh\nwhile read -r a; do until [ -e $0.go ]; do sleep 0.01; "
                               "done; echo $a; echo f; echo slow.c:7; done\n";
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, sizeof text - 1), (ssize_t)(sizeof text - 1));
    assert_int_equal(fchmod(fd, 0700), 0);
    (void)close(fd);
    struct own_symbols symbols = with(name);
    turns = 0;
    (void)snprintf(tenth, sizeof tenth, "%s.go", name);
    const struct code_place *place = own_symbols_find(&symbols, address_here());
    assert_non_null(place);
    assert_string_equal(place->lines[0].file, "slow.c");
    assert_int_equal(place->lines[0].line, 7);
    assert_true(turns >= 10);
    own_symbols_free(&symbols);
    (void)unlink(name);
    (void)unlink(tenth);
    symbols = with(name);
    place = own_symbols_find(&symbols, address_here());
    assert_non_null(place);
    assert_string_equal(place->lines[0].function, "waits_for_a_program");
    assert_int_equal(place->lines[0].line, 0);
    own_symbols_free(&symbols);
}

/* The program closes all descriptors, and the number is another file's now: nothing is written there. */
CASE(a_closed_descriptor_is_left_alone) {
    struct own_symbols symbols = with("addr2line");
    assert_non_null(own_symbols_find(&symbols, address_here()));
    const int fd = symbols.objects[0].symbolizer->tool.talk.fd;
    assert_true(fd > 2);
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(dup2(fileno(file), fd), fd);
    const struct code_place *place =
        own_symbols_find(&symbols, (uint64_t)(uintptr_t)finds_a_library + 1);
    assert_non_null(place);
    assert_string_equal(place->lines[0].function, "finds_a_library");
    own_symbols_free(&symbols);
    struct stat status;
    assert_int_equal(fstat(fd, &status), 0);
    assert_int_equal(status.st_size, 0);
    (void)close(fd);
    (void)fclose(file);
}

/* Else the program would outlive this process as long as the child lives. */
CASE(a_child_keeps_no_socket) {
    struct own_symbols symbols = with("addr2line");
    assert_non_null(own_symbols_find(&symbols, address_here()));
    const struct tool *tool = &symbols.objects[0].symbolizer->tool;
    const int talk = tool->talk.fd, life = tool->life.fd;
    int status = -1;
    const pid_t child = fork();
    if (child == 0) {
        own_symbols_abandon(&symbols);
        _exit(fcntl(talk, F_GETFD) < 0 && fcntl(life, F_GETFD) < 0 ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_true(fcntl(life, F_GETFD) >= 0);
    own_symbols_free(&symbols);
    assert_true(fcntl(life, F_GETFD) < 0);
}

/* So that a viewer can take the function apart. */
CASE(knows_the_code) {
    struct own_symbols symbols = with("none");
    const struct code_place *place = own_symbols_find(&symbols, address_here());
    assert_non_null(place);
    const uint8_t *code = own_symbols_code(&symbols, place->start, place->bytes);
    assert_non_null(code);
    assert_memory_equal(code, (const void *)(uintptr_t)place->start, (size_t)place->bytes);
    assert_null(own_symbols_code(&symbols, place->start + 1, place->bytes));
    own_symbols_free(&symbols);
}
