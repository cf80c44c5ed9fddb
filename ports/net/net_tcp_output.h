/* SPDX-License-Identifier: MIT */
/* Output of the connection: data, FIN, acknowledgement. */
#ifndef KYMO_NET_TCP_OUTPUT_H
#define KYMO_NET_TCP_OUTPUT_H

#include "net_tcp_connection.h"

/* Sends all that windows and buffers allow, and sets the timer for the bytes in flight. */
void kymo_tcp_output(struct kymo_tcp_connection *connection);

/* Sends "length" bytes from "next" on, and a FIN if it is due after them, regardless of the
 * windows. False: no frame. */
bool kymo_tcp_output_segment(struct kymo_tcp_connection *connection, uint32_t length);

#endif
