/* SPDX-License-Identifier: MIT */
/* Pools of memory: finds the size of each freed block. A discard frees all remaining blocks. */
#ifndef HOSTLINK_BLOCKS_H
#define HOSTLINK_BLOCKS_H

#include "model/event.h"

struct timeline;
struct track_state;

/* The calls return 0, -ENOMEM, or the value of the timeline's "emit". */
/* Keeps an allocation; gives a free the size of its block. Sends the event, and before it the free of the last block
 * at its address, if that did not come. */
int blocks_event(struct timeline *timeline, struct track_state *state, struct event *event);
/* All that is left in the pool is freed, as a free for each. */
int blocks_discard(struct timeline *timeline, struct track_state *state, const struct event *event);
/* The pool of that site has got its name. */
void blocks_named_pool(struct timeline *timeline, uint32_t index);

#endif
