/* SPDX-License-Identifier: MIT */
/* One connection of a viewer: bytes in, bytes out, nothing waits. */
#ifndef HOSTLINK_TRACY_VIEWER_H
#define HOSTLINK_TRACY_VIEWER_H

#include <stddef.h>
#include <stdint.h>

#include "tracy/lz4.h"
#include "tracy/proto.h"

#define TRACY_PEER_BYTES 64 /* of "127.0.0.1:40312" */

struct tracy_viewer {
    int fd; /* -1 = none */
    char name[TRACY_PEER_BYTES];
    uint8_t in[4096];
    size_t in_used;
    uint8_t *queue; /* bytes to send: from head to tail */
    size_t head, tail, size;
    size_t limit;  /* most bytes of the queue */
    uint64_t sent; /* bytes */
    struct tracy_lz4 lz4;
};

/* The fields of the welcome. */
struct tracy_welcome {
    int64_t base_ns;           /* time 0 */
    int64_t epoch_s;           /* Unix time of the start */
    uint64_t resolution_ns;    /* of the board's clock */
    uint64_t sample_period_ns; /* 0 = the board takes none */
    uint64_t frames;           /* marks before this connection */
    int64_t now_ns;
    uint64_t process; /* 0 = none */
    enum tracy_cpu cpu;
    const char *program, *host_info;
};

/* Takes over the socket, which does not block, of the peer of this name. */
void tracy_viewer_take(struct tracy_viewer *viewer, int fd, const char *name);
void tracy_viewer_close(struct tracy_viewer *viewer); /* keeps the queue's memory */
void tracy_viewer_free(struct tracy_viewer *viewer);

/* Appends received bytes to "in". Returns their count, 0 = none now, or -errno; -ECONNRESET also at the end. */
int tracy_viewer_read(struct tracy_viewer *viewer);
/* Takes bytes off the front of "in". */
void tracy_viewer_consume(struct tracy_viewer *viewer, size_t bytes);

static inline size_t tracy_viewer_queued(const struct tracy_viewer *viewer) {
    return viewer->tail - viewer->head;
}
/* Queues raw bytes, or a frame (its length, then compressed). Returns 0, -ENOMEM, or -ENOBUFS beyond the limit. */
int tracy_viewer_put(struct tracy_viewer *viewer, const void *bytes, size_t length);
int tracy_viewer_put_frame(void *viewer, const uint8_t *frame, size_t length);
int tracy_viewer_put_welcome(struct tracy_viewer *viewer, const struct tracy_proto *proto,
                             const struct tracy_welcome *welcome);
/* Sends as much as the socket takes. Returns 0 or -errno. */
int tracy_viewer_send(struct tracy_viewer *viewer);

#endif
