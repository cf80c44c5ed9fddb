/* SPDX-License-Identifier: MIT */
/* Call stacks of Chrome's JSON: a tree of functions, of which an event names a leaf, at the end of the file. */
#ifndef HOSTLINK_CHROME_STACKS_H
#define HOSTLINK_CHROME_STACKS_H

#include "base/keytable.h"
#include "model/event.h"
#include "sink/outfile.h"

/* Functions beyond this number are left out. */
#define CHROME_FRAMES_MAX (1u << 16)

/* All zero is an empty tree. */
struct chrome_stacks {
    struct keytable frames; /* key: the number of the caller, from 1, or 0; then the name */
};

/* The number of the innermost function, from 1; 0 without a function, or without room. */
uint32_t chrome_stack(struct chrome_stacks *stacks, const struct callstack *stack);
/* Writes the file's field of call stacks, with a comma before it, or nothing without call stacks. */
void chrome_stacks_write(const struct chrome_stacks *stacks, struct outfile *out);
void chrome_stacks_free(struct chrome_stacks *stacks);

#endif
