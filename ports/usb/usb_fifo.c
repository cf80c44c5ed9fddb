#include "usb_fifo.h"

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

size_t usb_fifo_put(struct usb_fifo *fifo, const uint8_t *bytes, size_t length) {
    const size_t count = least(length, fifo->size - usb_fifo_used(fifo));
    for (size_t i = 0u; i < count; i++) {
        fifo->bytes[fifo->in++ & (fifo->size - 1u)] = bytes[i];
    }
    return count;
}

size_t usb_fifo_look(const struct usb_fifo *fifo, uint8_t *bytes, size_t length) {
    const size_t count = least(length, usb_fifo_used(fifo));
    for (size_t i = 0u; i < count; i++) {
        bytes[i] = fifo->bytes[(fifo->out + (uint32_t)i) & (fifo->size - 1u)];
    }
    return count;
}

void usb_fifo_drop(struct usb_fifo *fifo, size_t length) {
    fifo->out += (uint32_t)least(length, usb_fifo_used(fifo));
}
