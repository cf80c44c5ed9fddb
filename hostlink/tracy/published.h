/* SPDX-License-Identifier: MIT */
/* Source files that the board's program has published, as IREE's does with the code of its models. They come beside
 * the events, so a viewer may ask for one before it is here. */
#ifndef HOSTLINK_TRACY_PUBLISHED_H
#define HOSTLINK_TRACY_PUBLISHED_H

#include <stddef.h>
#include <stdint.h>

#include "model/large.h"

#define TRACY_PUBLISHED_MAX 64u
#define TRACY_PUBLISHED_BYTES_MAX (8u << 20)

struct tracy_published_file {
    char name[KYMO_LARGE_NAME_BYTES + 1];
    uint8_t *text;
    size_t length;
};

/* All zero is empty. */
struct tracy_published {
    struct tracy_published_file files[TRACY_PUBLISHED_MAX];
    uint32_t count;
    size_t bytes;
    /* The file whose bytes come now. */
    struct tracy_published_file coming;
    uint64_t coming_id; /* 0: none */
};

/* Like large_receive() in model/large.h. Files that are not text, or too large, are left out. */
void tracy_published_take(struct tracy_published *published, const struct large *large,
                          const uint8_t *bytes, size_t length);
/* The newest one that the path names: of both names the part after the last slash counts, or the end of that. NULL: no
 * such file. */
const struct tracy_published_file *tracy_published_find(const struct tracy_published *published,
                                                        const char *path);
void tracy_published_free(struct tracy_published *published);

#endif
