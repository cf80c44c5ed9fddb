/* SPDX-License-Identifier: MIT */
/* The longest times in which a core recorded no event. Not where events were lost, and not across a reset. */
#ifndef HOSTLINK_SILENCES_H
#define HOSTLINK_SILENCES_H

#include "model/board_info.h"
#include "sink/selection.h"
#include "sink/table.h"

#define SILENCES 10u
#define SILENCES_MAX 1000u

/* An event of the board, as people call it. */
struct silence_end {
    const struct track *track; /* NULL: none yet */
    enum event_kind kind;
    const char *name;
    int64_t time_ns;
};

struct silence {
    struct silence_end from, to;
};

struct silences {
    struct selection *selection;
    struct silence *list; /* by falling length */
    uint32_t wanted, count;
    int64_t least_ns; /* that a silence must take longer than to be one of them */
    struct silence_end last[BOARD_INFO_LANES]; /* by core */
};

/* NULL: no memory. "wanted" 0: SILENCES of them. */
struct silences *silences_new(struct selection *selection, uint32_t wanted);
/* Any event. 0. */
int silences_event(struct silences *silences, const struct event *event);
/* 0 or -ENOMEM. */
int silences_write(const struct silences *silences, struct table_to *to);
void silences_free(struct silences *silences);

#endif
