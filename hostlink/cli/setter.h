/* "--set NAME=VALUE": sets parameters of the board as soon as it tells that it has them, also after a reset. */
#ifndef HOSTLINK_SETTER_H
#define HOSTLINK_SETTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/viewer.h"

#define SETTER_MAX 32

struct setter_wish {
    const char *name; /* not ended by NUL */
    size_t length;
    int32_t value;
    int32_t told; /* by the board, last */
    bool sent;
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
/* Tells of each wish that did not come true. */
void setter_report(const struct setter *setter);

#endif
