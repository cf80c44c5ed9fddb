/* SPDX-License-Identifier: MIT */
/* A short fixed trace with every kind of event. The recordings in tracy_recorded.c belong to it:
 * after a change, record again. */
#ifndef TRACY_SCENE_H
#define TRACY_SCENE_H

#include "model/event.h"

/* Gives all events to "sink"; what it returns first that is not 0. */
int tracy_scene(int (*sink)(void *context, const struct event *event), void *context);

#endif
