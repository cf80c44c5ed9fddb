/* SPDX-License-Identifier: MIT */
/* The tables of 'hostlink stats' and 'compare', one in turn, of any events that the timeline can send. */
#ifndef FUZZ_TABLES_H
#define FUZZ_TABLES_H

#include <stdint.h>

#include "model/event.h"
#include "sink/view.h"

struct compared;

/* All zero is the start. */
struct tables {
    const struct view *view; /* or those of 'compare': */
    struct compared *before, *after;
    void *state;
    struct selection selection;
    struct view_options options;
    uint8_t how;
    uint32_t events;
};

/* "how" decides which table, what of, and where it goes. */
void tables_begin(struct tables *tables, uint8_t how, uint8_t part);
/* All events once, and again for those that look for something first. */
void tables_find(struct tables *tables, const struct event *event);
void tables_event(struct tables *tables, const struct event *event);
void tables_end(struct tables *tables);

#endif
