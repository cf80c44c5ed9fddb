/* SPDX-License-Identifier: MIT */
#include "net_tcp_listen.h"

#include "kymo/siphash.h"
#include "net_bytes.h"
#include "net_tcp_timer.h"

#define REPEAT_MS 1000u
#define REPEATS 5u
/* The time in a cookie: 65 s are one period, and a cookie holds for the one in which it was made
 * and the next. */
#define PERIOD_BITS 16u
/* A cookie: 28 bits of hash, the lowest bit of the period, the number of the segment size. */
#define COOKIE_HASH 0xfffffff0u
#define COOKIE_PERIOD 8u
#define COOKIE_SIZE 7u

/* Longest segments of the peer that a cookie can state; a size between is rounded
 * down. The least is the size that every host takes in one piece (RFC 791: 68 bytes) less headers,
 * rounded up; 1460 is that of Ethernet. */
static const uint16_t sizes[COOKIE_SIZE + 1u] = {64, 256, 536, 1024, 1220, 1400, 1440, 1460};

static uint32_t size_number(uint32_t mss) {
    uint32_t number = COOKIE_SIZE;
    while (number > 0u && (sizes[number] > mss || sizes[number] > KYMO_TCP_MOST_BYTES)) {
        number--;
    }
    return number;
}

/* RFC 6528 section 3: a keyed hash of the connection; of the peer's first sequence number as
 * well, so that each request of one peer gets another one. */
static uint32_t make_cookie(const struct kymo_tcp_listener *listener,
                            const struct kymo_tcp_connection *connection,
                            const struct kymo_tcp_peer *peer, uint32_t sequence, uint32_t period,
                            uint32_t size) {
    uint8_t about[24];
    kymo_put32(about, connection->interface->address);
    kymo_put32(about + 4, peer->host.address);
    kymo_put32(about + 8, sequence);
    kymo_put32(about + 12, period);
    kymo_put32(about + 16, size);
    kymo_put16(about + 20, peer->port);
    kymo_put16(about + 22, connection->port);
    const uint64_t hash = kymo_siphash(listener->secret, about, sizeof about);
    return ((uint32_t)hash & COOKIE_HASH) | ((period & 1u) != 0u ? COOKIE_PERIOD : 0u) | size;
}

static bool is_cookie(const struct kymo_tcp_listener *listener,
                      const struct kymo_tcp_connection *connection,
                      const struct kymo_tcp_segment *segment) {
    const uint32_t cookie = segment->acknowledgment - 1u;
    uint32_t period = connection->interface->now_ms >> PERIOD_BITS;
    if (((period & 1u) != 0u) != ((cookie & COOKIE_PERIOD) != 0u)) {
        period = (period - 1u) & (0xffffffffu >> PERIOD_BITS);
    }
    return cookie == make_cookie(listener, connection, &segment->peer, segment->sequence - 1u,
                                 period, cookie & COOKIE_SIZE);
}

static bool is_pending(const struct kymo_tcp_listener *listener,
                       const struct kymo_tcp_segment *segment) {
    return listener->pending && kymo_tcp_same_peer(&listener->peer, &segment->peer);
}

static void answer(struct kymo_tcp_listener *listener, struct kymo_tcp_connection *connection) {
    struct kymo_tcp_segment segment;
    kymo_put_zeros(&segment, sizeof segment);
    kymo_put_bytes(&segment.peer, &listener->peer, sizeof listener->peer);
    segment.flags = KYMO_TCP_SYN | KYMO_TCP_ACK;
    segment.sequence = listener->cookie;
    segment.acknowledgment = listener->sequence + 1u;
    segment.window = KYMO_NET_RECEIVE_BYTES;
    segment.mss = KYMO_TCP_MOST_BYTES;
    kymo_tcp_send_bare(connection->interface, connection->port, &segment);
    listener->repeat_at = connection->interface->now_ms + (REPEAT_MS << listener->repeats);
}

static void remember(struct kymo_tcp_listener *listener, struct kymo_tcp_connection *connection,
                     const struct kymo_tcp_segment *segment) {
    const struct kymo_interface *interface = connection->interface;
    if (listener->pending && !is_pending(listener, segment)) {
        connection->interface->counters.half_open_replaced++;
    }
    listener->pending = true;
    listener->repeats = 0u;
    kymo_put_bytes(&listener->peer, &segment->peer, sizeof segment->peer);
    listener->sequence = segment->sequence;
    listener->cookie = make_cookie(listener, connection, &segment->peer, segment->sequence,
                                   interface->now_ms >> PERIOD_BITS, size_number(segment->mss));
}

/* There is one connection. If the peer has closed it, it is of no more use. Otherwise the stack
 * challenges the peer to see whether it is still there, as a host that lost its power and comes
 * back is refused by the connection that it had. */
static void request(struct kymo_tcp_listener *listener, struct kymo_tcp_connection *connection,
                    const struct kymo_tcp_segment *segment) {
    if (connection->state == KYMO_TCP_OPEN && !connection->peer_closed) {
        connection->interface->counters.refused++;
        kymo_tcp_send_reset(connection->interface, connection->port, segment);
        kymo_tcp_timer_challenge_peer(connection);
        return;
    }
    kymo_tcp_connection_end(connection);
    remember(listener, connection, segment);
    answer(listener, connection);
}

/* The first segment with an acknowledgement may be another one than that of the handshake, if the
 * latter was lost; then the last request tells with which sequence number the peer began. */
static bool complete(struct kymo_tcp_listener *listener, struct kymo_tcp_connection *connection,
                     const struct kymo_tcp_segment *segment) {
    uint32_t sequence = segment->sequence - 1u;
    if (connection->state != KYMO_TCP_NONE || (segment->flags & KYMO_TCP_SYN) != 0u) {
        return false;
    }
    if (is_pending(listener, segment) && segment->acknowledgment == listener->cookie + 1u &&
        segment->sequence - listener->sequence - 1u <= KYMO_NET_RECEIVE_BYTES) {
        sequence = listener->sequence;
    } else if (!is_cookie(listener, connection, segment)) {
        return false;
    }
    const uint32_t mss = sizes[(segment->acknowledgment - 1u) & COOKIE_SIZE];
    listener->pending = false;
    kymo_tcp_connection_open(connection, segment, sequence,
                             mss < KYMO_TCP_MOST_BYTES ? mss : KYMO_TCP_MOST_BYTES);
    return true;
}

bool kymo_tcp_listen(struct kymo_tcp_listener *listener, struct kymo_tcp_connection *connection,
                     const struct kymo_tcp_segment *segment) {
    if ((segment->flags & KYMO_TCP_RST) != 0u) {
        if (is_pending(listener, segment) && segment->sequence == listener->sequence + 1u) {
            listener->pending = false;
        }
    } else if ((segment->flags & KYMO_TCP_ACK) != 0u) {
        if (complete(listener, connection, segment)) {
            return true;
        }
        connection->interface->counters.stray_segments++;
        kymo_tcp_send_reset(connection->interface, connection->port, segment);
    } else if ((segment->flags & KYMO_TCP_SYN) != 0u) {
        request(listener, connection, segment);
    }
    return false;
}

void kymo_tcp_listen_poll(struct kymo_tcp_listener *listener,
                          struct kymo_tcp_connection *connection) {
    if (!listener->pending || !kymo_reached(connection->interface->now_ms, listener->repeat_at)) {
        return;
    }
    if (listener->repeats == REPEATS) {
        listener->pending = false;
        return;
    }
    listener->repeats++;
    answer(listener, connection);
}
