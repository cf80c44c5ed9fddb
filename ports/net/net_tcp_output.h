/* SPDX-License-Identifier: MIT */
/* What the connection sends now: data, FIN, acknowledgement. */
#ifndef KYMO_NET_TCP_OUTPUT_H
#define KYMO_NET_TCP_OUTPUT_H

#include "net_tcp_connection.h"

/* Sends all that windows and buffers allow, and sets the timer for what is then on its way. */
void kymo_tcp_output(struct kymo_tcp_connection *connection);

/* Sends "length" bytes, and a FIN if it is due behind them, from "next" on, whatever the windows
 * say. False: no frame. */
bool kymo_tcp_output_segment(struct kymo_tcp_connection *connection, uint32_t length);

#endif
