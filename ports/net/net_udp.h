/* SPDX-License-Identifier: MIT */
/* UDP: RFC 768. */
#ifndef KYMO_NET_UDP_H
#define KYMO_NET_UDP_H

#include "net_ipv4.h"

#define KYMO_UDP_HEAD_BYTES 8u
/* Where the payload of an outgoing frame begins, and the most it can be. */
#define KYMO_UDP_PAYLOAD_AT (KYMO_IPV4_PAYLOAD_AT + KYMO_UDP_HEAD_BYTES)
#define KYMO_UDP_MOST_BYTES (KYMO_IPV4_MOST_BYTES - KYMO_UDP_HEAD_BYTES)

struct kymo_udp_message {
    uint16_t source_port;
    uint16_t destination_port;
    const uint8_t *payload;
    size_t length;
};

/* False: dropped and counted. */
bool kymo_udp_parse(struct kymo_interface *interface, const struct kymo_datagram *datagram,
                    struct kymo_udp_message *message);

/* Sends the frame whose payload is at KYMO_UDP_PAYLOAD_AT. */
void kymo_udp_send(struct kymo_interface *interface, uint8_t *frame,
                   const struct kymo_ipv4_peer *to, uint16_t source_port, uint16_t destination_port,
                   size_t length);

#endif
