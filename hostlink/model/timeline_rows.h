/* SPDX-License-Identifier: MIT */
/* The state of a timeline, and its rows: the row of each context, its name, and the events that go out in it. Private
 * to the timeline: timeline.c takes packets and events and knows its parts (frames, flows, blocks, tasks, object
 * events), which know this. */
#ifndef HOSTLINK_TIMELINE_ROWS_H
#define HOSTLINK_TIMELINE_ROWS_H

#include "base/liveset.h"
#include "model/clock_changes.h"
#include "model/continuity/event_numbers.h"
#include "model/continuity/unread_packet.h"
#include "model/flows.h"
#include "model/format.h"
#include "model/frames.h"
#include "model/functions.h"
#include "model/objects.h"
#include "model/tasks.h"
#include "model/timeline.h"
#include "model/tracks.h"
#include "model/zones.h"

/* Most interrupts that interrupt each other; the return of deeper ones is not seen. */
#define INTERRUPTS_MAX 16u

/* The interrupts that a lane is in. The context that the lane goes on with shows that an interrupt has returned; the
 * zones that it left open are then closed. All zero is the start. */
struct interrupts {
    struct track_state *running[INTERRUPTS_MAX]; /* the innermost last */
    uint32_t count;
};

/* The lane goes on with "next". Returns 0, or the value of the zones' "send". */
int interrupts_follow(struct interrupts *interrupts, struct zones *zones, struct names *names,
                      struct track_state *next, int64_t time_ns);
/* The session is over: names the interrupts that have not returned. Returns the same. */
int interrupts_end(struct interrupts *interrupts, struct zones *zones, int64_t time_ns);

struct lane {
    bool seen;
    struct event_numbers numbers; /* of its packets */
    struct unread_packet unread;
    uint64_t first_ticks; /* of the first packet */
    uint64_t next;        /* number of the next event expected */
    uint64_t pending;     /* refused on the board, not yet reported by a LOSS event */
    uint64_t unshown;     /* lost on the link, to be shown as a gap at the next packet */
    int64_t last_ns;
    struct track_state *current;
    struct track_state *preempted; /* by the interrupts that the lane runs, or NULL */
    struct interrupts interrupts;
    bool ends;       /* of zones, since the last event for which there was room */
    bool has_stack;  /* of the next event */
    bool clock_news; /* the error of its core's clock is to be shown: */
    int64_t clock_error_ns;
    struct callstack stack;
};

/* The plot of the error of a core's clock. */
struct core_clock_plot {
    struct site site;
    char name[40];
};

struct timeline {
    struct names *names;
    const struct symbols *symbols;
    struct clockfit *clock;
    timeline_event *emit;
    void *context;
    struct lane lanes[WIRE_LANES];
    struct core_clock_plot *clock_plots[WIRE_LANES]; /* of lanes whose clock was set; or NULL */
    struct tracks tracks;
    struct zones zones;
    struct objects objects;
    struct liveset live;
    struct frames frames;
    struct flows flows;
    struct functions functions;
    struct tasks tasks;
    const struct board_info *info; /* of the session */
    uint32_t session;              /* + 1; 0 before the first */
    struct clock_changes clock_changes;
    struct timeline_counts counts;
    bool timed; /* first_ns is set */
    char text[FORMAT_BYTES_MAX];
};

/* Time never goes back within a track, whatever times the board sent. */
int timeline_send(struct timeline *timeline, struct track_state *state, struct event *event);

/* Adds without overflow: a hostile board may make counts as large as it likes. */
static inline void timeline_add(uint64_t *sum, uint64_t count) {
    *sum = count < UINT64_MAX - *sum ? *sum + count : UINT64_MAX;
}

/* The most that the lane's times are wrong by against lane 0's. */
int64_t timeline_clock_error(const struct timeline *timeline, uint32_t lane);

/* Sends the track's name and kind, and again after a change. */
int timeline_announce(struct timeline *timeline, struct track_state *state, int64_t time_ns);
/* The track of the context that the reference names at that time; makes it. NULL: no memory. */
struct track_state *timeline_track(struct timeline *timeline, uint32_t lane, uint32_t reference,
                                   uint64_t ticks);
/* It is over: sinks may forget it. */
int timeline_end_track(struct timeline *timeline, const struct track_state *state);
/* The session is over: so are its tracks. */
int timeline_end_tracks(struct timeline *timeline);
/* The context that the lane switches to. */
struct track_state *timeline_switched_to(struct timeline *timeline, uint32_t lane_number,
                                         uint32_t reference, uint64_t ticks);

#endif
