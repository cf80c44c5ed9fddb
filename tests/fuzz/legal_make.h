/* SPDX-License-Identifier: MIT */
/* Changes events with any numbers to those that the timeline can send: times go on within a track, zones nest. For the
 * fuzzers of code that takes events. */
#ifndef LEGAL_MAKE_H
#define LEGAL_MAKE_H

#include "legal_events.h"

struct legal_maker {
    struct legal legal;
    void *context;
    void (*give)(void *context, const struct event *event);
};

/* Gives the event, changed so that it is legal, after the events that it needs before it; or nothing. */
void legal_make(struct legal_maker *maker, struct event event);
/* Closes the zones that are open. */
void legal_make_end(struct legal_maker *maker);
void legal_make_free(struct legal_maker *maker);

#endif
