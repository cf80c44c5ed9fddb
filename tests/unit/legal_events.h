/* SPDX-License-Identifier: MIT */
/* The timeline's promises to the consumers of its events (hostlink/model/consumer.h): they rely on
 * it and check nothing twice. Every stream of events that a test has can be checked against it. */
#ifndef LEGAL_EVENTS_H
#define LEGAL_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/liveset.h"
#include "model/event.h"

/* The latest time that there is: differences of two stay in range. */
#define LEGAL_NS_MAX (INT64_MAX / 2)

struct legal_zone {
    const struct site *site;
    int64_t start_ns;
};

struct legal_track {
    const struct track *track; /* NULL: not announced */
    int64_t last_ns;
    bool over;                 /* by its EVENT_TRACK_END */
    uint8_t state;             /* of its task, since state_ns */
    int64_t state_ns, task_ns; /* task_ns: the last event of a task or of what tasks wait for */
    struct legal_zone *zones;  /* open */
    size_t depth, capacity;
};

/* A context that waits for an object, or holds it. */
struct legal_hold {
    const struct track *by;
    bool waits, shared;
    int64_t start_ns;
};

struct legal_object {
    const struct object *object; /* NULL: not announced, or over */
    struct legal_hold *holds;
    size_t count, capacity;
};

/* Frames and asynchronous zones of one name. */
struct legal_set {
    const char *name;
    const struct site *site; /* of the frame that is open, or NULL */
    const struct track *track;
    const struct track *async; /* of the last asynchronous zone of this name */
};

/* All zero is the start. */
struct legal {
    struct legal_object *objects; /* by id */
    size_t object_count;
    struct legal_track *tracks; /* by id */
    size_t track_count;
    struct legal_set *sets;
    size_t set_count, set_capacity;
    struct liveset blocks; /* allocated in the session; the number is the size */
    struct liveset asyncs; /* rows of zones that are open; the number is the zone's */
    uint32_t sessions;     /* so far */
};

/* Returns NULL, or the error in the next event. */
const char *legal_event(struct legal *legal, const struct event *event);
/* The same for the end of the stream. */
const char *legal_end(const struct legal *legal);
void legal_free(struct legal *legal);

/* Every kind that the timeline sends. */
extern const enum event_kind legal_kinds[];
extern const size_t legal_kind_count;

/* Events that have an object, legal_objects.c. Returns NULL, or the error. */
const char *legal_object_event(struct legal *legal, const struct event *event);
/* The same for memory, legal_sets.c. */
const char *legal_memory_event(struct legal *legal, const struct event *event);
/* The same for the start or the end of a frame. */
const char *legal_frame_event(struct legal *legal, const struct event *event);
/* The same for an asynchronous zone. */
const char *legal_async_event(struct legal *legal, const struct event *event);
/* The number of the one that is open in the row of such an event, 0: none. */
uint64_t legal_async(struct legal *legal, const struct event *event);
/* The set of the site. */
struct legal_set *legal_set(struct legal *legal, const struct site *site);
/* The block of such an event is allocated; its size, 0: it is not. */
bool legal_block(struct legal *legal, const struct event *event);
uint64_t legal_block_bytes(struct legal *legal, const struct event *event);
/* No task holds or waits for one. */
bool legal_objects_free(const struct legal *legal);
/* The hold, or the wait, of a track; NULL: none. */
struct legal_hold *legal_hold(const struct legal_object *object, const struct track *by,
                              bool waits);
/* The track may take the object now. */
bool legal_may_take(const struct legal_object *object, bool shared);
struct legal_object *legal_object(struct legal *legal, uint32_t id);
/* Memory for "least" things, zeros at the end. */
void *legal_grown(void *memory, size_t *count, size_t least, size_t size);

/* Events of such a kind are ordered in time among themselves. */
bool legal_is_of_task(enum event_kind kind);

/* The track of an id. */
struct legal_track *legal_track(struct legal *legal, uint32_t id);

#endif
