/* SPDX-License-Identifier: MIT */
/* Tables that all threads of a Firefox profile share: strings, functions, and stacks of functions. Numbers are indices
 * into these tables; FIREFOX_NONE: none. */
#ifndef HOSTLINK_FIREFOX_TABLES_H
#define HOSTLINK_FIREFOX_TABLES_H

#include "base/keytable.h"
#include "sink/outfile.h"

#define FIREFOX_NONE UINT32_MAX

enum firefox_category {
    FIREFOX_OTHER,
    FIREFOX_MAIN,
    FIREFOX_INTERRUPT,
    FIREFOX_TASK,
    FIREFOX_LOCK,
    FIREFOX_MESSAGE,
    FIREFOX_LOSS
};

struct firefox_frame {
    uint32_t name, file, line; /* strings */
    uint32_t category;
};

/* All zero is empty. */
struct firefox_tables {
    struct keytable strings, sources, frames, stacks; /* keys of the last: frame, prefix */
    int error;                                        /* 0 or -ENOMEM */
};

uint32_t firefox_string(struct firefox_tables *tables, const char *text, size_t length);
/* "prefix" with one more function, "file" "" where it is not known. */
uint32_t firefox_stack(struct firefox_tables *tables, uint32_t prefix, const char *name,
                       const char *file, uint32_t line, enum firefox_category category);
/* "categories":[...] of the head, and "shared":{...}. */
void firefox_write_categories(struct outfile *out);
void firefox_write_shared(const struct firefox_tables *tables, struct outfile *out);
void firefox_tables_free(struct firefox_tables *tables);

#endif
