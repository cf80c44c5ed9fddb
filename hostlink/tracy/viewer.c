/* SPDX-License-Identifier: MIT */
#include "tracy/viewer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/file.h"
#include "platform/net.h"

#define FIRST_QUEUE_BYTES ((size_t)1 << 20)
#define PROGRAM_BYTES 64
#define HOST_INFO_BYTES 1024

void tracy_viewer_take(struct tracy_viewer *viewer, int fd, const char *name) {
    (void)sys_set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    viewer->fd = fd;
    viewer->in_used = 0;
    viewer->head = viewer->tail = 0;
    (void)snprintf(viewer->name, sizeof viewer->name, "%s", name);
}

void tracy_viewer_close(struct tracy_viewer *viewer) {
    if (viewer->fd >= 0) {
        (void)sys_close(viewer->fd);
    }
    viewer->fd = -1;
    viewer->head = viewer->tail = 0;
}

void tracy_viewer_free(struct tracy_viewer *viewer) {
    tracy_viewer_close(viewer);
    free(viewer->queue);
    viewer->queue = NULL;
    viewer->size = 0;
}

static bool would_block(int error) { return error == EAGAIN || error == EINTR; }

int tracy_viewer_read(struct tracy_viewer *viewer) {
    size_t room = sizeof viewer->in - viewer->in_used;
    ssize_t count = room == 0 ? 0 : sys_receive(viewer->fd, viewer->in + viewer->in_used, room);
    if (count < 0) {
        return would_block(errno) ? 0 : -errno;
    }
    if (count == 0 && room > 0) {
        return -ECONNRESET;
    }
    viewer->in_used += (size_t)count;
    return (int)count;
}

void tracy_viewer_consume(struct tracy_viewer *viewer, size_t bytes) {
    viewer->in_used -= bytes;
    memmove(viewer->in, viewer->in + bytes, viewer->in_used);
}

/* Room for "bytes" after the tail. */
static int reserve(struct tracy_viewer *viewer, size_t bytes) {
    size_t queued = tracy_viewer_queued(viewer);
    if (viewer->size - viewer->tail >= bytes) {
        return 0;
    }
    if (queued + bytes > viewer->limit) {
        return -ENOBUFS;
    }
    if (viewer->head > 0) {
        memmove(viewer->queue, viewer->queue + viewer->head, queued);
        viewer->head = 0;
        viewer->tail = queued;
    }
    size_t size = viewer->size > 0 ? viewer->size : FIRST_QUEUE_BYTES;
    while (size < queued + bytes) {
        size *= 2;
    }
    uint8_t *queue = size > viewer->size ? realloc(viewer->queue, size) : viewer->queue;
    if (queue == NULL) {
        return -ENOMEM;
    }
    viewer->queue = queue;
    viewer->size = size;
    return 0;
}

int tracy_viewer_put(struct tracy_viewer *viewer, const void *bytes, size_t length) {
    int error = reserve(viewer, length);
    if (error == 0) {
        memcpy(viewer->queue + viewer->tail, bytes, length);
        viewer->tail += length;
    }
    return error;
}

static void store(uint8_t *at, uint64_t value, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) {
        at[i] = (uint8_t)(value >> (8 * i));
    }
}

int tracy_viewer_put_frame(void *context, const uint8_t *frame, size_t length) {
    struct tracy_viewer *viewer = context;
    int error = reserve(viewer, 4 + TRACY_LZ4_BOUND(length));
    if (error != 0) {
        return error;
    }
    uint8_t *at = viewer->queue + viewer->tail;
    size_t packed = tracy_lz4_compress(&viewer->lz4, frame, length, at + 4);
    store(at, packed, 4);
    viewer->tail += 4 + packed;
    return 0;
}

static uint8_t *append(uint8_t *at, uint64_t value, size_t bytes) {
    store(at, value, bytes);
    return at + bytes;
}

int tracy_viewer_put_welcome(struct tracy_viewer *viewer, const struct tracy_proto *proto,
                             const struct tracy_welcome *welcome) {
    uint8_t bytes[1 + TRACY_WELCOME_MAX + TRACY_ON_DEMAND_BYTES] = {TRACY_HANDSHAKE_WELCOME};
    const double nanoseconds = 1.0;
    uint64_t timer_mul;
    memcpy(&timer_mul, &nanoseconds, sizeof timer_mul);
    uint8_t *at = append(bytes + 1, timer_mul, 8);
    at = append(at, (uint64_t)welcome->base_ns, 8); /* begin of the start-up */
    at = append(at, (uint64_t)welcome->base_ns, 8); /* its end */
    at = append(at, 0, proto->welcome_has_delay ? 8 : 0);
    at = append(at, welcome->resolution_ns, 8);
    at = append(at, (uint64_t)welcome->epoch_s, 8);
    /* Time of the executable, which is older than its run; with 0 a viewer asks for no source. */
    at = append(at, (uint64_t)welcome->epoch_s, 8);
    at = append(at, welcome->process, 8);
    at = append(at, welcome->sample_period_ns, 8);
    const bool gives_code = proto->source_is_code || welcome->cpu != TRACY_CPU_UNKNOWN;
    at = append(at,
                TRACY_FLAG_ON_DEMAND | TRACY_FLAG_IGNORE_MEMORY_FAULTS |
                    (gives_code ? TRACY_FLAG_CODE_TRANSFER : 0),
                1);
    at = append(at, (uint64_t)welcome->cpu, 1);
    at += 12 + 4; /* maker and id of the processor: Tracy knows those of x86 only */
    (void)snprintf((char *)at, PROGRAM_BYTES, "%s", welcome->program);
    at += PROGRAM_BYTES;
    (void)snprintf((char *)at, HOST_INFO_BYTES, "%s", welcome->host_info);
    at += HOST_INFO_BYTES;
    at = append(at, welcome->frames, 8);
    at = append(at, (uint64_t)welcome->now_ns, 8);
    return tracy_viewer_put(viewer, bytes, (size_t)(at - bytes));
}

int tracy_viewer_send(struct tracy_viewer *viewer) {
    while (tracy_viewer_queued(viewer) > 0) {
        ssize_t count =
            sys_send(viewer->fd, viewer->queue + viewer->head, tracy_viewer_queued(viewer));
        if (count < 0) {
            return would_block(errno) ? 0 : -errno;
        }
        viewer->head += (size_t)count;
        viewer->sent += (uint64_t)count;
    }
    viewer->head = viewer->tail = 0;
    return 0;
}
