/* SPDX-License-Identifier: MIT */
#include "cases.h"

#include <stdlib.h>
#include <string.h>

int main(void);

/* The tests of a file by their lines: compilers have constructors in either order. */
static struct group {
    const char *file;
    struct CMUnitTest tests[100];
    int lines[100];
    size_t count;
    CMFixtureFunction set_up, tear_down;
} groups[100];
static size_t group_count;

/* A file's constructors run one after the other. */
static struct group *group_of(const char *file) {
    struct group *last = group_count > 0u ? &groups[group_count - 1u] : NULL;
    if (last != NULL && strcmp(last->file, file) == 0) {
        return last;
    }
    if (group_count == sizeof groups / sizeof groups[0]) {
        abort();
    }
    groups[group_count].file = file;
    return &groups[group_count++];
}

void cases_add(const char *file, int line, const struct CMUnitTest *test) {
    struct group *group = group_of(file);
    size_t at = group->count++;
    if (at == sizeof group->tests / sizeof group->tests[0]) {
        abort();
    }
    for (; at > 0u && group->lines[at - 1u] > line; at--) {
        group->tests[at] = group->tests[at - 1u];
        group->lines[at] = group->lines[at - 1u];
    }
    group->tests[at] = *test;
    group->lines[at] = line;
}

void cases_between(const char *file, CMFixtureFunction set_up, CMFixtureFunction tear_down) {
    struct group *group = group_of(file);
    group->set_up = set_up;
    group->tear_down = tear_down;
}

int main(void) {
    int failed = group_count == 0u;
    for (struct group *group = groups; group < groups + group_count; group++) {
        failed |= _cmocka_run_group_tests(group->file, group->tests, group->count, group->set_up,
                                          group->tear_down) != 0;
    }
    return failed;
}
