/* SPDX-License-Identifier: MIT */
/* The state of a timeline. Private to timeline.c, which takes packets and events, and timeline_contexts.c, which gives
 * contexts their rows. */
#ifndef HOSTLINK_TIMELINE_STATE_H
#define HOSTLINK_TIMELINE_STATE_H

#include <math.h>

#include "base/intmap.h"
#include "base/liveset.h"
#include "model/continuity/event_numbers.h"
#include "model/continuity/unread_packet.h"
#include "model/format.h"
#include "model/functions.h"
#include "model/interrupts.h"
#include "model/objects.h"
#include "model/timeline.h"
#include "model/tracks.h"
#include "model/zones.h"

struct lane {
    bool seen;
    struct event_numbers numbers; /* of its packets */
    struct unread_packet unread;
    uint64_t first_ticks; /* of the first packet */
    uint64_t next;        /* number of the next event expected */
    uint64_t pending;     /* refused on the board, of which no LOSS event has told yet */
    uint64_t unshown;     /* lost on the link, to be shown as a gap at the next packet */
    int64_t last_ns;
    struct track_state *current;
    struct track_state *preempted; /* by the interrupts that the lane runs; NULL: by none */
    struct interrupts interrupts;
    bool ends;      /* of zones, since the last event for which there was room */
    bool has_stack; /* of the next event */
    struct callstack stack;
};

/* Of this session; all zero is the start. */
struct clock_changes {
    bool seen;
    bool stated;     /* nothing was seen yet, the board said how many there were */
    uint32_t number; /* of the last one */
    uint64_t slept;  /* ticks of the slow clock, in all */
};

/* What starts and ends frames of one name; all zero is the start. */
struct frame_set {
    const struct site *site; /* of the last start */
    uint32_t lane;
    bool open;
};
struct frames {
    struct intmap numbers; /* by name: + 1 */
    struct frame_set *sets;
    uint32_t count, capacity;
};

/* Flows and asynchronous zones of one name; all zero is the start. */
struct flow_set {
    uint64_t *rows; /* bits: those that open zones have */
    uint32_t row_words;
};
struct open_flow {
    const struct site *site; /* of its start; NULL: none is open here */
    uint64_t id, number;
    int64_t start_ns;
    uint32_t lane, set, row; /* lane: of its start */
    uint32_t next;           /* of those that are free, + 1; 0: no more */
    bool is_async;
};
/* All zero, except "number", is the start of a session. */
struct flows {
    struct intmap numbers; /* of sets, by name: + 1 */
    struct flow_set *sets;
    uint32_t set_count, set_capacity;
    struct liveset places; /* in "open", + 1, by set and id */
    struct open_flow *open;
    uint32_t count, capacity, free, oldest;
    uint64_t number; /* of the last one of the capture */
};

/* The tasks of a kernel; all zero is the start of a session. */
struct tasks {
    bool told;                 /* by it: one that leaves and does not say that it waits is ready */
    struct track_state *known; /* those whose state is known, but those that are over */
    struct track_state
        *runs[WIRE_LANES]; /* by lane, also while that runs an interrupt; NULL: not known */
};

