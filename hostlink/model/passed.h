/* SPDX-License-Identifier: MIT */
/* The last packet of a lane in a pass that wants no events. It is decoded to be counted only where the number in the
 * packet behind it is not the one that follows if each of its events counts, as nearly all do. */
#ifndef HOSTLINK_PASSED_H
#define HOSTLINK_PASSED_H

#include "model/claims.h"
#include "wire/decode.h"

/* All zero is none. */
struct passed {
    bool waits;
    struct wire_head head;
    uint8_t *bytes; /* of its events */
    size_t length, capacity;
};

/* Where the lane stands behind the packets that have passed. */
struct passed_lane {
    uint64_t *next; /* number of the next event */
    struct claims *claims;
};

/* A packet of which "next" is the first event. Where memory is short it is counted at once. */
void passed_keep(struct passed *passed, const struct wire_head *head, struct reader *events,
                 const struct passed_lane *lane);
/* The lane says that it had recorded "events" at "ticks": from now on "next" is exact. */
void passed_settle(struct passed *passed, uint64_t events, uint64_t ticks,
                   const struct passed_lane *lane);
void passed_free(struct passed *passed);

#endif
