/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static jmp_buf leave;

static void show(struct case_place place) {
    printf("%s:%d: %s", place.file, place.line, place.text);
}

static void end(void) {
    printf("\n");
    longjmp(leave, 1);
}

void case_true(struct case_place place, bool right) {
    if (!right) {
        show(place);
        end();
    }
}

void case_numbers(struct case_place place, uintmax_t got, uintmax_t expected, bool equal) {
    if ((got == expected) != equal) {
        show(place);
        printf(": 0x%" PRIxMAX " and 0x%" PRIxMAX, got, expected);
        end();
    }
}

void case_range(struct case_place place, uintmax_t got, uintmax_t least, uintmax_t most) {
    if (got < least || got > most) {
        show(place);
        printf(": %" PRIuMAX, got);
        end();
    }
}

void case_texts(struct case_place place, const char *got, const char *expected) {
    if (strcmp(got, expected) != 0) {
        show(place);
        printf(":\n\"%s\"\n\"%s\"", got, expected);
        end();
    }
}

void case_bytes(struct case_place place, const void *got, const void *expected, size_t length) {
    const uint8_t *a = got, *b = expected;
    for (size_t i = 0; i < length; i++) {
        if (a[i] != b[i]) {
            show(place);
            printf(": byte %zu is 0x%02x and 0x%02x", i, a[i], b[i]);
            end();
        }
    }
}

void case_fail(struct case_place place, const char *format, ...) {
    va_list arguments;
    show(place);
    printf(": ");
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    end();
}

/* False: it has failed, and has said why. */
static bool run(const struct CMUnitTest *test) {
    void *state = NULL;
    if (setjmp(leave) != 0) {
        return false;
    }
    if (test->set_up && test->set_up(&state) != 0) {
        printf("cannot be set up\n");
        return false;
    }
    test->test(&state);
    if (test->tear_down && test->tear_down(&state) != 0) {
        printf("cannot be torn down\n");
        return false;
    }
    return true;
}

int _cmocka_run_group_tests(const char *file, const struct CMUnitTest *cases, size_t count,
                            CMFixtureFunction set_up, CMFixtureFunction tear_down) {
    void *state = NULL;
    int failed = 0;
    const char *name = strrchr(file, '/');
    name = name ? name + 1 : file;
    if (set_up && set_up(&state) != 0) {
        printf("FAILED: %s cannot be set up\n", name);
        return 1;
    }
    for (size_t i = 0; i < count; i++) {
        printf("%s %s\n", name, cases[i].name); /* before it runs, as it may crash */
        (void)fflush(stdout);
        if (!run(&cases[i])) {
            printf("FAILED: %s %s\n", name, cases[i].name);
            failed++;
        }
    }
    if (tear_down && tear_down(&state) != 0) {
        printf("FAILED: %s cannot be torn down\n", name);
        failed++;
    }
    (void)fflush(stdout);
    return failed;
}
