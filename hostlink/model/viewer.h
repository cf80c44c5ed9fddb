/* SPDX-License-Identifier: MIT */
/* The contract of viewers of a live capture while it runs: they take events, and may set parameters of the board. */
#ifndef HOSTLINK_VIEWER_H
#define HOSTLINK_VIEWER_H

#include <stdbool.h>
#include <stdint.h>

#include "model/consumer.h"

#define VIEWERS_MAX 4

/* The calls may be NULL. */
struct viewer {
    struct consumer consumer; /* an error ends the watching, not the capture */
    /* True while it waits for a parameter that the board has not reported. */
    bool (*wants_param)(void *state);
    /* A parameter of the board, as often as the board sends its value; "is_switch": it is 0 or 1. */
    int (*param)(void *state, uint32_t index, const char *name, int32_t value, bool is_switch);
    /* Set by the capture: asks the board to set a parameter, until it has. NULL where nothing is sent to it. */
    void (*set_param)(void *board, uint32_t index, int32_t value);
    void *board;
};

#endif
