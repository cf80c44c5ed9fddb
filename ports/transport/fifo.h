/* SPDX-License-Identifier: MIT */
/* Bytes that wait: in at one end, out at the other, in the caller's memory. Not shared: one
 * context at a time. */
#ifndef KYMO_FIFO_H
#define KYMO_FIFO_H

#include <stddef.h>
#include <stdint.h>

struct kymo_fifo {
    uint8_t *bytes;
    uint32_t size; /* a power of two */
    uint32_t first;
    uint32_t count;
};

/* Empty. "size" is a power of two. */
static inline void kymo_fifo_init(struct kymo_fifo *fifo, uint8_t *bytes, uint32_t size) {
    fifo->bytes = bytes;
    fifo->size = size;
    fifo->first = 0u;
    fifo->count = 0u;
}

static inline uint32_t kymo_fifo_room(const struct kymo_fifo *fifo) {
    return fifo->size - fifo->count;
}

/* Appends as many of the bytes as there is room for; returns how many. */
static inline size_t kymo_fifo_put(struct kymo_fifo *fifo, const uint8_t *bytes, size_t count) {
    const uint32_t room = kymo_fifo_room(fifo);
    const uint32_t mask = fifo->size - 1u;
    const uint32_t end = fifo->first + fifo->count;
    count = count < room ? count : room;
    for (uint32_t i = 0u; i < count; i++) {
        fifo->bytes[(end + i) & mask] = bytes[i];
    }
    fifo->count += (uint32_t)count;
    return count;
}

/* Copies up to "count" bytes from the one at "offset" on, which stay; returns how many. */
static inline size_t kymo_fifo_look(const struct kymo_fifo *fifo, uint32_t offset, uint8_t *to,
                                    size_t count) {
    const uint32_t present = offset < fifo->count ? fifo->count - offset : 0u;
    const uint32_t mask = fifo->size - 1u;
    const uint32_t begin = fifo->first + offset;
    count = count < present ? count : present;
    for (uint32_t i = 0u; i < count; i++) {
        to[i] = fifo->bytes[(begin + i) & mask];
    }
    return count;
}

/* Forgets the oldest "count" bytes, at most those that are there. */
static inline void kymo_fifo_drop(struct kymo_fifo *fifo, size_t count) {
    const uint32_t dropped = count < fifo->count ? (uint32_t)count : fifo->count;
    fifo->first += dropped;
    fifo->count -= dropped;
}

#endif
