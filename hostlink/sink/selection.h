/* SPDX-License-Identifier: MIT */
/* A part of a capture: from a time to a time, zones of some names, contexts of some names. */
#ifndef HOSTLINK_SELECTION_H
#define HOSTLINK_SELECTION_H

#include "base/intmap.h"
#include "model/event.h"

/* One end: a time, the n-th mark of any frame set, the first message that has a text in it, or a signpost: the first of
 * its header, and for "to" the first after "from". */
struct selection_end {
    enum {
        SELECTION_NONE,
        SELECTION_TIME,
        SELECTION_FRAME,
        SELECTION_MESSAGE,
        SELECTION_SIGNPOST
    } is;
    int64_t time_ns; /* of a frame or message: where it was found */
    uint64_t frame;  /* from 1 */
    const char *text;
    bool found;
};

/* All zero selects everything. */
struct selection {
    struct selection_end from, to;
    const char *zone, *context;     /* patterns, NULL: all */
    uint64_t frames;                /* seen while looking for ends */
    struct intmap known;            /* sites and tracks: 1 yes, 2 no */
    bool zone_found, context_found; /* some name matched */
};

/* Parses "1.5", "250ms", "frame:12", "message:TEXT" or "signpost:HEADER"; false for other text. */
bool selection_parse(struct selection_end *end, const char *text);
/* An end is not a time: selection_look() must see all events before the first selection_takes(). */
bool selection_must_look(const struct selection *selection);
void selection_look(struct selection *selection, const struct event *event);

/* True for events of the timeline as a whole: sessions, rows, switches, losses, tasks. */
bool selection_is_structure(const struct event *event);
/* True for events of the part: the structure always, a zone if all of it lies inside. */
bool selection_takes(struct selection *selection, const struct event *event);
/* The same for a run of a track. */
bool selection_takes_run(struct selection *selection, const struct track *track, int64_t from_ns,
                         int64_t to_ns);
/* True if this time is after the part. */
bool selection_is_over(const struct selection *selection, int64_t time_ns);
/* The part's length, with the last event at "last_ns". */
double selection_span(const struct selection *selection, int64_t last_ns);
void selection_free(struct selection *selection);

#endif
