/* SPDX-License-Identifier: MIT */
/* A strict host, a controller's model and a board with a serial port on USB, wired together. */
#ifndef USB_BENCH_H
#define USB_BENCH_H

#include "host.h"
#include "usb_cdc.h"

struct bench {
    struct model model;
    struct host host;
    struct kymo_usb_cdc cdc;
    const struct kymo_transport *transport;
};

extern struct bench bench;

enum bench_kind {
    BENCH_POLLED,     /* the firmware polls whenever the host is told NAK */
    BENCH_INTERRUPTS, /* the controller's handler polls, at once */
};

/* A new board, plugged in; not enumerated. A controller that holds the address back itself is
 * "address_early". */
void bench_start(enum bench_kind kind, bool address_early);

/* The same, configured and open. */
void bench_open(enum bench_kind kind);

#define BENCH_CHIP_ID                                                                              \
    { 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef }
#define BENCH_SERIAL "0123456789ABCDEF"

#endif
