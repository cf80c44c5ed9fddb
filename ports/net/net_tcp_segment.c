/* SPDX-License-Identifier: MIT */
#include "net_tcp_segment.h"

#include "net_bytes.h"
#include "net_checksum.h"

enum {
    SOURCE_PORT = 0,
    DESTINATION_PORT = 2,
    SEQUENCE = 4,
    ACKNOWLEDGMENT = 8,
    DATA_OFFSET = 12, /* its high 4 bits, in words of 32 bits */
    FLAGS = 13,
    WINDOW = 14,
    CHECKSUM = 16,
    URGENT = 18,
};
/* RFC 9293 section 3.2 */
#define OPTION_END 0u
#define OPTION_NOTHING 1u
#define OPTION_MSS 2u
#define OPTION_MSS_BYTES 4u

/* The one option that is looked for. The list ends where an option would not be whole. */
static uint16_t read_mss(const uint8_t *options, size_t length) {
    size_t at = 0u;
    while (at < length && options[at] != OPTION_END) {
        if (options[at] == OPTION_NOTHING) {
            at++;
            continue;
        }
        if (length - at < 2u || options[at + 1u] < 2u || options[at + 1u] > length - at) {
            break;
        }
        if (options[at] == OPTION_MSS && options[at + 1u] == OPTION_MSS_BYTES) {
            return kymo_get16(options + at + 2u);
        }
        at += options[at + 1u];
    }
    return KYMO_TCP_DEFAULT_MSS;
}

/* The header is whole, and not changed on the way. */
static bool is_sound(struct kymo_interface *interface, const struct kymo_datagram *datagram) {
    const uint8_t *tcp = datagram->payload;
    if (datagram->length < KYMO_TCP_HEAD_BYTES ||
        (tcp[DATA_OFFSET] >> 4) * 4u < KYMO_TCP_HEAD_BYTES ||
        (tcp[DATA_OFFSET] >> 4) * 4u > datagram->length || kymo_get16(tcp + SOURCE_PORT) == 0u) {
        interface->counters.malformed++;
        return false;
    }
    const uint32_t pseudo = kymo_checksum_pseudo(datagram->source.address, datagram->destination,
                                                 KYMO_IPV4_TCP, datagram->length);
    if (kymo_checksum_end(kymo_checksum_add(pseudo, tcp, datagram->length)) != 0u) {
        interface->counters.bad_checksum++;
        return false;
    }
    return true;
}

bool kymo_tcp_parse(struct kymo_interface *interface, uint16_t port,
                    const struct kymo_datagram *datagram, struct kymo_tcp_segment *segment) {
    const uint8_t *tcp = datagram->payload;
    if (!is_sound(interface, datagram)) {
        return false;
    }
    if (kymo_get16(tcp + DESTINATION_PORT) != port || datagram->to_all) {
        interface->counters.not_for_us++;
        return false;
    }
    const size_t head = (tcp[DATA_OFFSET] >> 4) * 4u;
    kymo_put_zeros(segment, sizeof *segment);
    kymo_put_bytes(&segment->peer.host, &datagram->source, sizeof datagram->source);
    segment->peer.port = kymo_get16(tcp + SOURCE_PORT);
    segment->flags = tcp[FLAGS];
    segment->window = kymo_get16(tcp + WINDOW);
    segment->mss = read_mss(tcp + KYMO_TCP_HEAD_BYTES, head - KYMO_TCP_HEAD_BYTES);
    segment->sequence = kymo_get32(tcp + SEQUENCE);
    segment->acknowledgment = kymo_get32(tcp + ACKNOWLEDGMENT);
    segment->data = tcp + head;
    segment->length = datagram->length - head;
    return true;
}

void kymo_tcp_send(struct kymo_interface *interface, uint8_t *frame, uint16_t port,
                   const struct kymo_tcp_segment *segment) {
    uint8_t *tcp = frame + KYMO_IPV4_PAYLOAD_AT;
    const size_t head = KYMO_TCP_HEAD_BYTES + (segment->mss != 0u ? OPTION_MSS_BYTES : 0u);
    const size_t total = head + segment->length;
    kymo_put16(tcp + SOURCE_PORT, port);
    kymo_put16(tcp + DESTINATION_PORT, segment->peer.port);
    kymo_put32(tcp + SEQUENCE, segment->sequence);
    kymo_put32(tcp + ACKNOWLEDGMENT, segment->acknowledgment);
    tcp[DATA_OFFSET] = (uint8_t)(head / 4u << 4);
    tcp[FLAGS] = segment->flags;
    kymo_put16(tcp + WINDOW, segment->window);
    kymo_put16(tcp + CHECKSUM, 0u);
    kymo_put16(tcp + URGENT, 0u);
    if (segment->mss != 0u) {
        tcp[KYMO_TCP_HEAD_BYTES] = OPTION_MSS;
        tcp[KYMO_TCP_HEAD_BYTES + 1u] = OPTION_MSS_BYTES;
        kymo_put16(tcp + KYMO_TCP_HEAD_BYTES + 2u, segment->mss);
    }
    const uint32_t pseudo =
        kymo_checksum_pseudo(interface->address, segment->peer.host.address, KYMO_IPV4_TCP, total);
    kymo_put16(tcp + CHECKSUM, kymo_checksum_end(kymo_checksum_add(pseudo, tcp, total)));
    kymo_ipv4_send(interface, frame, &segment->peer.host, KYMO_IPV4_TCP, total);
}

void kymo_tcp_send_bare(struct kymo_interface *interface, uint16_t port,
                        const struct kymo_tcp_segment *segment) {
    uint8_t *frame = kymo_interface_claim(interface);
    if (frame != NULL) {
        kymo_tcp_send(interface, frame, port, segment);
    }
}

void kymo_tcp_send_reset(struct kymo_interface *interface, uint16_t port,
                         const struct kymo_tcp_segment *segment) {
    struct kymo_tcp_segment reset;
    kymo_put_zeros(&reset, sizeof reset);
    kymo_put_bytes(&reset.peer, &segment->peer, sizeof segment->peer);
    reset.flags = KYMO_TCP_RST;
    if ((segment->flags & KYMO_TCP_ACK) != 0u) {
        reset.sequence = segment->acknowledgment;
    } else {
        reset.flags |= KYMO_TCP_ACK;
        reset.acknowledgment = segment->sequence + kymo_tcp_span(segment);
    }
    kymo_tcp_send_bare(interface, port, &reset);
}
