/* SPDX-License-Identifier: MIT */
/* Effects of a segment from the peer on the connection: RFC 9293 section 3.10.7.4, with RFC
 * 5961's care about forged ones. */
#ifndef KYMO_NET_TCP_RECEIVE_H
#define KYMO_NET_TCP_RECEIVE_H

#include "net_tcp_connection.h"

void kymo_tcp_receive(struct kymo_tcp_connection *connection,
                      const struct kymo_tcp_segment *segment);

#endif
