/* SPDX-License-Identifier: MIT */
/* The encoder and the answers, put through to a peer without a socket. */
#ifndef TRACY_RUN_H
#define TRACY_RUN_H

#include "tracy/encode.h"
#include "tracy/query.h"
#include "tracy_peer.h"

/* Bytes of the peer's queries, as on the wire. */
#define RUN_ASKED_BYTES (64 * 1024)

struct tracy_run {
    struct tracy_encode *encode;
    struct tracy_answers *answers;
    struct tracy_peer *peer;
    uint8_t asked[RUN_ASKED_BYTES];
    size_t asked_bytes;
    unsigned terminates; /* the peer wants to end */
    bool broken;         /* a peer refused something */
    char failure[200];   /* the first: what and why */
};

struct tracy_run *tracy_run_new(void);
void tracy_run_free(struct tracy_run *run);

/* A viewer of this protocol connects; an earlier one is gone. */
void tracy_run_connect(struct tracy_run *run, uint32_t protocol);
/* A synthetic_sink: "context" is the run. */
int tracy_run_event(void *context, const struct event *event);
/* Sends all there is, and answers until no queries are left. */
void tracy_run_pump(struct tracy_run *run);
/* The end of the trace, as far as the peer's wish to end. */
void tracy_run_end(struct tracy_run *run);

/* Each test with a run and a viewer of its own, in each protocol. */
void tracy_run_each(void (*const *tests)(struct tracy_run *), size_t count);

#endif
