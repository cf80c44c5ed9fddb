/* SPDX-License-Identifier: MIT */
/* The rows of the timeline and their open zones. Private to the timeline. */
#ifndef HOSTLINK_TRACKS_H
#define HOSTLINK_TRACKS_H

#include "base/intmap.h"
#include "model/event.h"
#include "model/names.h"

/* Deeper zones are left out, begins and ends: a board cannot set room for more ends aside in half a megabyte. */
#define TRACK_DEPTH_MAX 65536u
/* Tasks and interrupts beyond these share one row for each lane. */
#define TRACKS_MAX 262144u
#define TRACK_HELD_MAX 8u
/* Contexts of one reference, one after the other, that are looked at for the one that lived at a time. */
#define TRACK_LIVES_MAX 256u
#define TRACK_LIVES UINT64_MAX

struct track_zone {
    struct site *site;
    int64_t start_ns;
    int64_t inner_ns;  /* of the zones directly inside, without what preempted them */
    int64_t away_ns;   /* of the track, when it began */
    uint32_t directly; /* how often its site has begun again, with no zone between */
    bool again;        /* its site has begun again inside it */
    bool doubted;      /* its site lacks ends at times (zones.h) */
};

struct object_state;

/* State of a task (tasks.c); all zero is the start. */
struct track_task {
    enum task_state state;
    int64_t since_ns, last_ns;                        /* its state; the last event of it */
    uint8_t why;                                      /* it waits */
    struct object_state *object;                      /* the object it waits for, or NULL */
    const struct track *other;                        /* holds the object, or woke the task */
    bool leaves;                                      /* it runs, and has said why it will wait */
    bool suspends;                                    /* it runs, and is to be suspended */
    bool ended;                                       /* it runs, and is over */
    bool limited;                                     /* it waits no longer than some time */
    bool woken, guess, deadlock, interrupt, has_base; /* as of the event */
    int32_t base, priority;
    uint32_t core;                  /* where it runs */
    struct track_state *next, **at; /* among those whose state is known */
};

struct track_state {
    struct track *track; /* what sinks see, also when this is forgotten */
    uint32_t reference;  /* context, wire form */
    bool named;    /* by an event: what SESSION packets say of its lane does not count any more */
    bool unnamed;  /* a task without a name: its address stands for it */
    uint32_t lane; /* where it ran last */
    int64_t last_ns;
    int64_t away_ns; /* how long other contexts ran in its place since its first event */
    int64_t left_ns; /* when another one took over */
    bool is_away;    /* it still runs */
    struct track_zone *zones;
    uint32_t depth, capacity;
    struct hold *holds;              /* of objects, and waits for them (objects.h) */
    uint32_t beyond;                 /* begins left out at TRACK_DEPTH_MAX whose ends are to come */
    uint32_t room_at;                /* "beyond" at which it is looked for zones that lack ends */
    uint32_t doubted;                /* of the open zones */
    uint32_t functions;              /* of the open zones, functions */
    uint32_t cut;                    /* zones that a function's end closed, whose ends may come */
    uint32_t held;                   /* ends that are held back: the innermost zones' */
    int64_t held_ns[TRACK_HELD_MAX]; /* their times */
    const struct site *ended;        /* the zone that ended last, or NULL */
    bool after_end;                  /* the last of its events is the end of a zone */
    uint32_t unfound;                /* ends without a zone that are not reported yet (zones.h) */
    const struct site *unfound_site; /* that ended last before them */
    struct track_task task;
    bool announced;
    bool shared; /* by all contexts of the lane that are beyond TRACKS_MAX */
    uint64_t first_ticks,
        last_ticks;     /* of the first event that named it, and the latest switch to it, or name */
    uint64_t end_ticks; /* when it was over; TRACK_LIVES: it is not */
    struct track_state *next, *before;
    struct track_state *over_next; /* that ended after it */
    struct track_state *earlier;   /* the one of its reference that was over before */
    /* Among those that ran on "lane" since it was closed last. */
    struct track_state *ran_before, *ran_after;
    bool ran;
};

