/* SPDX-License-Identifier: MIT */
/* The events of a part of a capture, for outputs: whole things that begin in the part, also where they end after it.
 * The part begins with the running row of each core and the state of each task. Rows without an event in the part have
 * no EVENT_TRACK. */
#ifndef HOSTLINK_CUT_H
#define HOSTLINK_CUT_H

#include "base/liveset.h"
#include "model/board_info.h"
#include "model/consumer.h"
#include "sink/selection.h"

struct cut_row;

/* All zero, except "part" and "to", is the start. */
struct cut {
    struct selection *part;
    struct consumer to;
    struct cut_row *rows; /* by id of the track */
    uint32_t row_count;
    uint32_t running[BOARD_INFO_LANES];    /* the row that each core runs when the part begins */
    bool begun[BOARD_INFO_LANES];          /* an event of the part came */
    struct liveset live[EVENT_BOARDS_MAX]; /* that were allocated in the part, by board */
    struct intmap frames; /* names of sets: the number of one that is open, or has been */
    bool *frame_open;
    uint32_t frame_count;
};

/* Takes any event; hands on those of the part. Returns 0, -ENOMEM, or the consumer's error. */
int cut_event(struct cut *cut, const struct event *event);
/* After the last event: hands on states that lasted all through the part. Returns like cut_event(). */
int cut_end(struct cut *cut);
void cut_free(struct cut *cut);

#endif
