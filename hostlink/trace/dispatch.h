/* SPDX-License-Identifier: MIT */
/* Changes the state of a pipeline by a packet of the board, according to its type. */
#ifndef HOSTLINK_DISPATCH_H
#define HOSTLINK_DISPATCH_H

#include "trace/pipeline.h"
#include "wire/fields.h"

/* The calls return 0, or the event callback's value. */
int dispatch(struct pipeline *pipeline, const struct wire_packet *packet);
/* The stream has ended: packets that are held because they may be copies wait no longer. */
int dispatch_end(struct pipeline *pipeline);

/* Passes a line to the user; NULL: nothing. */
void pipeline_notice(struct pipeline *pipeline, const char *text);
/* A line of the board's: only characters that are safe for a terminal are passed on. */
void pipeline_print(struct pipeline *pipeline, const uint8_t *bytes, size_t length);

#endif
