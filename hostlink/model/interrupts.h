/* SPDX-License-Identifier: MIT */
/* The interrupts that a lane is in. The context that the lane goes on with shows that an interrupt has returned; the
 * zones that it left open are then closed. Private to the timeline. */
#ifndef HOSTLINK_INTERRUPTS_H
#define HOSTLINK_INTERRUPTS_H

#include "model/zones.h"

/* Most interrupts that interrupt each other; the return of deeper ones is not seen. */
#define INTERRUPTS_MAX 16u

/* All zero is the start. */
struct interrupts {
    struct track_state *running[INTERRUPTS_MAX]; /* the innermost last */
    uint32_t count;
};

/* The lane goes on with "next". Returns 0, or the value of the zones' "send". */
int interrupts_follow(struct interrupts *interrupts, struct zones *zones, struct names *names,
                      struct track_state *next, int64_t time_ns);
/* The session is over: names the interrupts that have not returned. Returns the same. */
int interrupts_end(struct interrupts *interrupts, struct zones *zones, int64_t time_ns);

#endif
