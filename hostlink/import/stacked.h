/* SPDX-License-Identifier: MIT */
/* Call stacks with an amount each, played as consecutive zones on one row, a nanosecond for each unit of the
 * amount. Frames that a stack has in common with the one before it are one zone. */
#ifndef HOSTLINK_STACKED_H
#define HOSTLINK_STACKED_H

#include "import/played.h"

/* All zero but "played" and "row" is the start. */
struct stacked {
    struct played *played;
    uint32_t row;
    uint32_t *open; /* sites of zones, the outermost first */
    uint32_t depth, capacity;
    int64_t now;
};

/* Sites, the outermost first. False: the amounts are too much, or memory is short, which played->error says. */
bool stacked_add(struct stacked *stacked, const uint32_t *sites, uint32_t depth, uint64_t amount);
/* Ends open zones, and frees. */
void stacked_end(struct stacked *stacked);

#endif
