/* SPDX-License-Identifier: MIT */
#include "net_tcp.h"

#include "net_tcp_output.h"
#include "net_tcp_receive.h"
#include "net_tcp_timer.h"

/* True on a connection that both ends have closed: the peer may not have got our last
 * acknowledgement. A SYN from the same port is a new request. */
static bool is_late(const struct kymo_tcp_connection *connection,
                    const struct kymo_tcp_segment *segment) {
    const unsigned kind = segment->flags & (KYMO_TCP_SYN | KYMO_TCP_ACK | KYMO_TCP_RST);
    return connection->state == KYMO_TCP_TIME_WAIT && kind != KYMO_TCP_SYN;
}

void kymo_tcp_input(struct kymo_tcp *tcp, const struct kymo_datagram *datagram) {
    struct kymo_tcp_connection *connection = &tcp->connection;
    struct kymo_tcp_segment segment;
    if (!kymo_tcp_parse(connection->interface, connection->port, datagram, &segment)) {
        return;
    }
    const bool same =
        connection->state != KYMO_TCP_NONE && kymo_tcp_same_peer(&connection->peer, &segment.peer);
    if (same && is_late(connection, &segment)) {
        if (kymo_tcp_span(&segment) != 0u) {
            kymo_tcp_connection_answer(connection);
        }
        return;
    }
    if ((same && connection->state == KYMO_TCP_OPEN) ||
        kymo_tcp_listen(&tcp->listener, connection, &segment)) {
        kymo_tcp_receive(connection, &segment);
    }
}

void kymo_tcp_poll(struct kymo_tcp *tcp) {
    kymo_tcp_listen_poll(&tcp->listener, &tcp->connection);
    kymo_tcp_timer(&tcp->connection);
    kymo_tcp_output(&tcp->connection);
}
