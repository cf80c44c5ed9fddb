/* SPDX-License-Identifier: MIT */
/* Brings the events of all lanes of a board into one order of time before anything looks at them: memory is allocated
 * on one core and freed on another, tasks move between cores, and the packets of a lane come in batches, those of a
 * core that records little long after those of a busy one.
 *
 * An event goes on when every other lane has come as far, or lags too far to be waited for: by MERGE_HOLD_PER_S of
 * the board's clock and by as much as packets were late in the last seconds, as a core with much in its ring sends it
 * long after others, and a board may begin to send late; or when MERGE_BYTES_MAX are held. Then the order is that of
 * arrival. Within a lane it is always that. */
#ifndef HOSTLINK_MERGE_H
#define HOSTLINK_MERGE_H

#include "wire/decode.h"

/* A part of a second: longer than a board keeps events back (KYMO_LATENCY_MS, 100 by default). */
#define MERGE_HOLD_PER_S 4u
#define MERGE_BYTES_MAX (8u * 1024u * 1024u)
/* A packet that is later than this is not waited for. */
#define MERGE_LATE_MAX_S 16u

struct merge;
struct timeline;
struct lane_status;

/* Events go on to "timeline", which is the caller's. Where a call lets some go it returns what the
 * timeline did, if that is not 0. NULL: no memory. */
struct merge *merge_new(struct timeline *timeline);
void merge_free(struct merge *merge);

/* The board has so many lanes, and "hz" is the rate of its clock. */
void merge_expect(struct merge *merge, uint32_t lanes, uint64_t hz);
/* The board's clock has come so far. */
int merge_reached(struct merge *merge, uint64_t ticks);
/* All lanes have come so far: nothing that is earlier will come any more. */
int merge_complete(struct merge *merge, uint64_t ticks);

/* Puts the events of an EVENTS packet from the reader on. 0, -ENOMEM, or the timeline's result. */
int merge_put(struct merge *merge, const struct wire_head *head, const struct reader *events);
int merge_status(struct merge *merge, uint32_t lane, const struct lane_status *status);
/* The head of the last packet of the lane in the session, NULL before the first. */
const struct wire_head *merge_last(const struct merge *merge, uint32_t lane);
bool merge_holds(const struct merge *merge, uint32_t lane);
/* The number of the event that follows the last packet of a lane with held packets. Decodes that packet. */
uint64_t merge_next(const struct merge *merge, uint32_t lane);

/* All that is held goes on. */
int merge_flush(struct merge *merge);
/* Another session begins, nothing is held: clocks and lanes start again. */
void merge_restart(struct merge *merge);

#endif