struct timeline {
    struct names *names;
    const struct symbols *symbols;
    struct clockfit *clock;
    timeline_event *emit;
    void *context;
    struct lane lanes[WIRE_LANES];
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

/* Time never goes back within a track, whatever the board said. */
int timeline_send(struct timeline *timeline, struct track_state *state, struct event *event);

/* Of counts that a hostile board may make as large as it likes. */
static inline void timeline_add(uint64_t *sum, uint64_t count) {
    *sum = count < UINT64_MAX - *sum ? *sum + count : UINT64_MAX;
}

static inline void timeline_plot(struct timeline *timeline, const struct event *event) {
    const bool finite = event->u.plot.type == PLOT_INT || isfinite(event->u.plot.real);
    timeline->counts.not_finite += finite ? 0 : 1;
}

static inline void timeline_sample(struct timeline *timeline, const struct event *event) {
    timeline->counts.samples++;
    timeline_add(&timeline->counts.missed_samples, event->u.sample.missed);
}

/* Events were lost on the lane between these times; it has run something. */
int timeline_gap(struct timeline *timeline, const struct lane *lane, int64_t start_ns,
                 int64_t end_ns, uint64_t lost, enum gap_cause cause);
/* The ends of zones and the returns of interrupts, whose room is promised, are recorded also where the ring is full. A
 * context whose switch was refused is stated again before the first event for which there is room. True: so zones have
 * ended that may be those of another context. Inline, as every event asks. */
static inline bool timeline_lacks_switch(struct lane *lane, const struct wire_event *wire) {
    const bool ends = lane->ends;
    switch (wire->kind) {
    case KYMO_KIND_ZONE_END:
    case KYMO_KIND_ZONE_END_ON:
    case KYMO_KIND_FUNCTION_END:
    case KYMO_KIND_FUNCTION_LEFT:
        lane->ends = true;
        return false;
    case KYMO_KIND_LOSS:
    case KYMO_KIND_CONTEXT:
        return false;
    case KYMO_KIND_CONTEXT_NOW:
        lane->preempted = NULL;
        lane->ends = false;
        return ends;
    default:
        lane->ends = false;
        return false;
    }
}

/* The lane had room: ends that found no zone are the firmware's. */
int timeline_report_unfound(struct timeline *timeline, uint32_t lane_number);
/* At the end of a session: of losses that nothing behind them told of. */
int timeline_last_gaps(struct timeline *timeline, uint32_t lane_number);

/* A CLOCK event. */
void timeline_clock(struct timeline *timeline, const struct wire_event *wire);

/* Tells the track's name and kind, and again after a change. */
int timeline_announce(struct timeline *timeline, struct track_state *state, int64_t time_ns);
/* The track of the context that the reference names at that time; makes it. NULL: no memory. */
struct track_state *timeline_track(struct timeline *timeline, uint32_t lane, uint32_t reference,
                                   uint64_t ticks);
/* The session is over: so are its tracks. */
int timeline_end_tracks(struct timeline *timeline);
/* Which interrupts the lane runs, and what these preempted, is not known any more. */
static inline void timeline_forget_preempted(struct lane *lane) {
    lane->interrupts.count = 0;
    lane->preempted = NULL;
}
/* What the lane switches to. */
struct track_state *timeline_switched_to(struct timeline *timeline, uint32_t lane_number,
                                         uint32_t reference, uint64_t ticks);
int timeline_context_name(struct timeline *timeline, uint32_t lane, const struct wire_event *wire,
                          int64_t time_ns);
int timeline_context_end(struct timeline *timeline, const struct wire_event *wire, int64_t time_ns);
/* The call stack of the next event of the lane; one before it whose event is missing is left out. */
int timeline_stack(struct timeline *timeline, struct lane *lane, const struct wire_event *wire);
/* An event whose reference is a function. */
int timeline_function(struct timeline *timeline, struct track_state *state,
                      const struct wire_event *wire, int64_t time_ns,
                      const struct callstack *stack);
/* An allocation is kept, and a free has the size of what it frees. Sends the event, and before it the free of what was
 * at its address, if that did not come. */
int timeline_block(struct timeline *timeline, struct track_state *state, struct event *event);
/* All that is left in the pool is freed, as a free for each. */
int timeline_discard(struct timeline *timeline, struct track_state *state,
                     const struct event *event);
/* The start or the end of a frame. */
int timeline_frame(struct timeline *timeline, uint32_t lane, struct event *event);
/* At the end of a session: closes those that are open. */
int timeline_last_frames(struct timeline *timeline);
void frames_free(struct frames *frames);
/* An event of a flow, or of an asynchronous zone. */
int timeline_flow(struct timeline *timeline, struct track_state *state, struct event *event);
/* At the end of a session: closes the zones that are open. */
int timeline_last_flows(struct timeline *timeline);
void flows_free(struct flows *flows);
/* An event of KYMO_ROLE_TASK. */
int timeline_task(struct timeline *timeline, uint32_t lane, const struct wire_event *wire,
                  int64_t time_ns);
/* The lane runs "state" from now on: what it ran before leaves, before EVENT_SWITCH, and it enters, after that.
 * "certain": no switch between was refused. */
int timeline_task_leaves(struct timeline *timeline, uint32_t lane, const struct track_state *next,
                         int64_t time_ns, bool certain);
int timeline_task_enters(struct timeline *timeline, uint32_t lane, struct track_state *state,
                         int64_t time_ns);
/* After timeline_tasks_lost(): the lane runs what it ran before, as far as it says. */
int timeline_task_goes_on(struct timeline *timeline, uint32_t lane, int64_t time_ns);
int timeline_task_over(struct timeline *timeline, struct track_state *state, int64_t time_ns);
/* Events of the lane were lost from that time on: the state of every task is unknown, but of those that run on other
 * lanes. */
int timeline_tasks_lost(struct timeline *timeline, uint32_t lane, int64_t start_ns);
/* The object that an event names; makes it. NULL: no memory, or too many. */
struct object_state *timeline_object_of(struct timeline *timeline, struct track_state *state,
                                        const struct wire_event *wire, uint8_t of, int64_t time_ns);
/* An event whose reference is a run-time object. */
int timeline_object(struct timeline *timeline, struct track_state *state,
                    const struct wire_event *wire, int64_t time_ns, const struct callstack *stack);

#endif
