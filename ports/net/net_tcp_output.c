/* SPDX-License-Identifier: MIT */
#include "net_tcp_output.h"

#include "net_bytes.h"

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

bool kymo_tcp_output_segment(struct kymo_tcp_connection *connection, uint32_t length) {
    struct kymo_interface *interface = connection->interface;
    const uint32_t at = connection->next - connection->unacknowledged;
    const bool last = length == kymo_tcp_connection_unsent(connection);
    const bool fin = last && kymo_tcp_connection_fin_due(connection);
    uint8_t *frame = kymo_interface_claim(interface);
    if (frame == NULL) {
        return false;
    }
    struct kymo_tcp_segment segment;
    kymo_put_zeros(&segment, sizeof segment);
    kymo_put_bytes(&segment.peer, &connection->peer, sizeof connection->peer);
    segment.flags =
        (uint8_t)(KYMO_TCP_ACK | (last ? KYMO_TCP_PSH : 0u) | (fin ? KYMO_TCP_FIN : 0u));
    segment.sequence = connection->next;
    segment.acknowledgment = connection->expected;
    segment.window = kymo_tcp_connection_window(connection);
    segment.length = length;
    (void)kymo_fifo_look(&connection->out, at, frame + KYMO_TCP_DATA_AT, length);
    kymo_tcp_send(interface, frame, connection->port, &segment);
    connection->acknowledge = false;
    connection->waiting_since_ms = interface->now_ms;

    const bool again = connection->next != connection->highest;
    connection->next += length + fin;
    if (again) {
        interface->counters.retransmissions++;
        kymo_tcp_rtt_again(&connection->rtt);
    } else {
        kymo_tcp_rtt_sent(&connection->rtt, connection->next, interface->now_ms);
    }
    if (kymo_reached(connection->next, connection->highest)) {
        connection->highest = connection->next;
    }
    return true;
}

/* RFC 9293 sections 3.7.4 (Nagle) and 3.8.6.2.1 (silly windows): a short segment goes when it is
 * all there is and nothing is on its way, or has waited for long enough, or will not get longer. */
static bool is_worth_it(const struct kymo_tcp_connection *connection, uint32_t length,
                        uint32_t unsent) {
    if (length == connection->mss || (length != 0u && length >= connection->largest_window / 2u)) {
        return true;
    }
    if (length < unsent) {
        return false;
    }
    return connection->closing || connection->next == connection->unacknowledged ||
           connection->next != connection->highest ||
           connection->interface->now_ms - connection->waiting_since_ms >= KYMO_NET_FLUSH_MS;
}

static bool send_next(struct kymo_tcp_connection *connection) {
    const uint32_t sent = connection->next - connection->unacknowledged;
    const uint32_t unsent = kymo_tcp_connection_unsent(connection);
    const bool fin = kymo_tcp_connection_fin_due(connection);
    const uint32_t window = least(connection->window, connection->congestion.window);
    const uint32_t room = window > sent ? window - sent : 0u;
    const uint32_t length = least(least(unsent, room), connection->mss);
    if ((unsent == 0u && !fin) || room == 0u || !is_worth_it(connection, length, unsent)) {
        return false;
    }
    return kymo_tcp_output_segment(connection, length);
}

/* Waits for the acknowledgement of bytes in flight. With no bytes in flight but some to send, the
 * window is shut. */
static void set_timer(struct kymo_tcp_connection *connection) {
    const uint32_t now_ms = connection->interface->now_ms;
    if (connection->next != connection->unacknowledged) {
        if (connection->timer != KYMO_TCP_TIMER_AGAIN) {
            connection->timer = KYMO_TCP_TIMER_AGAIN;
            connection->timer_at = now_ms + connection->rtt.timeout_ms;
        }
    } else if (kymo_tcp_connection_unsent(connection) != 0u ||
               kymo_tcp_connection_fin_due(connection)) {
        if (connection->timer != KYMO_TCP_TIMER_PROBE) {
            connection->timer = KYMO_TCP_TIMER_PROBE;
            connection->probe_wait_ms = connection->rtt.timeout_ms;
            connection->timer_at = now_ms + connection->probe_wait_ms;
        }
    } else {
        connection->timer = KYMO_TCP_TIMER_OFF;
    }
}

void kymo_tcp_output(struct kymo_tcp_connection *connection) {
    if (connection->state == KYMO_TCP_OPEN) {
        while (kymo_interface_ready(connection->interface) && send_next(connection)) {}
        set_timer(connection);
    }
    if (connection->state != KYMO_TCP_NONE &&
        (connection->acknowledge || kymo_tcp_connection_window_grown(connection))) {
        kymo_tcp_connection_acknowledge(connection, 0u);
    }
}
