/* SPDX-License-Identifier: MIT */
/* The events of run-time objects. */
#ifndef HOSTLINK_OBJECT_EVENTS_H
#define HOSTLINK_OBJECT_EVENTS_H

#include "model/objects.h"
#include "wire/decode.h"

struct timeline;

/* The object that an event names; makes it. NULL: no memory, or too many. */
struct object_state *object_of_event(struct timeline *timeline, struct track_state *state,
                                     const struct wire_event *wire, uint8_t of, int64_t time_ns);
/* An event whose reference is a run-time object. */
int object_event(struct timeline *timeline, struct track_state *state,
                 const struct wire_event *wire, int64_t time_ns, const struct callstack *stack);

#endif
