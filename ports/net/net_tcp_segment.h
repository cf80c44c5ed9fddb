/* SPDX-License-Identifier: MIT */
/* One TCP segment: taken apart, put together. RFC 9293 section 3.1. */
#ifndef KYMO_NET_TCP_SEGMENT_H
#define KYMO_NET_TCP_SEGMENT_H

#include "kymo/language.h"
#include "net_ipv4.h"

KYMO_C_BEGIN

#define KYMO_TCP_FIN 0x01u
#define KYMO_TCP_SYN 0x02u
#define KYMO_TCP_RST 0x04u
#define KYMO_TCP_PSH 0x08u
#define KYMO_TCP_ACK 0x10u

#define KYMO_TCP_HEAD_BYTES 20u
/* Where the data of an outgoing frame begins, and the most they can be: our own maximum segment
 * size. */
#define KYMO_TCP_DATA_AT (KYMO_IPV4_PAYLOAD_AT + KYMO_TCP_HEAD_BYTES)
#define KYMO_TCP_MOST_BYTES (KYMO_IPV4_MOST_BYTES - KYMO_TCP_HEAD_BYTES)
/* Used if the other end states no size: RFC 9293 section 3.7.1. */
#define KYMO_TCP_DEFAULT_MSS 536u

/* The other end of a connection. */
struct kymo_tcp_peer {
    struct kymo_ipv4_peer host;
    uint16_t port;
};

struct kymo_tcp_segment {
    struct kymo_tcp_peer peer; /* where it came from, or goes to */
    uint8_t flags;
    uint16_t window;
    uint16_t mss; /* of a SYN; in one to send, 0 for none */
    uint32_t sequence;
    uint32_t acknowledgment;
    const uint8_t *data; /* of a segment received; one to send has them at KYMO_TCP_DATA_AT */
    size_t length;
};

/* Takes a segment for "port" apart; it points into the frame. False: dropped and counted. */
bool kymo_tcp_parse(struct kymo_interface *interface, uint16_t port,
                    const struct kymo_datagram *datagram, struct kymo_tcp_segment *segment);

/* Sends the segment from "port", in a frame from kymo_interface_claim(). */
void kymo_tcp_send(struct kymo_interface *interface, uint8_t *frame, uint16_t port,
                   const struct kymo_tcp_segment *segment);

/* Sends a segment without data; nothing if there is no frame for it, as every one that matters is
 * sent again. */
void kymo_tcp_send_bare(struct kymo_interface *interface, uint16_t port,
                        const struct kymo_tcp_segment *segment);

/* Answers a segment that belongs to nothing with a reset: RFC 9293 section 3.5.2, group 1. */
void kymo_tcp_send_reset(struct kymo_interface *interface, uint16_t port,
                         const struct kymo_tcp_segment *segment);

/* The sequence numbers that a segment takes: its data, and one each for SYN and FIN. */
static inline uint32_t kymo_tcp_span(const struct kymo_tcp_segment *segment) {
    return (uint32_t)segment->length + ((segment->flags & KYMO_TCP_SYN) != 0u) +
           ((segment->flags & KYMO_TCP_FIN) != 0u);
}

static inline bool kymo_tcp_same_peer(const struct kymo_tcp_peer *a,
                                      const struct kymo_tcp_peer *b) {
    return a->host.address == b->host.address && a->port == b->port;
}

KYMO_C_END

#endif
