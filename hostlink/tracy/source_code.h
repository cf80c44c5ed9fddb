/* SPDX-License-Identifier: MIT */
/* Files with source code, for viewers. The requested name comes from the network, and the names of
 * files from the board: both are untrusted. */
#ifndef HOSTLINK_TRACY_SOURCE_CODE_H
#define HOSTLINK_TRACY_SOURCE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Tracy's client sends none that is larger (TracyProfiler.cpp, HandleSourceCodeQuery). */
#define TRACY_SOURCE_BYTES_MAX (262144 - 16 - 1)
#define TRACY_SOURCE_FOLDERS_MAX 16

struct tracy_source_folders {
    const char *path[TRACY_SOURCE_FOLDERS_MAX];
    size_t count;
    bool as_named; /* also the place that the board's compiler named, wherever it is */
};

/* Reads a file into "bytes", which has TRACY_SOURCE_BYTES_MAX of room. It must be a regular file
 * whose name ends as those of source files do, and older than "before_s" (Unix time). In a folder
 * it is the longest end of "name" that is there, and nothing outside of the folder. Returns the length, or
 * -ENOENT, -EFBIG, -ESTALE (it is newer), or the system's error. */
int tracy_source_read(const struct tracy_source_folders *folders, const char *name,
                      int64_t before_s, uint8_t *bytes);

#endif
