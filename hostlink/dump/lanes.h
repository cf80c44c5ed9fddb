/* SPDX-License-Identifier: MIT */
/* The events that the lanes of a recorder still hold, lane by lane, in order. For rings that keep the oldest events;
 * blocks.h reads those of a flight recorder. */
#ifndef HOSTLINK_DUMP_LANES_H
#define HOSTLINK_DUMP_LANES_H

#include "dump/recorder.h"
#include "dump/records.h"

/* A lane, at its oldest event. */
struct lane_start {
    uint32_t lane;
    uint64_t events;  /* of the lane, before this row */
    uint32_t context; /* reference as it travels */
};

struct lanes_reader {
    void *context;
    /* Non-zero stops; that is returned. */
    int (*start)(void *context, const struct lane_start *start);
    int (*event)(void *context, const struct wire_event *event);
};

/* Counts that show whether the records are sound. */
struct lanes_report {
    uint32_t
        broken; /* lanes, or blocks of a flight recorder, whose rest is no records: it is left out */
    uint64_t named; /* events that name a site */
    uint64_t
        strangers; /* of these, those whose site is of another kind: of another program, then */
};

/* Returns 0, or the reader's value. */
int lanes_read(const struct recorder *recorder, uint32_t lane, const struct lanes_reader *reader,
               struct lanes_report *report);

#endif
