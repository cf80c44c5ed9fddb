/* SPDX-License-Identifier: MIT */
/* From wire events to resolved ones: contexts become tracks, ticks become nanoseconds, zones are
 * matched, losses become gaps, and impossible sequences are repaired and counted. */
#ifndef HOSTLINK_TIMELINE_H
#define HOSTLINK_TIMELINE_H

#include "clock/clockfit.h"
#include "model/continuity/event_numbers.h"
#include "model/event.h"
#include "model/names.h"
#include "wire/decode.h"

struct timeline;

struct timeline_counts {
    uint64_t delivered, lost_ring, lost_link, lost_before;
    uint64_t repairs, unknown_names;
    uint64_t samples, missed_samples;
    uint64_t
        incredible; /* packets left out as PACKET_INCREDIBLE, and lanes of STATUS packets like them */
    uint64_t not_finite;      /* values of plots: NaN, infinities */
    uint64_t unkept_blocks;   /* allocations beyond the greatest number that is live */
    uint64_t shared_switches; /* to contexts that have no track of their own */
    uint64_t unkept_objects; /* events of objects, and holds, beyond the greatest numbers of them */
    uint64_t short_flows;    /* between cores, that took less than their clocks' errors */
    uint64_t clock_changes,
        unknown_clocks; /* of the clock of the events; of other domains, stepped over */
    int64_t first_ns, last_ns;
    uint32_t sessions, lanes, tracks;
    uint32_t unnamed_tasks;
};

struct symbols;

typedef int timeline_event(void *context, const struct event *event);

/* NULL: no memory. "names" and "clock" are the caller's. */
struct timeline *timeline_new(struct names *names, struct clockfit *clock, timeline_event *emit,
                              void *context);
void timeline_free(struct timeline *timeline);
/* Sets the symbols for the addresses in call stacks. */
void timeline_know(struct timeline *timeline, const struct symbols *symbols);

/* The board was reset, or the first session begins. 0, or the value of "emit". */
int timeline_session(struct timeline *timeline, const char *image, const struct board_info *info,
                     int64_t epoch_ns);
uint32_t timeline_session_number(const struct timeline *timeline);

/* The position of the packet relative to its lane so far. */
enum packet_order timeline_order(struct timeline *timeline, const struct wire_head *head);
/* A packet of PACKET_INCREDIBLE is left out. */
void timeline_refuse(struct timeline *timeline, const struct wire_head *head);
/* Head of an EVENTS packet: counts the losses before it. */
int timeline_packet(struct timeline *timeline, const struct wire_head *head);
/* The packet's events, one by one. */
int timeline_wire_event(struct timeline *timeline, uint32_t lane, const struct wire_event *event);
/* Replaces these three if no one needs the events: the lane goes on after the packet. */
void timeline_pass_over(struct timeline *timeline, const struct wire_head *head,
                        struct reader *events);
/* Call after the last of the "decoded" events, whose ticks are "reached": events that the packet announced and did
 * not hold count as lost. */
void timeline_packet_end(struct timeline *timeline, const struct wire_head *head, uint32_t decoded,
                         uint64_t reached);
/* A lane as a STATUS packet gives it. */
struct lane_status {
    uint64_t ticks, events, pending;
};
void timeline_status(struct timeline *timeline, uint32_t lane, const struct lane_status *status);
/* An event of a row that is no context of the board's: the caller sets its track, and its time, which must not go
 * back in the track. The other calls give a number for such a row or for a flow, and the time of a tick of the
 * board's. */
int timeline_foreign(struct timeline *timeline, const struct event *event);
uint32_t timeline_row(struct timeline *timeline);
uint64_t timeline_flow_number(struct timeline *timeline);
int64_t timeline_ns(struct timeline *timeline, uint64_t ticks);
/* The session's time begins where an earlier pass found, if there was one, and not only with its first event. */
void timeline_start_known(struct timeline *timeline);
/* Names have come: the tracks of lanes' main contexts, of a site, or all take theirs. */
int timeline_named_lanes(struct timeline *timeline);
int timeline_named_site(struct timeline *timeline, uint32_t index);
void timeline_named_pool(struct timeline *timeline, uint32_t index);
int timeline_renamed(struct timeline *timeline);
/* Names will change: ends everything that is identified by a name. */
int timeline_before_other_names(struct timeline *timeline);
/* The board reports the state of its clock: counts if no CLOCK event came before. */
void timeline_clock_stands(struct timeline *timeline, uint32_t changes, uint64_t slept);
/* The board reports the errors of its cores' clocks: they are shown with the next packet of each lane. */
void timeline_core_clocks(struct timeline *timeline, const struct board_info *info);
/* Closes everything that is open. */
int timeline_end(struct timeline *timeline);

void timeline_counts(const struct timeline *timeline, struct timeline_counts *counts);

#endif
