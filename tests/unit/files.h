/* SPDX-License-Identifier: MIT */
/* Files for the tests of outputs, in a folder of the test's own that goes with it. */
#ifndef TEST_FILES_H
#define TEST_FILES_H

#include <stdbool.h>
#include <stddef.h>

/* cmocka set-up and tear-down of a group: makes and removes the folder. */
int files_setup(void **state);
int files_teardown(void **state);

/* The path of "name" in the folder. Valid until the fourth call after it. */
const char *file_path(const char *name);

/* The whole file, a NUL after it, its length in *length (may be NULL); to be freed. NULL: no file. */
char *file_read(const char *path, size_t *length);
/* The file is that text. */
void assert_file_content(const char *path, const char *expected);
void file_write(const char *path, const char *text);
bool file_exists(const char *path);
/* How many names in the folder begin with "name" and end in ".part"; the last one in "found". */
int file_parts(const char *name, char *found, size_t size);

#endif
