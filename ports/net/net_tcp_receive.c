/* SPDX-License-Identifier: MIT */
#include "net_tcp_receive.h"

#include "net_bytes.h"
#include "net_tcp_output.h"

/* How long our address and port stay with a peer after both have closed. RFC 9293 says twice 2
 * minutes, so that nothing old reaches a new connection; here a new one may come at once, as its
 * sequence numbers are others. */
#define TIME_WAIT_MS 10000u

/* First check: is any of it in the window? At a shut one the next segment counts for its
 * acknowledgement. */
static bool is_in_window(const struct kymo_tcp_connection *connection,
                         const struct kymo_tcp_segment *segment) {
    const uint32_t window = connection->advertised - connection->expected;
    const uint32_t span = kymo_tcp_span(segment);
    const uint32_t begin = segment->sequence - connection->expected;
    if (window == 0u) {
        return begin == 0u;
    }
    return begin < window || (span != 0u && begin + span - 1u < window);
}

/* Second to fourth check. True: it says nothing about data. */
static bool is_exception(struct kymo_tcp_connection *connection,
                         const struct kymo_tcp_segment *segment) {
    struct kymo_net_counts *counters = &connection->interface->counters;
    if ((segment->flags & KYMO_TCP_RST) != 0u && segment->sequence == connection->expected) {
        counters->aborted++;
        kymo_tcp_connection_end(connection);
        return true;
    }
    if ((segment->flags & (KYMO_TCP_RST | KYMO_TCP_SYN)) != 0u) {
        counters->challenges++; /* RFC 5961 sections 3 and 4 */
        kymo_tcp_connection_answer(connection);
        return true;
    }
    return (segment->flags & KYMO_TCP_ACK) == 0u;
}

/* Fifth check. False: the segment is not believed. */
static bool take_acknowledgment(struct kymo_tcp_connection *connection,
                                const struct kymo_tcp_segment *segment) {
    const uint32_t acknowledged = segment->acknowledgment - connection->unacknowledged;
    const uint32_t on_way = connection->highest - connection->unacknowledged;
    if (acknowledged > on_way) {
        /* RFC 5961 section 5: old, or never sent. */
        if (0u - acknowledged <= connection->largest_window) {
            return true;
        }
        connection->interface->counters.challenges++;
        kymo_tcp_connection_answer(connection);
        return false;
    }
    const uint32_t bytes =
        acknowledged < connection->out.count ? acknowledged : connection->out.count;
    kymo_fifo_drop(&connection->out, bytes);
    connection->finished |= acknowledged > bytes; /* the one after the last byte is our FIN */
    connection->unacknowledged = segment->acknowledgment;
    if (kymo_reached(connection->unacknowledged, connection->next)) {
        connection->next = connection->unacknowledged;
    }
    if (acknowledged != 0u) {
        connection->timer = KYMO_TCP_TIMER_OFF; /* set again for the bytes still in flight */
        kymo_tcp_rtt_acknowledged(&connection->rtt, segment->acknowledgment,
                                  connection->interface->now_ms);
    }
    return true;
}

static void take_window(struct kymo_tcp_connection *connection,
                        const struct kymo_tcp_segment *segment) {
    if (segment->sequence == connection->window_sequence
            ? !kymo_reached(segment->acknowledgment, connection->window_acknowledgment)
            : !kymo_reached(segment->sequence, connection->window_sequence)) {
        return;
    }
    connection->window = segment->window;
    connection->window_sequence = segment->sequence;
    connection->window_acknowledgment = segment->acknowledgment;
    if (connection->largest_window < segment->window) {
        connection->largest_window = segment->window;
    }
}

/* The first segment on its way is lost: it goes once more, before all that is new. */
static void send_first_again(struct kymo_tcp_connection *connection) {
    const uint32_t next = connection->next;
    uint32_t length = next - connection->unacknowledged;
    length = length < connection->out.count ? length : connection->out.count;
    length = length < connection->mss ? length : connection->mss;
    connection->next = connection->unacknowledged;
    (void)kymo_tcp_output_segment(connection, length);
    connection->next = kymo_reached(connection->next, next) ? connection->next : next;
}

