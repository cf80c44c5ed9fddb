/* SPDX-License-Identifier: MIT */
/* The tables of hostlink stats: what takes the events of a capture, and then writes a table of them. */
#ifndef HOSTLINK_VIEWS_H
#define HOSTLINK_VIEWS_H

#include "sink/table.h"
#include "trace/pipeline.h"

struct selection;

/* Options of the tables. */
struct view_options {
    struct selection *selection; /* that events of "event" have passed */
    const char *longest;         /* zones whose longest runs are wanted */
    uint8_t level;               /* least of messages */
    const char *text;            /* that messages must have in them, NULL: any */
    uint64_t late_ns;            /* frames that take longer are late, 0: none is */
    uint32_t top;                /* 0: as many as there are by themselves */
};

struct view {
    const char
        *option; /* that asks for it; NULL: the one that is written where none is asked for */
    void *(*make)(const struct view_options *options); /* NULL: no memory */
    int (*find)(void *state,
                const struct event *event); /* all, in a pass before, or NULL: needs none */
    int (*event)(void *state, const struct event *event); /* 0 or -ENOMEM */
    bool whole; /* it gets all events in "event", those that are not selected too */
    bool
        in_report; /* hostlink report makes its table by this view; the page has zones, stacks and samples anyway */
    int (*write)(void *state, const struct pipeline_totals *totals, struct table_to *to);
    void (*free)(void *state);
};

/* Ended by one without an event function. The first is the one without an option. */
extern const struct view views[];

#endif
