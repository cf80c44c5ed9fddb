/* SPDX-License-Identifier: MIT */
/* The state of sending device blocks, for the draining context; part of kymo_link, all zero is the start. Private to
 * the runtime. */
#ifndef KYMO_RECORD_DEVICE_H
#define KYMO_RECORD_DEVICE_H

#include "kymo/devices.h"

#if KYMO_DEVICES
struct kymo_devices_sent {
    struct kymo_device_row *first, **last; /* in the order in which they were announced */
    uint32_t count;
    struct kymo_device_row *at;     /* is looked at next; NULL: the first */
    struct kymo_device_row *device; /* of which a packet is being built */
    uint64_t now, looked;           /* it was looked at between these two */
    uint32_t to,
        wrapped; /* its records go up to here, and before that from there to the ring's start */
    uint32_t run_bytes[2]; /* that the packet has, in one or two pieces */
    uint32_t unseen;       /* devices that were not looked at in this round */
    uint8_t round;         /* counts the times that all are described */
    bool turn;             /* a packet of events went last */
};

/* States of a pair of clocks. */
#define KYMO_PAIR_NONE 0u
#define KYMO_PAIR_WAITS 1u
#endif

#endif
