/* SPDX-License-Identifier: MIT */
/* A link whose other end is the test: frames to the stack are put in, frames from it taken out. */
#ifndef LINK_MODEL_H
#define LINK_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net_link.h"

#define LINK_FRAMES 64u

struct link_frame {
    size_t length;
    uint8_t bytes[KYMO_NET_FRAME_BYTES];
};

struct link_queue {
    struct link_frame frames[LINK_FRAMES];
    uint32_t in, out; /* count for ever */
};

struct link_model {
    struct kymo_net_link link;
    struct link_queue to_stack;
    struct link_queue from_stack;
    /* The frame that the stack looks at, not a byte longer, so that ASan sees if it looks further. */
    uint8_t *given;
    uint32_t room; /* frames that the model takes before it says that it is full */
};

void link_model_init(struct link_model *model);

/* Puts a frame in; false when the queue is full. */
bool link_model_put(struct link_model *model, const uint8_t *bytes, size_t length);

/* The oldest frame of the stack, or NULL; valid until the next call. */
const struct link_frame *link_model_take(struct link_model *model);

#endif
