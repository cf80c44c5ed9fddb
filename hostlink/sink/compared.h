/* SPDX-License-Identifier: MIT */
/* The measurements of a capture that is compared with another. */
#ifndef HOSTLINK_COMPARED_H
#define HOSTLINK_COMPARED_H

#include "sink/measures.h"
#include "sink/memorytable.h"
#include "sink/samplecounts.h"

struct compared {
    struct selection *part;
    struct measures measures;
    struct memorytable memory;
    struct samplecounts samples;
};

/* "part" of the capture, NULL: all of it. */
void compared_init(struct compared *compared, struct selection *part);
/* Any event. 0 or -ENOMEM, as for the next. */
int compared_event(struct compared *compared, const struct event *event);
/* After the last event. 0 or -ENOMEM. */
int compared_settle(struct compared *compared);
void compared_free(struct compared *compared);

#endif
