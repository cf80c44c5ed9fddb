/* SPDX-License-Identifier: MIT */
/* The announcement that hostlink finds boards by: a UDP broadcast every few seconds. Off unless
 * asked for: not every network likes broadcasts, and not every board wants to be found.
 * README.md has its bytes. */
#ifndef KYMO_NET_BEACON_H
#define KYMO_NET_BEACON_H

#include "kymo/language.h"
#include "net_udp.h"

KYMO_C_BEGIN

/* Milliseconds between two announcements; 0 leaves them out of the image. */
#ifndef KYMO_NET_BEACON_MS
#define KYMO_NET_BEACON_MS 0
#endif

/* UDP port that announcements go to, and TCP port that boards listen on by default. */
#define KYMO_NET_PORT 6996u

struct kymo_beacon {
    uint32_t sent_ms; /* the last one */
};

/* Sends the announcement when it is due. "name" may be NULL. */
void kymo_beacon_poll(struct kymo_beacon *beacon, struct kymo_interface *interface,
                      const char *name, uint16_t tcp_port);

KYMO_C_END

#endif