/* Tracks of the current session, the newest first. */
struct tracks {
    struct track_state *first;
    struct track_rows *rows;                    /* of all sessions */
    uint32_t count;                             /* of all sessions */
    struct track_state *over_first, *over_last; /* tasks that have ended, the first one first */
    uint32_t over_count;
    uint32_t unnamed;            /* of them, tasks */
    struct intmap numbers;       /* of the session's tracks, by lane and reference: + 1 */
    struct track_state **states; /* the session's, by number */
    uint32_t state_count, state_capacity;
    struct track_state *ran[WIRE_LANES];
};

void tracks_init(struct tracks *tracks);
void tracks_free(struct tracks *tracks);

/* Another session begins. */
void tracks_restart(struct tracks *tracks);
/* The context whose track is asked for. */
struct track_query {
    uint32_t session, lane, reference;
    uint64_t ticks; /* of the contexts of the reference the one that lives then */
};
/* The track of a context; makes it. NULL: no memory. Main contexts and interrupts have one for each lane, tasks
 * one for all. */
struct track_state *tracks_find(struct tracks *tracks, struct names *names,
                                const struct track_query *query);
/* The same, but makes no track, and does not count as a use of it. NULL: it has no track. */
struct track_state *tracks_known(struct tracks *tracks, const struct track_query *query);
/* The context is over at that time: a later context of its reference gets a track of its own. Returns its track; NULL
 * if it has no track or was over before. */
struct track_state *tracks_end(struct tracks *tracks, struct names *names,
                               const struct track_query *query);

/* A task that ended so long ago that TRACK_LIVES_MAX others have ended since: forget it, or keep it until then again.
 * NULL: no such task. */
struct track_state *tracks_take_over(struct tracks *tracks);
void tracks_keep_over(struct tracks *tracks, struct track_state *state);
void tracks_forget(struct tracks *tracks, struct track_state *state);

/* The newest track that contexts of a reference have, or NULL. */
struct track_state *tracks_newest(struct tracks *tracks, uint32_t lane, uint32_t reference);
/* On so many lanes a context of the reference has a track of its own. */
uint32_t tracks_lanes(uint32_t reference);

/* The lane now runs the track. */
static inline void tracks_run(struct tracks *tracks, struct track_state *state, uint32_t lane);
/* Private to tracks_run(): it ran elsewhere before. */
void tracks_move(struct tracks *tracks, struct track_state *state, uint32_t lane);

static inline void tracks_run(struct tracks *tracks, struct track_state *state, uint32_t lane) {
    if (!state->ran || state->lane != lane) {
        tracks_move(tracks, state, lane);
    }
}

/* One of those that ran on the lane since it was closed last, each once; NULL: no more. */
struct track_state *tracks_take_ran(struct tracks *tracks, uint32_t lane);

/* Gives the track the name that is known by now, never an empty one; true if it changed. */
bool track_rename(struct track_state *state, struct names *names);
/* Gives a task the name and the kind that an event carries; false: no memory. */
bool tracks_name(struct tracks *tracks, struct track_state *state, struct names *names,
                 const char *name, size_t length, uint8_t kind);

/* Another context takes the core over, and gives it back. */
void track_leave(struct track_state *state, int64_t time_ns);
void track_return(struct track_state *state, int64_t time_ns);
/* track_state.away_ns at that time. */
static inline int64_t track_away_ns(const struct track_state *state, int64_t time_ns) {
    bool counts = state->is_away && time_ns > state->left_ns;
    return state->away_ns + (counts ? time_ns - state->left_ns : 0);
}

/* Room for one zone more: 0, -ENOMEM, or -E2BIG beyond the greatest depth. */
int track_reserve(struct track_state *state);

/* The same. */
static inline int track_push(struct track_state *state, struct site *site, int64_t start_ns) {
    const int error = state->depth == state->capacity ? track_reserve(state) : 0;
    if (error == 0) {
        state->zones[state->depth++] = (struct track_zone){
            .site = site, .start_ns = start_ns, .away_ns = track_away_ns(state, start_ns)};
    }
    return error;
}

/* Wire form of the lane's main context. */
#define CONTEXT_MAIN_REFERENCE 1u

#endif
