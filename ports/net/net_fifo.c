#include "net_fifo.h"

size_t kymo_fifo_put(struct kymo_fifo *fifo, const uint8_t *bytes, size_t count) {
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

void kymo_fifo_copy(const struct kymo_fifo *fifo, uint32_t offset, uint8_t *to, size_t count) {
    const uint32_t mask = fifo->size - 1u;
    const uint32_t begin = fifo->first + offset;
    for (uint32_t i = 0u; i < count; i++) {
        to[i] = fifo->bytes[(begin + i) & mask];
    }
}

void kymo_fifo_drop(struct kymo_fifo *fifo, uint32_t count) {
    fifo->first += count;
    fifo->count -= count;
}
