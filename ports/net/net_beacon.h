/* SPDX-License-Identifier: MIT */
/* The announcement that hostlink finds boards by: a UDP broadcast every second. Not in the image unless
 * kymo_net_init() gets it: not every network likes broadcasts, and not every board wants to be found. README.md has its
 * bytes. */
#ifndef KYMO_NET_BEACON_H
#define KYMO_NET_BEACON_H

#include "kymo/language.h"
#include "net_udp.h"

KYMO_C_BEGIN

/* Milliseconds between two announcements: "hostlink list" listens for 2.5 s. */
#define KYMO_NET_BEACON_MS 1000u

/* UDP port that announcements go to, and TCP port that boards listen on by default. */
#define KYMO_NET_PORT 6996u

struct kymo_beacon {
    uint32_t sent_ms; /* the last one */
};

/* Sends the announcement when it is due. "name" may be NULL. */
typedef void kymo_beacon_poll(struct kymo_beacon *beacon, struct kymo_interface *interface,
                              const char *name, uint16_t tcp_port);
kymo_beacon_poll kymo_net_announce;

KYMO_C_END

#endif
