/* SPDX-License-Identifier: MIT */
/* The rate of a board's clock, measured against the host's: pairs of both at the same moment, as
 * nearly as the line allows. A delay only ever moves a pair to one side, so of several the one that
 * is farthest to the other side is the best, and a pair that waited long in some buffer does no
 * harm. */
#ifndef HOSTLINK_CLOCK_RATE_H
#define HOSTLINK_CLOCK_RATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CLOCK_RATE_ENDS 8u /* so many pairs of the beginning, and of the end, are kept */

struct clock_pair {
    uint64_t host_ns, ticks;
};

/* Pairs that are late in the same way. */
struct clock_pairs {
    struct clock_pair first[CLOCK_RATE_ENDS], last[CLOCK_RATE_ENDS]; /* "last" is a ring */
    uint64_t count;
};

/* All zero is the start. */
struct clock_rate {
    struct clock_pairs heard; /* when a packet came: later than its ticks */
    struct clock_pairs asked; /* when a ping left: earlier than its ticks. The better ones */
};

/* Forgets all: the board's clock starts again. */
void clock_rate_restart(struct clock_rate *rate);
/* A packet with the board's clock came. */
void clock_rate_heard(struct clock_rate *rate, uint64_t host_ns, uint64_t ticks);
/* A ping that left at "host_ns" was read at "ticks". */
void clock_rate_asked(struct clock_rate *rate, uint64_t host_ns, uint64_t ticks);

/* Returns the rate in Hz, or 0 if the pairs do not show it: they are less than 0.5 s apart, most have one host time
 * (they waited in a buffer), or the clock has stopped. */
uint64_t clock_rate_hz(const struct clock_rate *rate);
/* The last pair has the ticks of the first. */
bool clock_rate_stands(const struct clock_rate *rate);
/* The distance between the pairs, in host time. */
uint64_t clock_rate_span_ns(const struct clock_rate *rate);
/* Most of the times between two pairs show that rate, to a factor of two: not a single jump. */
bool clock_rate_is_even(const struct clock_rate *rate, uint64_t hz);
/* True if the rate is good enough for output that cannot be corrected later. */
bool clock_rate_settled(const struct clock_rate *rate);

#endif
