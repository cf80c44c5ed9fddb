/* SPDX-License-Identifier: MIT */
/* Flows, and zones that begin in one context and end in another: known by their name and id while they are open. */
#ifndef HOSTLINK_FLOWS_H
#define HOSTLINK_FLOWS_H

#include "base/intmap.h"
#include "base/liveset.h"
#include "model/event.h"

struct timeline;
struct track_state;

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

/* An event of a flow, or of an asynchronous zone. 0, or the value of the timeline's "emit". */
int flows_event(struct timeline *timeline, struct track_state *state, struct event *event);
/* At the end of a session: closes the zones that are open. */
int flows_end(struct timeline *timeline);
void flows_free(struct flows *flows);

#endif
