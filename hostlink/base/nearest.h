/* SPDX-License-Identifier: MIT */
/* "Did you mean ...?" */
#ifndef HOSTLINK_NEAREST_H
#define HOSTLINK_NEAREST_H

#include <stddef.h>

/* Of the words seen, the one that is fewest edits away from what was typed. All zero to start, but
 * "typed" set. */
struct nearest {
    const char *typed;
    const char *word; /* NULL: none is near */
    size_t edits;
};

void nearest_try(struct nearest *nearest, const char *word);

#endif