static void tell_congestion(struct kymo_tcp_connection *connection, uint32_t acknowledged,
                            bool duplicate) {
    struct kymo_tcp_congestion *congestion = &connection->congestion;
    const uint32_t at = connection->unacknowledged;
    const uint32_t on_way = connection->highest - at;
    bool lost = false;
    if (acknowledged != 0u) {
        lost = kymo_tcp_congestion_acknowledged(congestion, at, acknowledged, on_way);
    } else if (duplicate) {
        lost = kymo_tcp_congestion_duplicate(congestion, at, on_way, connection->highest);
        connection->interface->counters.fast_retransmits += lost;
    }
    if (lost && connection->next != at) {
        send_first_again(connection);
    }
}

/* RFC 5681 section 2, "duplicate acknowledgment" */
static bool is_duplicate(const struct kymo_tcp_connection *connection,
                         const struct kymo_tcp_segment *segment) {
    return segment->acknowledgment == connection->unacknowledged &&
           connection->next != connection->unacknowledged && kymo_tcp_span(segment) == 0u &&
           segment->window == connection->window && segment->window != 0u;
}

/* Seventh and eighth check. */
static void take_data(struct kymo_tcp_connection *connection,
                      const struct kymo_tcp_segment *segment) {
    const uint32_t known =
        connection->expected - segment->sequence; /* bytes that have come before */
    if (kymo_tcp_span(segment) == 0u || connection->peer_closed) {
        return;
    }
    connection->acknowledge = true;
    if (known > segment->length) {
        connection->interface->counters.out_of_order++;
        return;
    }
    const size_t fresh = segment->length - known;
    const uint32_t window = connection->advertised - connection->expected;
    const size_t taken =
        kymo_fifo_put(&connection->in, segment->data + known, fresh < window ? fresh : window);
    connection->expected += (uint32_t)taken;
    if ((segment->flags & KYMO_TCP_FIN) != 0u && taken == fresh) {
        connection->expected++;
        connection->peer_closed = true;
        connection->closed_first = connection->closing;
        connection->closing = true; /* a host that has closed does not read either */
    }
    if (kymo_reached(connection->expected, connection->advertised)) {
        connection->advertised = connection->expected;
    }
}

static void take_end(struct kymo_tcp_connection *connection, bool was_finished) {
    const uint32_t now_ms = connection->interface->now_ms;
    if (!connection->finished) {
        return;
    }
    if (!was_finished || connection->peer_closed) {
        connection->end_at = now_ms + TIME_WAIT_MS;
    }
    if (connection->peer_closed && connection->closed_first) {
        connection->state = KYMO_TCP_TIME_WAIT;
        connection->timer = KYMO_TCP_TIMER_OFF;
    } else if (connection->peer_closed) {
        kymo_tcp_connection_end(connection);
    }
}

void kymo_tcp_receive(struct kymo_tcp_connection *connection,
                      const struct kymo_tcp_segment *segment) {
    if (!is_in_window(connection, segment)) {
        connection->interface->counters.out_of_window++;
        if ((segment->flags & KYMO_TCP_RST) == 0u) {
            kymo_tcp_connection_answer(connection);
        }
        return;
    }
    if (is_exception(connection, segment)) {
        return;
    }
    const bool duplicate = is_duplicate(connection, segment);
    const bool was_finished = connection->finished;
    const uint32_t before = connection->unacknowledged;
    if (!take_acknowledgment(connection, segment)) {
        return;
    }
    kymo_tcp_connection_heard(connection);
    kymo_put_bytes(connection->peer.host.mac, segment->peer.host.mac, KYMO_NET_MAC_BYTES);
    take_window(connection, segment);
    tell_congestion(connection, connection->unacknowledged - before, duplicate);
    take_data(connection, segment);
    take_end(connection, was_finished);
}
