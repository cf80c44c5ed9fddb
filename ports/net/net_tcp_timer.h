/* SPDX-License-Identifier: MIT */
/* Timers of the connection: it sends again, probes a shut window, asks a silent peer,
 * ends. */
#ifndef KYMO_NET_TCP_TIMER_H
#define KYMO_NET_TCP_TIMER_H

#include "net_tcp_connection.h"

void kymo_tcp_timer(struct kymo_tcp_connection *connection);

/* Somebody else wants to connect: if the peer does not answer soon, it is given up. */
void kymo_tcp_timer_challenge_peer(struct kymo_tcp_connection *connection);

#endif
