/* SPDX-License-Identifier: MIT */
/* "--set NAME=VALUE": sets parameters of the board as soon as it reports that it has them, also
 * after a reset. */
#ifndef HOSTLINK_SETTER_H
#define HOSTLINK_SETTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/viewer.h"
#include "trace/params.h"

#define SETTER_MAX 32

struct setter_wish {
    const char *name; /* not ended by NUL */
    size_t length;
    int32_t value;
    bool asked; /* the board has it, and was asked to set it */
};

/* All zero wishes nothing. */
struct setter {
    struct setter_wish wishes[SETTER_MAX];
    size_t count;
    struct viewer viewer; /* for the capture, after setter_start() */
};

/* Takes "NAME=VALUE"; the text must stay. 0, -EINVAL, or -E2BIG beyond SETTER_MAX. */
int setter_add(struct setter *setter, const char *text);
void setter_start(struct setter *setter);
/* Reports each parameter to set, here or by a viewer, that the board has not, with "cure" unless it
 * is NULL; and each value that its bounds have changed. False if one command did not arrive. */
bool setter_report(const struct setter *setter, const struct params *params, const char *cure);

#endif
