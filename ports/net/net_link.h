/* SPDX-License-Identifier: MIT */
/* The contract between the network stack and the driver of an Ethernet interface: whole frames
 * out and in, without preamble and check sequence, in the driver's own buffers, never waiting.
 *
 * All calls come from the context that calls kymo_net_poll() or the transport, one at a time. */
#ifndef KYMO_NET_LINK_H
#define KYMO_NET_LINK_H

#include <stddef.h>
#include <stdint.h>

/* Longest frame, Ethernet header included (IEEE 802.3: 14 + 1500). */
#define KYMO_NET_FRAME_BYTES 1514

#define KYMO_NET_MAC_BYTES 6u

struct kymo_net_link {
    /* A buffer for one frame of up to KYMO_NET_FRAME_BYTES; NULL when none is free. Called again
     * before "send", it gives the same one. */
    uint8_t *(*claim)(void *context);
    /* Sends the first "length" bytes of the buffer that "claim" gave; the driver adds no
     * padding. */
    void (*send)(void *context, size_t length);
    /* The oldest frame received and, in *length, its size; NULL if no frame waits. It stays as
     * it is until "release", and until then it is the one that "receive" gives. */
    const uint8_t *(*receive)(void *context, size_t *length);
    /* Gives that frame's buffer back. */
    void (*release)(void *context);
    void *context;
    uint8_t mac[KYMO_NET_MAC_BYTES];
};

#endif
