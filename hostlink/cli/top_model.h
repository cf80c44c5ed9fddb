/* SPDX-License-Identifier: MIT */
/* Numbers that 'hostlink top' shows: since the start, or since the last look. */
#ifndef HOSTLINK_TOP_MODEL_H
#define HOSTLINK_TOP_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/keytable.h"
#include "sink/taskstats.h"
#include "sink/zonestats.h"

#define TOP_HISTORY 64u
#define TOP_NAME_BYTES 128u

/* Values of a plot by equal pieces of time, the last one of each. */
struct top_history {
    int64_t step_ns; /* how long a piece is */
    int64_t first;   /* number of the first piece */
    uint32_t count;
    bool scrolls; /* the oldest piece goes; else pieces become longer */
    double value[TOP_HISTORY];
};

struct top_row {
    char name[TOP_NAME_BYTES];
    uint64_t count, total_ns, self_ns,
        max_ns;               /* since the start, or since the last look; max: since the start */
    double share, rate;       /* of a core's time in percent; a second */
    double last, least, most; /* of plots */
    const struct top_history *history; /* of plots, else NULL */
};

struct top_rows {
    struct top_row *list;
    size_t count;
};

enum top_part { TOP_ZONES, TOP_TRACKS, TOP_INTERRUPTS, TOP_PLOTS, TOP_PARTS };

struct top_seen {
    uint64_t count, total_ns, self_ns;
};

struct top_model {
    struct zonestats *zones;
    struct taskstats *tracks;
    struct keytable plot_names;
    struct top_plot {
        const char *name;
        uint64_t count, seen;
        double last, least, most;
        struct top_history history;
    } * plots; /* by number of the name */
    uint32_t plot_capacity;
    bool is_live;
    int64_t first_ns, last_ns; /* of all events */
    bool has_events;
    /* At the last look. */
    struct top_seen *zones_seen, *tracks_seen;
    size_t zones_known, tracks_known;
    int64_t looked_ns;
    uint64_t observed_ns;
};

/* 0 or -ENOMEM. "step_ns": of histories, at the start. */
int top_model_open(struct top_model *model, bool is_live);
/* Takes any event. 0 or -ENOMEM. */
int top_model_event(void *model, const struct event *event);
/* The rows of all parts, arrays for free(); since the last look, or since the start. 0 or -ENOMEM. */
int top_model_look(struct top_model *model, bool since_start, struct top_rows rows[TOP_PARTS]);
void top_model_close(struct top_model *model);

#endif
