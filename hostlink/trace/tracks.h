/* The rows of the timeline and their open zones. Private to the timeline. */
#ifndef HOSTLINK_TRACKS_H
#define HOSTLINK_TRACKS_H

#include "trace/event.h"
#include "trace/names.h"

/* Deeper zones are left out, begins and ends. */
#define TRACK_DEPTH_MAX 4096u
#define TRACKS_MAX 65536u
#define TRACK_HELD_MAX 8u

struct track_zone {
    const struct site *site;
    int64_t start_ns;
    int64_t inner_ns;  /* of the zones directly inside */
    uint32_t directly; /* how often its site has begun again, with no zone between */
    bool again;        /* its site has begun again inside it */
    bool doubted;      /* its site lacks ends at times (zones.h) */
};

struct track_state {
    struct track track; /* first: what sinks see */
    uint32_t reference; /* context, wire form */
    uint32_t lane;      /* where it ran last */
    int64_t last_ns;
    struct track_zone *zones;
    uint32_t depth, capacity;
    uint32_t beyond;                 /* begins left out at TRACK_DEPTH_MAX whose ends are to come */
    uint32_t doubted;                /* of the open zones */
    uint32_t held;                   /* ends that are held back: the innermost zones' */
    int64_t held_ns[TRACK_HELD_MAX]; /* their times */
    bool after_end;                  /* the last of its events is the end of a zone */
    bool announced;
    struct track_state *next;
};

/* The newest first, so those of the session that runs stand together at the head. */
struct tracks {
    struct track_state *first;
    uint32_t count;
};

void tracks_init(struct tracks *tracks);
void tracks_free(struct tracks *tracks);

/* The track of a context in a session; makes it. NULL: no memory or too many. Main contexts and
 * interrupts have one for each lane, tasks one for all. */
struct track_state *tracks_find(struct tracks *tracks, struct names *names, uint32_t session,
                                uint32_t lane, uint32_t reference);

/* Gives the track the name that is known by now; true if it changed. */
bool track_rename(struct track_state *state, struct names *names);

/* 0, -ENOMEM, or -E2BIG beyond the greatest depth. */
int track_push(struct track_state *state, const struct site *site, int64_t start_ns);

/* Wire form of the lane's main context. */
#define CONTEXT_MAIN_REFERENCE 1u

#endif
