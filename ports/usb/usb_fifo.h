/* Bytes on their way: in at one end, out at the other. Not shared: the device's gate lets one context in. */
#ifndef KYMO_USB_FIFO_H
#define KYMO_USB_FIFO_H

#include <stddef.h>
#include <stdint.h>

struct usb_fifo {
    uint8_t *bytes;
    uint32_t size;    /* a power of two */
    uint32_t in, out; /* bytes that have ever come and gone; wrap */
};

static inline size_t usb_fifo_used(const struct usb_fifo *fifo) { return fifo->in - fifo->out; }

/* Puts in what fits; how many bytes that were. */
size_t usb_fifo_put(struct usb_fifo *fifo, const uint8_t *bytes, size_t length);

/* Copies up to "length" of the oldest bytes, which stay; how many that were. */
size_t usb_fifo_look(const struct usb_fifo *fifo, uint8_t *bytes, size_t length);

/* Takes the oldest bytes away, at most what is there. */
void usb_fifo_drop(struct usb_fifo *fifo, size_t length);

#endif
