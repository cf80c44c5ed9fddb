/* SPDX-License-Identifier: MIT */
/* The crash of the board's program: a message of KYMO_LEVEL_CRASH. A viewer shows the first one by itself; zones
 * open at that time stay open. */
#ifndef HOSTLINK_TRACY_CRASH_H
#define HOSTLINK_TRACY_CRASH_H

#include <stdbool.h>
#include <stdint.h>

struct event;
struct tracy_encode;

/* All zero: there was none. */
struct tracy_crash {
    uint64_t text; /* key of the message, 0 = none */
    int64_t time_ns;
    uint32_t thread;
    bool leaves_open; /* until the program starts again, with rows of its own */
};

void tracy_crash_take(struct tracy_encode *encode, const struct event *message);
/* For a viewer that comes later. */
void tracy_crash_restate(struct tracy_encode *encode);
/* True: the zone's end is not shown, as the program ended before it. */
bool tracy_crash_leaves_open(const struct tracy_encode *encode, const struct event *end);
/* Lets the viewer end although zones are open. */
void tracy_crash_end(struct tracy_encode *encode);

#endif
