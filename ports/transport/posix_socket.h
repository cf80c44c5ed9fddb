/* SPDX-License-Identifier: MIT */
/* A TCP server of sockets as a transport, for one host at a time: for programs under Linux, and
 * for firmware with lwIP. Never waits.
 *
 * By POSIX; or with KYMO_POSIX_SOCKET_LWIP 1 by lwIP's socket API (lwIP 2, LWIP_SOCKET 1). Then
 * kymo_drain() belongs into a thread, not into an interrupt. Firmware that has lwIP without
 * threads uses lwip_raw.h.
 *
 * To kymo it is a network, on 127.0.0.1 too: without KYMO_COMMAND_KEY the program only sends. Then hostlink's
 * pings have no answer, and beside other boards its times are those at which packets came. */
#ifndef KYMO_POSIX_SOCKET_H
#define KYMO_POSIX_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kymo/transport.h"
#include "whole_packets.h"

KYMO_C_BEGIN

/* Owned by the caller; the fields are private to the driver. */
struct kymo_posix_socket {
    int listener;
    int host; /* the connection; -1: none */
    struct kymo_whole_packets packets;
    struct kymo_transport transport;
};

/* Listens on a port of the IPv4 address, given as a number: 0x7f000001 is 127.0.0.1, 0 every
 * address of this machine. Port 0 takes any that is free. 0, or a negative errno value. */
int kymo_posix_socket_listen(struct kymo_posix_socket *server, uint32_t address, uint16_t port);

/* For kymo_init(). It takes nothing while no host is connected; a second host waits until the
 * first one is gone. A host that answers nothing any more is given up by the keep-alive of the
 * system, whose times are set to some half a minute where that can be set. */
static inline const struct kymo_transport *kymo_posix_socket_transport(
    const struct kymo_posix_socket *server) {
    return &server->transport;
}

/* The port, or a negative errno value. */
int kymo_posix_socket_port(const struct kymo_posix_socket *server);

/* True while a host is connected, as far as the last write or read could tell. */
static inline bool kymo_posix_socket_connected(const struct kymo_posix_socket *server) {
    return server->host >= 0;
}

/* Ends the connection, whose bytes go out if the system can send them, and listens no longer. */
void kymo_posix_socket_close(struct kymo_posix_socket *server);

KYMO_C_END

#endif
