/* SPDX-License-Identifier: MIT */
/* 'hostlink top': a trace as a screen that is drawn again each second, with keys. */
#ifndef HOSTLINK_TOP_H
#define HOSTLINK_TOP_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/live.h"
#include "cli/top_model.h"
#include "trace/pipeline.h"

#define TOP_INPUT_BYTES 64u
#define TOP_NOTICE_BYTES 512u

enum top_view {
    TOP_VIEW_ALL,
    TOP_VIEW_ZONES,
    TOP_VIEW_TRACKS,
    TOP_VIEW_INTERRUPTS,
    TOP_VIEW_PLOTS,
    TOP_VIEW_PARAMS,
    TOP_VIEW_HELP
};

enum top_order { TOP_BY_SELF, TOP_BY_COUNT, TOP_BY_MEAN, TOP_BY_MAX, TOP_BY_NAME, TOP_ORDERS };

/* The input line at the bottom. */
enum top_input { TOP_INPUT_NONE, TOP_INPUT_FILTER, TOP_INPUT_VALUE };

struct top {
    /* Set by the caller. */
    const char *name;
    struct live *live; /* NULL: a capture */
    struct pipeline_totals totals;
    uint64_t interval_ns;

    struct top_model model;
    struct top_rows rows[TOP_PARTS];
    enum top_view view;
    enum top_order order;
    bool reversed, paused, since_start, wants_end, utf8;
    bool ended;               /* nothing more comes */
    size_t scroll, params_at; /* first row that is shown; the parameter that is chosen */
    enum top_input input;
    char typed[TOP_INPUT_BYTES], filter[TOP_INPUT_BYTES];
    char asked[PARAM_NAME_BYTES]; /* the parameter of TOP_INPUT_VALUE */
    char notice[TOP_NOTICE_BYTES];
    /* Numbers of the look that is shown. */
    uint64_t looked_ns, shown_bytes, shown_events;
    double bytes_per_s, events_per_s;
    int error;
};

/* Takes the numbers of now, unless it is paused. */
void top_look(struct top *top, uint64_t now_ns);
/* One key of the screen. */
void top_key(struct top *top, int key);
/* Draws all. */
void top_draw(struct top *top);
/* The number of rows of a part that the filter leaves; for parts in the displayed order. */
size_t top_select(const struct top *top, enum top_part part, const struct top_row **rows,
                  size_t most);
/* The parameters of the board; NULL: they cannot be set. */
struct params *top_params(const struct top *top);

#endif
