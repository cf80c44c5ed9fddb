/* SPDX-License-Identifier: MIT */
/* IPv4: RFC 791, RFC 1122. No options of our own, no fragments. */
#ifndef KYMO_NET_IPV4_H
#define KYMO_NET_IPV4_H

#include "net_interface.h"

#define KYMO_IPV4_HEAD_BYTES 20u
#define KYMO_IPV4_ICMP 1u
#define KYMO_IPV4_TCP 6u
#define KYMO_IPV4_UDP 17u
#define KYMO_IPV4_BROADCAST 0xffffffffu

/* Where the payload of an outgoing frame begins, and the most it can be. */
#define KYMO_IPV4_PAYLOAD_AT (KYMO_ETHERNET_HEAD_BYTES + KYMO_IPV4_HEAD_BYTES)
#define KYMO_IPV4_MOST_BYTES (KYMO_NET_FRAME_BYTES - KYMO_IPV4_PAYLOAD_AT)

/* Where a datagram goes: the Ethernet address is that of the host or of the router to it. */
struct kymo_ipv4_peer {
    uint32_t address;
    uint8_t mac[KYMO_NET_MAC_BYTES];
};

/* A datagram received; it points into the frame. */
struct kymo_datagram {
    struct kymo_ipv4_peer source;
    uint32_t destination;
    bool to_all; /* sent to more than this host */
    uint8_t protocol;
    const uint8_t *payload;
    size_t length; /* of the payload */
};

/* Takes a frame of type IPv4 apart, "length" bytes with the Ethernet header. False: dropped and
 * counted. */
bool kymo_ipv4_parse(struct kymo_interface *interface, const uint8_t *frame, size_t length,
                     struct kymo_datagram *datagram);

/* Sends the frame whose payload is at KYMO_IPV4_PAYLOAD_AT. */
void kymo_ipv4_send(struct kymo_interface *interface, uint8_t *frame,
                    const struct kymo_ipv4_peer *to, uint8_t protocol, size_t length);

#endif
