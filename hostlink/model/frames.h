/* SPDX-License-Identifier: MIT */
/* Frames with a start and an end: of a set, all frame sites of one name, one is open at a time. */
#ifndef HOSTLINK_FRAMES_H
#define HOSTLINK_FRAMES_H

#include "base/intmap.h"
#include "model/event.h"

struct timeline;

/* State of the frames of one name; all zero is the start. */
struct frame_set {
    const struct site *site; /* of the last start */
    uint32_t lane;
    bool open;
};
struct frames {
    struct intmap numbers; /* by name: + 1 */
    struct frame_set *sets;
    uint32_t count, capacity;
};

/* The start or the end of a frame. Returns 0, or the value of the timeline's "emit". */
int frames_event(struct timeline *timeline, uint32_t lane, struct event *event);
/* At the end of a session: closes the open frames. */
int frames_end(struct timeline *timeline);
void frames_free(struct frames *frames);

#endif
