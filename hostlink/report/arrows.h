/* SPDX-License-Identifier: MIT */
/* Arrows of flows on the report's timeline: from where each was sent, over its steps, to where it was received. Of more
 * than ARROWS_MAX every second, fourth, ... is kept. */
#ifndef HOSTLINK_REPORT_ARROWS_H
#define HOSTLINK_REPORT_ARROWS_H

#include "model/event.h"
#include "sink/outfile.h"

#define ARROWS_MAX 4096u
#define ARROWS_OPEN 8192u /* flows on their way; of older ones the arrow is not drawn */

struct arrow_end {
    int64_t time_ns;
    uint32_t track;
};

struct arrow {
    struct arrow_end from, to;
    uint32_t name; /* of the page's */
};

struct arrow_sent {
    uint64_t number; /* of the flow, 0: none */
    struct arrow_end at;
};

/* All zero is empty. */
struct report_arrows {
    struct arrow *list;      /* ARROWS_MAX */
    struct arrow_sent *sent; /* ARROWS_OPEN, by number */
    uint32_t count;
    uint64_t seen, step; /* arrows so far; one of so many is kept, 0: of one */
};

/* A send, a step or a receive. 0 or -ENOMEM. */
int report_arrows_flow(struct report_arrows *arrows, const struct event *event, uint32_t name);
/* "arrows":[[from_ns,to_ns,from_track,to_track,name],...],"arrows_seen":N */
void report_arrows_write(const struct report_arrows *arrows, struct outfile *out);
void report_arrows_free(struct report_arrows *arrows);

#endif
