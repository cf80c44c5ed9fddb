/* SPDX-License-Identifier: MIT */
/* TCP with one connection, for which the stack listens: a segment goes to the connection or is
 * a request for one. */
#ifndef KYMO_NET_TCP_H
#define KYMO_NET_TCP_H

#include "kymo/language.h"
#include "net_tcp_listen.h"

KYMO_C_BEGIN

struct kymo_tcp {
    struct kymo_tcp_listener listener;
    struct kymo_tcp_connection connection;
};

/* Takes one datagram. */
void kymo_tcp_input(struct kymo_tcp *tcp, const struct kymo_datagram *datagram);

/* Handles timers that are due, and sends waiting segments. */
void kymo_tcp_poll(struct kymo_tcp *tcp);

KYMO_C_END

#endif
