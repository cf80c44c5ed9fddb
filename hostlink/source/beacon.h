/* SPDX-License-Identifier: MIT */
/* Boards that announce themselves on the network by UDP broadcasts (ports/net/README.md). Anybody can
 * send these: they are shown, never believed. */
#ifndef HOSTLINK_BEACON_H
#define HOSTLINK_BEACON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform/net.h"

#define BEACON_PORT 6996u
#define BEACON_NAME_SIZE 65u
#define BEACONS_MAX 32
#define BEACON_MAC_BYTES 6u

/* Another port to listen on, for tests. */
#define BEACON_PORT_ENVIRONMENT "HOSTLINK_BEACON_PORT"

struct beacon {
    char address[INET_ADDRSTRLEN]; /* it came from there */
    uint16_t port;                 /* TCP */
    uint8_t mac[BEACON_MAC_BYTES];
    char name[BEACON_NAME_SIZE]; /* cleaned; "" = none */
};

/* Reads a datagram that came from "from"; false if it is no announcement. */
bool beacon_parse(struct beacon *beacon, const uint8_t *bytes, size_t length,
                  const struct in_addr *from);

/* Listens for "time_ns", or until the user wants to stop. Fills at most "limit", each board once, in order of
 * their addresses. Returns how many, or -errno. */
int beacon_list(struct beacon *beacons, int limit, uint64_t time_ns);

#endif
