/* SPDX-License-Identifier: MIT */
#include "tracy_run.h"

#include <stdlib.h>
#include <string.h>

struct tracy_run *tracy_run_new(void) {
    struct tracy_run *run = calloc(1, sizeof *run);
    if (run == NULL || (run->encode = calloc(1, sizeof *run->encode)) == NULL ||
        (run->answers = calloc(1, sizeof *run->answers)) == NULL) {
        abort();
    }
    run->answers->encode = run->encode;
    run->encode->names_complete = true;
    return run;
}

void tracy_run_free(struct tracy_run *run) {
    tracy_encode_free(run->encode);
    if (run->peer != NULL) {
        tracy_peer_free(run->peer);
    }
    free(run->encode);
    free(run->answers);
    free(run);
}

static int to_peer(void *context, const uint8_t *frame, size_t length) {
    struct tracy_run *run = context;
    if (!tracy_peer_frame(run->peer, frame, length) && !run->broken) {
        run->broken = true;
        memcpy(run->failure, run->peer->failure, sizeof run->failure);
    }
    return 0;
}

void tracy_run_connect(struct tracy_run *run, uint32_t protocol) {
    struct tracy_encode *e = run->encode;
    if (run->peer != NULL) {
        tracy_encode_stop(e);
        tracy_peer_free(run->peer);
    }
    run->peer = tracy_peer_new(protocol);
    run->asked_bytes = 0;
    run->terminates = 0;
    int64_t base_ns = tracy_encode_base(e);
    tracy_peer_start(run->peer, base_ns, e->now_ns > base_ns ? e->now_ns : base_ns);
    run->peer->frames_before = e->frames;
    tracy_answers_begin(run->answers);
    if (tracy_encode_begin(e, &run->peer->proto, base_ns, to_peer, run) != 0) {
        abort();
    }
}

int tracy_run_event(void *context, const struct event *event) {
    struct tracy_run *run = context;
    return tracy_encode_event(run->encode, event);
}

static void answer(struct tracy_run *run, const uint8_t *packet) {
    uint64_t key = 0;
    enum tracy_query query = tracy_proto_query(&run->peer->proto, packet[0]);
    uint32_t extra = 0;
    for (unsigned i = 8; i-- > 0;) {
        key = key << 8 | packet[1 + i];
    }
    for (unsigned i = 4; i-- > 0;) {
        extra = extra << 8 | packet[9 + i];
    }
    if (query == TRACY_QUERY_TERMINATE) {
        run->terminates++;
    } else if (tracy_answer(run->answers, query, key, extra, 0) != 0) {
        run->broken = true;
        memcpy(run->failure, "question without an answer", 27);
    }
}

/* One round: the peer's queries up to now. */
static bool answer_all(struct tracy_run *run) {
    static uint8_t packets[PEER_OUT];
    size_t bytes = run->peer->out_used;
    memcpy(packets, run->peer->out, bytes);
    run->peer->out_used = 0;
    if (run->asked_bytes + bytes <= sizeof run->asked) {
        memcpy(run->asked + run->asked_bytes, packets, bytes);
        run->asked_bytes += bytes;
    }
    for (size_t at = 0; at < bytes; at += TRACY_QUERY_BYTES) {
        answer(run, packets + at);
    }
    return bytes > 0;
}

void tracy_run_pump(struct tracy_run *run) {
    do {
        (void)tracy_stream_flush(&run->encode->stream);
    } while (answer_all(run));
}

void tracy_run_end(struct tracy_run *run) {
    (void)tracy_encode_end(run->encode);
    tracy_put_item(&run->encode->stream, TRACY_TERMINATE, &(struct tracy_fields){0});
    tracy_run_pump(run);
}

void tracy_run_each(void (*const *tests)(struct tracy_run *), size_t count) {
    for (size_t i = 0; tracy_proto_known(i) != 0; i++) {
        for (size_t n = 0; n < count; n++) {
            struct tracy_run *run = tracy_run_new();
            tracy_run_connect(run, tracy_proto_known(i));
            tests[n](run);
            tracy_run_free(run);
        }
    }
}
