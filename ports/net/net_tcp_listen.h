/* SPDX-License-Identifier: MIT */
/* Requests for a connection. RFC 9293 section 3.10.7.2, RFC 4987.
 *
 * Nothing has to be remembered of a request: our first sequence number is a keyed hash of it (a
 * "SYN cookie"), and a peer that acknowledges that number has made the request. So a flood of
 * requests takes no memory and shuts nobody out. The last request is remembered all the same, to
 * repeat the answer to it, as that can be lost. */
#ifndef KYMO_NET_TCP_LISTEN_H
#define KYMO_NET_TCP_LISTEN_H

#include "net_tcp_connection.h"

#define KYMO_TCP_SECRET_BYTES 16u

struct kymo_tcp_listener {
    uint8_t secret[KYMO_TCP_SECRET_BYTES];
    bool pending; /* there is a last request */
    uint8_t repeats;
    uint32_t repeat_at;
    struct kymo_tcp_peer peer;
    uint32_t sequence; /* the peer's first one */
    uint32_t cookie;   /* and ours */
};

/* A segment that does not belong to the connection. True: it has opened the connection, and now
 * belongs to it. */
bool kymo_tcp_listen(struct kymo_tcp_listener *listener, struct kymo_tcp_connection *connection,
                     const struct kymo_tcp_segment *segment);

/* Repeats the answer to the last request when that is due. */
void kymo_tcp_listen_poll(struct kymo_tcp_listener *listener,
                          struct kymo_tcp_connection *connection);

#endif
