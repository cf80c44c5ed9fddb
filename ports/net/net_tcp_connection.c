/* SPDX-License-Identifier: MIT */
#include "net_tcp_connection.h"

#include "kymo/bytes.h"

#define ANSWER_INTERVAL_MS 100u

void kymo_tcp_connection_init(struct kymo_tcp_connection *connection,
                              struct kymo_interface *interface, uint16_t port) {
    connection->interface = interface;
    connection->port = port;
    connection->answered_ms = interface->now_ms - ANSWER_INTERVAL_MS;
    kymo_tcp_connection_end(connection);
}

void kymo_tcp_connection_end(struct kymo_tcp_connection *connection) {
    connection->state = KYMO_TCP_NONE;
    kymo_fifo_init(&connection->out, connection->out_bytes, sizeof connection->out_bytes);
    kymo_fifo_init(&connection->in, connection->in_bytes, sizeof connection->in_bytes);
    connection->timer = KYMO_TCP_TIMER_OFF;
    connection->acknowledge = false;
    connection->closing = false;
    connection->finished = false;
    connection->peer_closed = false;
    connection->closed_first = false;
}

void kymo_tcp_connection_open(struct kymo_tcp_connection *connection,
                              const struct kymo_tcp_segment *segment, uint32_t sequence,
                              uint32_t mss) {
    kymo_tcp_connection_end(connection);
    connection->state = KYMO_TCP_OPEN;
    kymo_put_bytes(&connection->peer, &segment->peer, sizeof segment->peer);
    connection->mss = mss;
    connection->unacknowledged = connection->next = connection->highest = segment->acknowledgment;
    connection->window = connection->largest_window = segment->window;
    connection->window_sequence = segment->sequence;
    connection->window_acknowledgment = segment->acknowledgment;
    connection->expected = sequence + 1u;
    connection->advertised = connection->expected + connection->in.size;
    kymo_tcp_rtt_init(&connection->rtt);
    kymo_tcp_congestion_init(&connection->congestion, mss, connection->next);
    kymo_tcp_connection_heard(connection);
    connection->interface->counters.connections++;
}

void kymo_tcp_connection_abort(struct kymo_tcp_connection *connection) {
    struct kymo_tcp_segment reset;
    kymo_put_zeros(&reset, sizeof reset);
    kymo_put_bytes(&reset.peer, &connection->peer, sizeof connection->peer);
    reset.flags = KYMO_TCP_RST | KYMO_TCP_ACK;
    reset.sequence = connection->next;
    reset.acknowledgment = connection->expected;
    kymo_tcp_send_bare(connection->interface, connection->port, &reset);
    connection->interface->counters.aborted++;
    kymo_tcp_connection_end(connection);
}

void kymo_tcp_connection_heard(struct kymo_tcp_connection *connection) {
    connection->challenged = false;
    connection->unanswered = 0u;
    connection->keep_alive_at = connection->interface->now_ms + KYMO_NET_KEEP_ALIVE_MS;
}

void kymo_tcp_connection_answer(struct kymo_tcp_connection *connection) {
    const uint32_t now_ms = connection->interface->now_ms;
    if (now_ms - connection->answered_ms >= ANSWER_INTERVAL_MS) {
        connection->answered_ms = now_ms;
        connection->acknowledge = true;
    }
}

static uint32_t most_advertised(const struct kymo_tcp_connection *connection) {
    return connection->expected + kymo_fifo_room(&connection->in);
}

bool kymo_tcp_connection_window_grown(const struct kymo_tcp_connection *connection) {
    const uint32_t half = connection->in.size / 2u;
    const uint32_t enough = half < connection->mss ? half : connection->mss;
    return most_advertised(connection) - connection->advertised >= enough;
}

uint16_t kymo_tcp_connection_window(struct kymo_tcp_connection *connection) {
    if (kymo_tcp_connection_window_grown(connection)) {
        connection->advertised = most_advertised(connection);
    }
    return (uint16_t)(connection->advertised - connection->expected);
}

void kymo_tcp_connection_acknowledge(struct kymo_tcp_connection *connection, uint32_t back) {
    struct kymo_tcp_segment segment;
    kymo_put_zeros(&segment, sizeof segment);
    kymo_put_bytes(&segment.peer, &connection->peer, sizeof connection->peer);
    segment.flags = KYMO_TCP_ACK;
    segment.sequence = connection->next - back;
    segment.acknowledgment = connection->expected;
    segment.window = kymo_tcp_connection_window(connection);
    kymo_tcp_send_bare(connection->interface, connection->port, &segment);
    connection->acknowledge = false;
}
