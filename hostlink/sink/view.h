/* SPDX-License-Identifier: MIT */
/* The tables of hostlink stats: a view takes the events of a capture, and then writes a table of them. */
#ifndef HOSTLINK_VIEW_H
#define HOSTLINK_VIEW_H

#include "sink/selection.h"
#include "sink/table.h"

struct pipeline_totals;

/* Options of the tables. */
struct view_options {
    struct selection *selection;          /* that events of "event" have passed */
    const char *longest;                  /* zones whose longest runs are wanted */
    uint8_t level;                        /* least of messages */
    const char *text;                     /* that messages must have in them, NULL: any */
    uint64_t late_ns;                     /* frames that take longer are late, 0: none is */
    uint32_t top;                         /* 0: as many as there are by themselves */
    const struct pipeline_totals *totals; /* set before "write" */
};

struct view {
    const char *option;                                /* that asks for it; NULL: the default */
    void *(*make)(const struct view_options *options); /* NULL: no memory */
    /* All events, in a pass before. NULL: it needs none. 0 or -ENOMEM, as for the next ones. */
    int (*find)(void *state, const struct event *event);
    int (*event)(void *state, const struct event *event);
    int (*write)(void *state, struct table_to *to);
    void (*free)(void *state);
    bool whole; /* it gets all events in "event", those that are not selected too */
    /* hostlink report makes its table by this view; the page has zones, stacks and samples anyway. */
    bool in_report;
};

/* The one list, ended by NULL. The first is the one without an option. */
extern const struct view *const views[];

#endif
