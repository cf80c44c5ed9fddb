/* SPDX-License-Identifier: MIT */
/* Large things of the board as files of a directory: "SESSION-ID-NAME", each when all of it came. */
#ifndef HOSTLINK_LARGE_FILES_H
#define HOSTLINK_LARGE_FILES_H

#include <stdio.h>

#include "model/large.h"

struct outfile;

/* All zero but "directory" is the start; a "directory" of NULL: none are written. */
struct large_files {
    const char *directory;
    struct outfile *open;
    uint64_t written;
    int error; /* the first, 0 or -errno; reported */
};

/* Like large_receive() in model/large.h. Errors are kept, not returned: the trace goes on. */
void large_files_take(struct large_files *files, const struct large *large, const uint8_t *bytes,
                      size_t length);
/* No more bytes come: removes an incomplete file. */
void large_files_end(struct large_files *files);

/* "hostlink: ..." for --help. */
#define LARGE_FILES_SPEC(...)                                                                      \
    {                                                                                              \
        "large", 0, "DIR",                                                                         \
            "write the board's large things (pictures, files, crash dumps)\n"                      \
            "into DIR, as SESSION-ID-NAME",                                                        \
            __VA_ARGS__                                                                            \
    }

/* A name for people: its own, or one by its type. Characters other than letters, digits, '.', '-' and '_', and a
 * leading '.', become '_'. "out" has room for LARGE_NAME_SIZE. */
#define LARGE_NAME_SIZE (KYMO_LARGE_NAME_BYTES + 1u)
const char *large_name(char *out, const struct large *large);
/* One line: name, size, how it ended. */
void large_print(FILE *out, const struct large *large);

#endif
