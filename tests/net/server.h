/* SPDX-License-Identifier: MIT */
/* Duties of every TCP server that is a transport, tested with a host's socket at the other end. */
#ifndef SERVER_H
#define SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "kymo/transport.h"

struct server {
    const struct kymo_transport *transport;
    uint32_t address; /* where hosts reach it */
    uint16_t port;
    bool refuses; /* a second host; else it waits for the first one to go */
    bool (*connected)(const void *state);
    const void *state;
};

/* Bytes both ways, every one compared; a host that does not read; hosts that come and go; a
 * second one. */
void server_check(const struct server *server);

#endif
