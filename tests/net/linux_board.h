/* SPDX-License-Identifier: MIT */
/* The board of the tests against Linux: the stack on a bad wire, and the sockets of a host. */
#ifndef LINUX_BOARD_H
#define LINUX_BOARD_H

#include "bad_wire.h"
#include "kymo_net.h"

#define BOARD_ADDRESS KYMO_NET_ADDRESS(10, 9, 8, 2)
#define HOST_ADDRESS KYMO_NET_ADDRESS(10, 9, 8, 1)
/* No test takes a hundredth of it. */
#define LIMIT_MS 600000u

extern int tap;
extern struct bad_wire wire;
extern struct kymo_net net;
extern const struct kymo_net_counts *counters;
extern const struct kymo_transport *transport;

/* Starts the stack again, with a wire that is good. */
int start(void **state);

/* One turn of the wire and of the board; sleeps a little when nothing is there to do. */
void turn(void);
void turn_for(uint32_t ms);

/* A socket on its way to the board, or -1 when that refuses. */
int connect_to_board(uint32_t patience_ms);

/* A connection that the board knows of, too. */
int connected(void);

/* The host's end is closed at once, by a reset. */
void kill_connection(int host);

/* Fills in the bytes sent: none of them equals its neighbours. */
void fill(uint8_t *bytes, size_t at, size_t length);
void is_pattern(const uint8_t *bytes, size_t at, size_t length);

#endif
