/* SPDX-License-Identifier: MIT */
/* The interrupts that a lane is in. That one has returned shows in the context that the lane goes on with; the zones
 * that it left open are then closed. Private to the timeline. */
#ifndef HOSTLINK_INTERRUPTS_H
#define HOSTLINK_INTERRUPTS_H

#include "model/zones.h"

/* Those that interrupt each other; deeper ones are not seen to return. */
#define INTERRUPTS_MAX 16u

/* All zero is the start. */
struct interrupts {
    struct track_state *running[INTERRUPTS_MAX]; /* the innermost last */
    uint32_t count;
};

/* The lane goes on with "next". 0, or what the zones' "send" returned. */
int interrupts_follow(struct interrupts *interrupts, struct zones *zones, struct names *names,
                      struct track_state *next, int64_t time_ns);
/* The session is over: names those that have not returned. The same. */
int interrupts_end(struct interrupts *interrupts, struct zones *zones, int64_t time_ns);

#endif
