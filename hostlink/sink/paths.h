/* SPDX-License-Identifier: MIT */
/* Paths to the nodes of a profile, each kept as (the path around it, its last name). As texts the paths of a deep tree
 * take the square of its size. */
#ifndef HOSTLINK_PATHS_H
#define HOSTLINK_PATHS_H

#include <stdbool.h>

#include "base/keytable.h"
#include "sink/profile.h"

#define PATHS_NONE UINT32_MAX /* the empty path */

struct paths {
    struct keytable names; /* keys: texts with a NUL */
    struct keytable nodes; /* keys: uint32_t path around, uint32_t name */
    uint32_t *of;          /* by number of the profile's node: its path */
    char *text;            /* that is being made */
    size_t used, size;
    uint32_t *steps; /* of the path that is walked */
    uint32_t step_capacity;
    uint32_t at; /* the path that is made */
    bool (*name)(struct paths *paths, const struct profile_step *step);
};

/* "name" puts the text of a step, without a NUL. Equal texts with equal paths around them are one path. "without_root":
 * the row or pool that everything is in is no step. False when memory is short; free in any case. */
bool paths_make(struct paths *paths, const struct profile *profile, bool without_root,
                bool (*name)(struct paths *paths, const struct profile_step *step));
void paths_free(struct paths *paths);

/* Adds to "text", from "used" on. False when memory is short. */
bool paths_put(struct paths *paths, const char *bytes, size_t length);
/* The number of a name; -ENOMEM. */
int64_t paths_name(struct paths *paths, const char *name);
/* Never NULL. */
const char *paths_text(const struct paths *paths, uint32_t name);
/* The path as a text with "between" its names, the innermost first; valid until the next call. NULL when memory is
 * short. */
const char *paths_inward_out(struct paths *paths, uint32_t path, const char *between);
/* Its names in "steps", the innermost first: how many; -ENOMEM. */
int64_t paths_walk(struct paths *paths, uint32_t path);

#endif
