/* Bytes that wait: those that TCP may have to send again, those that have not been read. */
#ifndef KYMO_NET_FIFO_H
#define KYMO_NET_FIFO_H

#include <stddef.h>
#include <stdint.h>

struct kymo_fifo {
    uint8_t *bytes;
    uint32_t size; /* a power of two */
    uint32_t first;
    uint32_t count;
};

static inline uint32_t kymo_fifo_room(const struct kymo_fifo *fifo) {
    return fifo->size - fifo->count;
}

/* Appends as many of the bytes as there is room for; returns how many. */
size_t kymo_fifo_put(struct kymo_fifo *fifo, const uint8_t *bytes, size_t count);

/* Copies "count" bytes from the one at "offset" on, which must be there. */
void kymo_fifo_copy(const struct kymo_fifo *fifo, uint32_t offset, uint8_t *to, size_t count);

/* Forgets the first "count" bytes, which must be there. */
void kymo_fifo_drop(struct kymo_fifo *fifo, uint32_t count);

#endif
