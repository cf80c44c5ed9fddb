/* SPDX-License-Identifier: MIT */
/* "Did you mean ...?" */
#ifndef HOSTLINK_NEAREST_H
#define HOSTLINK_NEAREST_H

#include <stddef.h>

/* Finds the word with the fewest edits from "typed". All zero to start, except "typed". */
struct nearest {
    const char *typed;
    const char *word; /* NULL: none is near */
    size_t edits;
};

void nearest_try(struct nearest *nearest, const char *word);

#endif
