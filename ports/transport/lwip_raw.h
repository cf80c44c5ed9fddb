/* SPDX-License-Identifier: MIT */
/* A TCP server of lwIP's raw API as a transport, for one host at a time: for firmware that has
 * lwIP, 2.0 or later, with or without threads. Never waits, except for lwIP's own lock where there
 * are threads. */
#ifndef KYMO_LWIP_RAW_H
#define KYMO_LWIP_RAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kymo/transport.h"
#include "lwip/tcp.h"
#include "whole_packets.h"

KYMO_C_BEGIN

/* Owned by the caller, in static memory; the fields are private to the driver. */
struct kymo_lwip_raw {
    struct tcp_pcb *listener;
    struct tcp_pcb *host;  /* the connection; NULL: none */
    struct pbuf *received; /* and not read yet */
    uint16_t read;         /* bytes of its first pbuf that have been read */
    struct kymo_whole_packets packets;
    struct kymo_transport transport;
};

/* Listens on a port of every address. Returns lwIP's error, or ERR_OK. With NO_SYS 1,
 * kymo_drain() and this are called where all of lwIP is, in the main loop; else in any thread
 * but lwIP's own, and LWIP_TCPIP_CORE_LOCKING must be 1. */
err_t kymo_lwip_raw_listen(struct kymo_lwip_raw *server, uint16_t port);

/* For kymo_init(). It takes nothing while no host is connected; a second host is refused until
 * the first one is gone. */
static inline const struct kymo_transport *kymo_lwip_raw_transport(
    const struct kymo_lwip_raw *server) {
    return &server->transport;
}

/* True while a host is connected. */
static inline bool kymo_lwip_raw_connected(const struct kymo_lwip_raw *server) {
    return server->host != NULL;
}

KYMO_C_END

#endif
