/* SPDX-License-Identifier: MIT */
#include "net_udp.h"

#include "net_bytes.h"
#include "net_checksum.h"

enum { SOURCE_PORT = 0, DESTINATION_PORT = 2, LENGTH = 4, CHECKSUM = 6 };

bool kymo_udp_parse(struct kymo_interface *interface, const struct kymo_datagram *datagram,
                    struct kymo_udp_message *message) {
    const uint8_t *udp = datagram->payload;
    if (datagram->length < KYMO_UDP_HEAD_BYTES || kymo_get16(udp + LENGTH) < KYMO_UDP_HEAD_BYTES ||
        kymo_get16(udp + LENGTH) > datagram->length) {
        interface->counters.malformed++;
        return false;
    }
    const size_t length = kymo_get16(udp + LENGTH);
    const uint32_t pseudo = kymo_checksum_pseudo(datagram->source.address, datagram->destination,
                                                 KYMO_IPV4_UDP, length);
    /* 0: the sender made none. */
    if (kymo_get16(udp + CHECKSUM) != 0u &&
        kymo_checksum_end(kymo_checksum_add(pseudo, udp, length)) != 0u) {
        interface->counters.bad_checksum++;
        return false;
    }
    kymo_put_zeros(message, sizeof *message);
    message->source_port = kymo_get16(udp + SOURCE_PORT);
    message->destination_port = kymo_get16(udp + DESTINATION_PORT);
    message->payload = udp + KYMO_UDP_HEAD_BYTES;
    message->length = length - KYMO_UDP_HEAD_BYTES;
    return true;
}

void kymo_udp_send(struct kymo_interface *interface, uint8_t *frame,
                   const struct kymo_ipv4_peer *to, uint16_t source_port, uint16_t destination_port,
                   size_t length) {
    uint8_t *udp = frame + KYMO_IPV4_PAYLOAD_AT;
    const size_t total = KYMO_UDP_HEAD_BYTES + length;
    kymo_put16(udp + SOURCE_PORT, source_port);
    kymo_put16(udp + DESTINATION_PORT, destination_port);
    kymo_put16(udp + LENGTH, (uint32_t)total);
    kymo_put16(udp + CHECKSUM, 0u);
    const uint32_t pseudo =
        kymo_checksum_pseudo(interface->address, to->address, KYMO_IPV4_UDP, total);
    const uint16_t sum = kymo_checksum_end(kymo_checksum_add(pseudo, udp, total));
    kymo_put16(udp + CHECKSUM, sum != 0u ? sum : 0xffffu); /* 0 would mean: no checksum */
    kymo_ipv4_send(interface, frame, to, KYMO_IPV4_UDP, total);
}
