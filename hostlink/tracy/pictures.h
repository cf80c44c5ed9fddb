/* SPDX-License-Identifier: MIT */
/* Pictures of frames. The board says when one was there, by an event, and sends its bytes beside the events: either may
 * come first. Both together make an image of the frame that was on the screen, one for a frame at most. */
#ifndef HOSTLINK_TRACY_PICTURES_H
#define HOSTLINK_TRACY_PICTURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracy/picture.h"

/* Events wait for those of other cores (model/merge.h), and pictures do not. */
#define TRACY_PICTURES_WAITING 64u

/* Of a frame of the main set: how many marks of it the viewer got before it. */
struct tracy_picture_event {
    uint64_t id; /* 0: none */
    uint64_t marks;
};

struct tracy_picture_ready {
    uint64_t id; /* 0: none */
    struct tracy_picture picture;
};

/* All zero is empty; all of it is of one viewer. */
struct tracy_pictures {
    /* The file whose bytes come now. */
    uint64_t id; /* 0: none */
    uint8_t *file;
    size_t used, capacity;
    /* What waits for its other half; the oldest goes. */
    struct tracy_picture_event events[TRACY_PICTURES_WAITING];
    struct tracy_picture_ready ready[TRACY_PICTURES_WAITING];
    uint32_t next_event, next_ready;
    /* Which of the last 64 frames have one; bit 0 is "newest". */
    uint64_t newest, have;
};

void tracy_pictures_free(struct tracy_pictures *pictures);
/* The event of a large thing that is a picture by its type and its name: it needs no message. */
struct event;
bool tracy_picture_event(const struct event *event);
/* The board was reset: its pictures are numbered from the start. */
void tracy_pictures_restart(struct tracy_pictures *pictures);

#endif
