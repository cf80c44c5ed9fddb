/* From wire events to resolved ones: contexts become tracks, ticks become nanoseconds, zones are
 * matched, losses become gaps, and what cannot be is mended and counted. */
#ifndef HOSTLINK_TIMELINE_H
#define HOSTLINK_TIMELINE_H

#include "trace/clockfit.h"
#include "trace/decode.h"
#include "trace/event.h"
#include "trace/names.h"

struct timeline;

struct timeline_counts {
    uint64_t delivered, lost_ring, lost_link, lost_before;
    uint64_t repairs, unknown_names;
    uint64_t
        incredible; /* frames left out as TIMELINE_INCREDIBLE, and lanes of STATUS frames like them */
    uint64_t unkept_blocks;   /* allocations beyond the greatest number that is live */
    uint64_t shared_switches; /* to contexts that have no track of their own */
    int64_t first_ns, last_ns;
    uint32_t sessions, lanes, tracks;
    uint32_t unnamed_tasks;
};

typedef int timeline_event(void *context, const struct event *event);

/* NULL: no memory. "names" and "clock" are the caller's. */
struct timeline *timeline_new(struct names *names, struct clockfit *clock, timeline_event *emit,
                              void *context);
void timeline_free(struct timeline *timeline);

/* The board was reset, or the first session begins. 0, or what "emit" returned. */
int timeline_session(struct timeline *timeline, const char *image, int64_t epoch_ns);
uint32_t timeline_session_number(const struct timeline *timeline);

/* Where a frame stands to what its lane has brought so far. */
enum timeline_order {
    TIMELINE_FOLLOWS,   /* goes on where the lane is, or later */
    TIMELINE_FIRST,     /* likewise, but the lane has brought nothing yet */
    TIMELINE_REPEATED,  /* it was there: the same frame again, or from a board that was reset */
    TIMELINE_ANEW,      /* the first frame, but another one: only a board that was reset says so */
    TIMELINE_INCREDIBLE /* so many events as it says to have been lost no board records (claims.h) */
};
enum timeline_order timeline_order(const struct timeline *timeline, const struct wire_head *head);
/* A frame of TIMELINE_INCREDIBLE is left out. */
void timeline_refuse(struct timeline *timeline, const struct wire_head *head);
/* Head of an EVENTS frame: accounts for what was lost before it. */
int timeline_frame(struct timeline *timeline, const struct wire_head *head);
/* Its events, one by one. */
int timeline_wire_event(struct timeline *timeline, uint32_t lane, const struct wire_event *event);
/* In place of these three where nobody wants the events: the lane goes on behind the frame. */
void timeline_pass_over(struct timeline *timeline, const struct wire_head *head,
                        struct reader *events);
/* Behind the last: what the frame announced and did not hold counts as lost. */
void timeline_frame_end(struct timeline *timeline, const struct wire_head *head, uint32_t decoded);
/* A lane as a STATUS frame gives it. */
struct lane_status {
    uint64_t ticks, events, pending;
};
void timeline_status(struct timeline *timeline, uint32_t lane, const struct lane_status *status);
/* Names have come: the tracks of lanes' main contexts, of a site, or all take theirs. */
int timeline_named_lanes(struct timeline *timeline);
int timeline_named_site(struct timeline *timeline, uint32_t index);
int timeline_renamed(struct timeline *timeline);
/* Closes what is open. */
int timeline_end(struct timeline *timeline);

void timeline_counts(const struct timeline *timeline, struct timeline_counts *counts);

#endif
