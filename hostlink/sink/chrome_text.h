/* SPDX-License-Identifier: MIT */
/* Cached texts that repeat in Chrome's JSON: name and place of a zone's site, numbers of a row. */
#ifndef HOSTLINK_CHROME_TEXT_H
#define HOSTLINK_CHROME_TEXT_H

#include <stdint.h>
#include <string.h>

#include "model/event.h"

/* Longer ones are not kept, so that the parts of an event fit OUTFILE_ROOM_BYTES. */
#define CHROME_TEXT_BYTES 240u
/* Texts are copied in such pieces. */
#define CHROME_PIECE_BYTES 16u

struct chrome_text {
    uint32_t length;
    char bytes[CHROME_TEXT_BYTES];
};

struct chrome_site {
    const struct site *site;
    const char *name, *file; /* the site's, and its line, when the texts were made */
    uint32_t line;
    bool kept;                    /* false: one of them must be escaped, or is too long */
    struct chrome_text name_text; /* in quotes */
    struct chrome_text place;     /* ',"loc":"FILE:LINE"', or empty */
};

struct chrome_row {
    uint32_t session, tid;
    struct chrome_text text; /* ',"pid":1,"tid":2,"ts":'; empty: none yet */
};

/* By the low bits of their numbers. */
#define CHROME_SITES 512u
#define CHROME_ROWS 64u

/* All zero is the start. */
struct chrome_texts {
    struct chrome_site *sites[CHROME_SITES];
    struct chrome_row rows[CHROME_ROWS];
};

/* NULL: a text must be escaped, or is too long; or memory is short. */
const struct chrome_site *chrome_site(struct chrome_texts *texts, const struct site *site);
const struct chrome_text *chrome_row(struct chrome_texts *texts, uint32_t session, uint32_t tid);
void chrome_texts_free(struct chrome_texts *texts);

/* Returns the end of the text; up to CHROME_PIECE_BYTES after it are overwritten. */
static inline char *chrome_put(char *at, const struct chrome_text *text) {
    for (uint32_t i = 0; i < text->length; i += CHROME_PIECE_BYTES) {
        memcpy(at + i, text->bytes + i, CHROME_PIECE_BYTES);
    }
    return at + text->length;
}

#endif
