/* SPDX-License-Identifier: MIT */
#include "net_tcp_timer.h"

#include "net_bytes.h"
#include "net_tcp_output.h"

#define KEEP_ALIVE_INTERVAL_MS 2000u
/* Somebody else waits: three questions, a second apart. */
#define CHALLENGE_INTERVAL_MS 1000u
#define CHALLENGE_TRIES 3u

/* RFC 6298 section 5.4 to 5.7: from the first segment that is not acknowledged on, all is sent
 * once more. */
static void send_again(struct kymo_tcp_connection *connection) {
    connection->interface->counters.timeouts++;
    connection->unanswered++;
    kymo_tcp_congestion_timeout(&connection->congestion,
                                connection->highest - connection->unacknowledged,
                                connection->highest);
    kymo_tcp_rtt_again(&connection->rtt);
    kymo_tcp_rtt_back_off(&connection->rtt);
    connection->next = connection->unacknowledged;
    connection->timer = KYMO_TCP_TIMER_OFF;
}

/* RFC 9293 section 3.8.6.1: one byte into the shut window, or as many as fit into one that is
 * too small to be worth it. It does not count as sent, as the peer may well drop it. */
static void probe(struct kymo_tcp_connection *connection) {
    const uint32_t unsent = kymo_tcp_connection_unsent(connection);
    uint32_t length = connection->window < connection->mss ? connection->window : connection->mss;
    length = length == 0u ? 1u : length;
    connection->interface->counters.window_probes++;
    connection->unanswered++;
    if (kymo_tcp_output_segment(connection, length < unsent ? length : unsent) &&
        connection->window == 0u) {
        connection->next = connection->unacknowledged;
        kymo_tcp_rtt_again(&connection->rtt);
    }
    connection->probe_wait_ms *= 2u;
    if (connection->probe_wait_ms > KYMO_TCP_TIMEOUT_MOST_MS) {
        connection->probe_wait_ms = KYMO_TCP_TIMEOUT_MOST_MS;
    }
    connection->timer_at = connection->interface->now_ms + connection->probe_wait_ms;
}

/* RFC 9293 section 3.8.4: a segment from before the window, which a peer that is there must
 * answer. */
static void keep_alive(struct kymo_tcp_connection *connection) {
    const bool idle = connection->timer == KYMO_TCP_TIMER_OFF;
    const uint32_t now_ms = connection->interface->now_ms;
    if (!(idle || connection->challenged) || !kymo_reached(now_ms, connection->keep_alive_at)) {
        return;
    }
    connection->keep_alive_at =
        now_ms + (connection->challenged ? CHALLENGE_INTERVAL_MS : KEEP_ALIVE_INTERVAL_MS);
    connection->interface->counters.keep_alives++;
    connection->unanswered++;
    kymo_tcp_connection_acknowledge(connection, connection->next - connection->unacknowledged + 1u);
}

void kymo_tcp_timer_challenge_peer(struct kymo_tcp_connection *connection) {
    if (connection->challenged) {
        return;
    }
    connection->challenged = true;
    connection->keep_alive_at = connection->interface->now_ms;
    if (connection->unanswered < KYMO_NET_TRIES - CHALLENGE_TRIES) {
        connection->unanswered = KYMO_NET_TRIES - CHALLENGE_TRIES;
    }
}

static void tick_open(struct kymo_tcp_connection *connection) {
    const bool due = connection->timer != KYMO_TCP_TIMER_OFF &&
                     kymo_reached(connection->interface->now_ms, connection->timer_at);
    keep_alive(connection);
    if (due && connection->timer == KYMO_TCP_TIMER_AGAIN) {
        send_again(connection);
    } else if (due) {
        probe(connection);
    }
}

/* The segment that stays without an answer for the last time is waited for like the others. */
static bool is_given_up(const struct kymo_tcp_connection *connection) {
    const uint32_t now_ms = connection->interface->now_ms;
    if (connection->finished && kymo_reached(now_ms, connection->end_at)) {
        return true;
    }
    const uint32_t at = connection->timer == KYMO_TCP_TIMER_OFF || connection->challenged
                            ? connection->keep_alive_at
                            : connection->timer_at;
    return connection->unanswered >= KYMO_NET_TRIES && kymo_reached(now_ms, at);
}

void kymo_tcp_timer(struct kymo_tcp_connection *connection) {
    if (connection->state == KYMO_TCP_TIME_WAIT &&
        kymo_reached(connection->interface->now_ms, connection->end_at)) {
        kymo_tcp_connection_end(connection);
    }
    if (connection->state != KYMO_TCP_OPEN) {
        return;
    }
    if (is_given_up(connection)) {
        kymo_tcp_connection_abort(connection);
        return;
    }
    tick_open(connection);
}
