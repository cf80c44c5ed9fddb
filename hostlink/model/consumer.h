/* SPDX-License-Identifier: MIT */
/* The contract of consumers of resolved events: an output, the table of zones, a viewer of a live capture. They do
 * not know the source of the events. */
#ifndef HOSTLINK_CONSUMER_H
#define HOSTLINK_CONSUMER_H

#include <stddef.h>

#include "model/event.h"
#include "platform/poll.h"

struct large;

/* Most that one consumer waits for. */
#define CONSUMER_FDS 10

/* All calls but "event" may be NULL. */
struct consumer {
    const char *name; /* for messages */
    void *state;
    /* Events of one track come in the order of time, those of KYMO_ROLE_TASK and EVENT_TASK in one of their own;
     * events of different tracks may not. 0, or -errno: it gets no more, the others go on. */
    int (*event)(void *state, const struct event *event);
    /* Large things of the board, as large_receive() in model/large.h. 0 or -errno. */
    int (*large)(void *state, const struct large *large, const uint8_t *bytes, size_t length);
    /* Live: what to wait for; fills at most CONSUMER_FDS, returns how many. */
    size_t (*poll)(void *state, struct sys_poll *fds);
    /* Live: called after each wait, at least ten times a second. Serves the descriptors, never waits. 0 or -errno. */
    int (*step)(void *state);
    /* After the last event, once: completes and frees. 0, or -errno of any call before. If the program dies it is not
     * called. */
    int (*close)(void *state);
};

#endif
