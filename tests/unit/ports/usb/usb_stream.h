/* SPDX-License-Identifier: MIT */
/* A stream over the serial port on USB that shows a lost, doubled or exchanged byte; for bench.h. */
#ifndef TESTS_USB_STREAM_H
#define TESTS_USB_STREAM_H

#include "usb/bench.h"

#define BULK_IN 0x81
#define BULK_OUT 0x01

struct usb_stream {
    size_t written;  /* given by the firmware to the transport */
    size_t received; /* what has arrived at the host */
};
extern struct usb_stream stream;

uint8_t stream_byte(size_t at);

/* A new board, its port open. */
static inline void start(enum bench_kind kind) {
    stream = (struct usb_stream){0};
    bench_open(kind);
}

/* The firmware writes up to "most" bytes, which are at most 1024; how many were taken. */
size_t firmware_writes(size_t most);

/* The host takes one packet; its length, or HOST_.... */
int host_takes(void);

/* Until there is nothing left; then everything must have arrived. */
void host_takes_all(void);

/* So many bytes are written, and some of them taken. */
void push(size_t bytes);

/* The host takes a SERIAL_STATE: its low byte, or HOST_.... */
int host_takes_state(void);

#endif
