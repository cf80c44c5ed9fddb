/* SPDX-License-Identifier: MIT */
/* A line of the report's timeline: pieces of time one after the other, encoded in few bytes. A lane that has become too
 * large is thinned: short pieces near each other become one piece with their count. */
#ifndef HOSTLINK_REPORT_LANE_H
#define HOSTLINK_REPORT_LANE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct piece {
    int64_t start_ns;
    uint64_t length_ns;
    uint32_t name;          /* of several that are one: of the longest one */
    bool keep;              /* it stays as it is */
    uint64_t count;         /* 1, or how many are one */
    uint64_t busy_ns;       /* sum of their lengths */
    uint64_t most_ns;       /* length of the one that has given its name */
    double low, high, last; /* of curves */
};

/* All zero, except "curve", is empty. */
struct lane {
    bool curve; /* its pieces have values */
    uint8_t *bytes;
    size_t used, size;
    size_t rigid_used;    /* set by the timeline: "used" when it could not be thinned, or 0 */
    uint64_t thin_ns;     /* pieces shorter than this are put together */
    uint64_t given;       /* pieces that were put */
    uint64_t pieces;      /* that are encoded */
    int64_t end_ns;       /* of the last of them */
    struct piece waiting; /* the last one that was put: the next may become one with it */
    bool is_waiting;
};

/* Takes a piece of count 1. 0 or -ENOMEM, as for the next. */
int lane_put(struct lane *lane, const struct piece *piece);
/* Makes it smaller by a quarter at least, unless nothing in it is short. */
int lane_thin(struct lane *lane);
/* After the last lane_put(): encodes the waiting piece. */
int lane_end(struct lane *lane);
void lane_free(struct lane *lane);

/* A piece's encoding in "bytes"; integers in groups of seven bits, the lowest first:
 *   name << 2 | 2 if it is several | 1 if it is kept
 *   start, less the end of the piece before, zigzag
 *   length
 *   several: count, busy
 *   curves: last; several: low, high, too. Whole numbers up to 2^50 as zigzag << 1, others as 1 and eight bytes of a
 *   double, the lowest first. */

#endif
