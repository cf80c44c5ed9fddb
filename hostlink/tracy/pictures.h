/* SPDX-License-Identifier: MIT */
/* Pictures of frames. The board records an event for a picture, and sends its bytes beside the events: either may
 * come first. Both together make an image of the frame that was on the screen, at most one for a frame. */
#ifndef HOSTLINK_TRACY_PICTURES_H
#define HOSTLINK_TRACY_PICTURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracy/picture.h"
#include "tracy/repair.h"
#include "tracy/stream.h"

/* Events wait for those of other cores (model/merge.h), and pictures do not. */
#define TRACY_PICTURES_WAITING 64u

/* An event of a picture; "marks": how many marks of the main set the viewer got before it. */
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
    /* Events without bytes yet, and pictures without an event; the oldest is dropped. */
    struct tracy_picture_event events[TRACY_PICTURES_WAITING];
    struct tracy_picture_ready ready[TRACY_PICTURES_WAITING];
    uint32_t next_event, next_ready;
    /* Which of the last 64 frames have one; bit 0 is "newest". */
    uint64_t newest, have;
};

/* Where a viewer's pictures go. */
struct tracy_picture_output {
    struct tracy_stream *stream;
    uint64_t frames_before; /* marks of the main set before the viewer came */
    uint64_t marks;         /* and since */
    int64_t now_ns;         /* the time of repairs */
    tracy_repair_sink *repaired;
    void *context;
};

void tracy_pictures_free(struct tracy_pictures *pictures);
/* The event of a large thing that is a picture by its type and its name: it needs no message. */
bool tracy_picture_event(const struct event *event);
/* Takes an event without an item of its own, which may be the event of a picture. */
void tracy_pictures_event(struct tracy_pictures *pictures, const struct tracy_picture_output *out,
                          const struct event *event);
/* Like large_receive() in model/large.h. */
struct large;
void tracy_pictures_receive(struct tracy_pictures *pictures, const struct tracy_picture_output *out,
                            const struct large *large, const uint8_t *bytes, size_t length);
/* The board was reset: its pictures are numbered from the start. */
void tracy_pictures_restart(struct tracy_pictures *pictures);

#endif
