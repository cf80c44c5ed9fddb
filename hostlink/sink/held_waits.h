/* SPDX-License-Identifier: MIT */
/* Tasks that hold a lock while they wait for something other than a lock: a task that wants the lock waits as long. */
#ifndef HOSTLINK_HELD_WAITS_H
#define HOSTLINK_HELD_WAITS_H

#include "model/event.h"

#define HELD_WAITS_MAX 64u

/* All zero is the start. */
struct held_waits {
    struct held {
        const struct track *track;
        const struct object *object;
        int64_t waits_ns; /* since when, -1: it does not wait */
        uint8_t why;
    } held[HELD_WAITS_MAX]; /* more at a time are not looked at */
    unsigned count;
    /* The longest. */
    const struct track *track; /* NULL: there was none */
    const struct object *object;
    uint64_t ns;
    int64_t at_ns;
    uint8_t why; /* enum kymo_why */
};

/* Takes any event; 0. */
int held_waits_event(struct held_waits *waits, const struct event *event);

#endif
