/* SPDX-License-Identifier: MIT */
/* Run-time objects, their holders and waiters. Impossible orders that the firmware recorded are repaired here, marked
 * with the reason and counted. So a sink finds that a context gives back only objects that it holds or waits for,
 * that an exclusive hold is the only one, and that everything is given back before the object or the session ends. A
 * context that waits and does not obtain the object waits until it gives it back or waits for it again. */
#ifndef HOSTLINK_OBJECTS_H
#define HOSTLINK_OBJECTS_H

#include "base/intmap.h"
#include "model/event.h"
#include "model/names.h"
#include "model/tracks.h"

/* Events of further objects, holds and waits are left out and counted. */
#define OBJECTS_MAX 65536u
#define OBJECT_HOLDS_MAX 256u
#define HOLDS_MAX 65536u

struct hold {
    struct object_state *object;
    struct track_state *by;
    int64_t start_ns;
    bool waits, shared;
    struct hold *next_of_object, *next_of_track;
    struct hold **at_object, **at_track; /* what points to it in these two lists */
};

struct object_state {
    struct object object; /* first: what sinks see */
    struct hold *holds;
    uint32_t hold_count;
    bool ended; /* only sinks still know it */
    const struct track
        *over; /* whose hold ended last because another context obtained the object */
    int64_t over_ns;
    const struct track *put_by, *taken_by; /* by OBJECT_PUT and OBJECT_GET, NULL: by none */
    int64_t put_ns;
    struct object_state *next; /* of all, the newest first */
};

struct objects {
    struct names *names;
    int (*send)(void *context, struct track_state *state, struct event *event);
    void *context;
    uint64_t repairs;
    uint64_t refused;
    uint32_t holds;     /* of all objects */
    uint64_t unmatched; /* gives that may still come, of holds from where events were lost */
    struct object_state *first;   /* of all sessions: sinks keep pointers to them */
    uint32_t count;               /* of all */
    struct intmap numbers;        /* of the session's identities: + 1 */
    struct object_state **states; /* by these numbers: the object that lives, or NULL */
    uint32_t state_count, state_capacity;
};

void objects_free(struct objects *objects);
/* So many events were lost. */
void objects_lost(struct objects *objects, uint64_t events);
/* Another session begins; nothing is held. Before tracks_restart(). */
void objects_restart(struct objects *objects);

/* The object an event is about; "state" is the context that recorded it. */
struct object_event {
    uint64_t identity;
    uint8_t of; /* class, if the kind or the event gives it */
    int64_t time_ns;
    bool nameless; /* it may never be named: not having been is no fault */
};

/* The object of this identity; makes it. NULL: no memory, or too many. */
struct object_state *objects_find(struct objects *objects, struct track_state *state,
                                  const struct object_event *of);
/* The calls return 0, -ENOMEM, or the value of "send". */
/* The object exists under this name. */
int objects_name(struct objects *objects, struct track_state *state, const struct object_event *of,
                 const char *name, size_t length, const struct site *site);
/* It has another name. */
int objects_rename(struct objects *objects, struct track_state *state,
                   const struct object_event *of, const char *name, size_t length);
int objects_end(struct objects *objects, struct track_state *state, const struct object_event *of);
/* An event whose kind, object and time are set, of a role that waits, takes or gives. */
int objects_hold(struct objects *objects, struct track_state *state, struct object_state *object,
                 struct event *event);
/* The track that holds it alone, or NULL. */
struct track_state *objects_holder(const struct object_state *object);
/* Ends all holds of the track. */
int objects_close(struct objects *objects, struct track_state *state, int64_t time_ns,
                  enum hold_repair why);

#endif
