/* The contract of what watches a live capture while it runs. All functions but "event" may be NULL. */
#ifndef HOSTLINK_VIEWER_H
#define HOSTLINK_VIEWER_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"

/* Most that one viewer waits for. */
#define VIEWER_FDS 10
#define VIEWERS_MAX 4

struct viewer {
    const char *name; /* for messages */
    void *state;
    /* An event, as soon as it is known. A negative errno value ends the watching, not the capture. */
    int (*event)(void *state, const struct event *event);
    /* What to wait for: fills at most VIEWER_FDS, returns how many. */
    size_t (*poll)(void *state, struct pollfd *fds);
    /* Called after each wait, at least ten times a second: serve the descriptors, never wait. */
    int (*step)(void *state);
    /* True while it waits for a parameter that the board has not told of. */
    bool (*wants_param)(void *state);
    /* A parameter of the board, as often as the board tells its value. */
    int (*param)(void *state, uint32_t index, const char *name, int32_t value);
    /* Set by the capture: asks the board to set a parameter, until it has. NULL where nothing is sent to it. */
    void (*set_param)(void *board, uint32_t index, int32_t value);
    void *board;
};

#endif
