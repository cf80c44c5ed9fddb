/* The tables of hostlink stats: what takes the events of a capture, and then writes a table of them. */
#ifndef HOSTLINK_VIEWS_H
#define HOSTLINK_VIEWS_H

#include "sink/table.h"
#include "trace/pipeline.h"

struct view {
    const char
        *option; /* that asks for it; NULL: the one that is written where none is asked for */
    void *(*make)(void);                                  /* NULL: no memory */
    int (*event)(void *state, const struct event *event); /* 0 or -ENOMEM */
    int (*write)(void *state, const struct pipeline_totals *totals, struct table_to *to);
    void (*free)(void *state);
};

/* Ended by one without an event function. The first is the one without an option. */
extern const struct view views[];

#endif
