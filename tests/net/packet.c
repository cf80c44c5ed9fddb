/* SPDX-License-Identifier: MIT */
#include "packet.h"

#include <string.h>

enum { IP = 14, L4 = 34 };

uint16_t packet_get16(const struct packet *packet, size_t at) {
    return (uint16_t)(packet->bytes[at] * 256u + packet->bytes[at + 1]);
}

uint32_t packet_get32(const struct packet *packet, size_t at) {
    return packet_get16(packet, at) * 65536u + packet_get16(packet, at + 2);
}

void packet_put16(struct packet *packet, size_t at, uint32_t value) {
    packet->bytes[at] = (uint8_t)(value / 256u);
    packet->bytes[at + 1] = (uint8_t)value;
}

void packet_put32(struct packet *packet, size_t at, uint32_t value) {
    packet_put16(packet, at, value / 65536u);
    packet_put16(packet, at + 2, value);
}

/* The sum of 16-bit words with the carry brought round at once, over "length" bytes. */
static uint32_t sum(uint32_t total, const struct packet *packet, size_t at, size_t length) {
    for (size_t i = 0; i < length; i++) {
        total += (uint32_t)packet->bytes[at + i] << (i % 2 == 0 ? 8 : 0);
        total = (total & 0xffffu) + total / 65536u;
    }
    return total;
}

static uint32_t sum_of_l4(const struct packet *packet, size_t length) {
    uint32_t total = sum(0, packet, IP + 12, 8) + packet->bytes[IP + 9] + (uint32_t)length;
    return sum((total & 0xffffu) + total / 65536u, packet, L4, length);
}

/* The place of the upper protocol's checksum; 0 if it has no checksum. */
static size_t place_of_checksum(const struct packet *packet) {
    switch (packet->bytes[IP + 9]) {
    case ICMP:
        return L4 + 2;
    case TCP:
        return L4 + 16;
    case UDP:
        return L4 + 6;
    default:
        return 0;
    }
}

static size_t l4_length(const struct packet *packet) {
    const size_t total = packet_get16(packet, IP + 2);
    return total >= 20 && total + IP <= packet->length ? total - 20 : 0;
}

static uint32_t l4_total(const struct packet *packet, size_t length) {
    return packet->bytes[IP + 9] == ICMP ? sum(0, packet, L4, length) : sum_of_l4(packet, length);
}

void packet_checksums(struct packet *packet) {
    const size_t at = place_of_checksum(packet), length = l4_length(packet);
    packet_put16(packet, IP + 10, 0);
    packet_put16(packet, IP + 10, 0xffffu - sum(0, packet, IP, 20));
    if (at != 0 && at + 2 <= L4 + length) {
        packet_put16(packet, at, 0);
        packet_put16(packet, at, 0xffffu - l4_total(packet, length));
    }
}

bool packet_checksums_right(const struct packet *packet) {
    const size_t length = l4_length(packet);
    return sum(0, packet, IP, 20) == 0xffffu && length != 0 && l4_total(packet, length) == 0xffffu;
}

void packet_ipv4(struct packet *packet, const uint8_t *to, const uint8_t *from, uint32_t source,
                 uint32_t destination, uint8_t protocol, const uint8_t *payload, size_t length) {
    memset(packet, 0, sizeof *packet);
    memcpy(packet->bytes, to, 6);
    memcpy(packet->bytes + 6, from, 6);
    packet_put16(packet, 12, 0x0800);
    packet->bytes[IP] = 0x45;
    packet_put16(packet, IP + 2, (uint32_t)length + 20);
    packet->bytes[IP + 8] = 64;
    packet->bytes[IP + 9] = protocol;
    packet_put32(packet, IP + 12, source);
    packet_put32(packet, IP + 16, destination);
    memcpy(packet->bytes + L4, payload, length);
    packet->length = L4 + length < 60 ? 60 : L4 + length;
    packet_checksums(packet);
}

void packet_udp(struct packet *packet, const uint8_t *to, const uint8_t *from, uint32_t source,
                uint32_t destination, uint16_t source_port, uint16_t destination_port,
                const uint8_t *payload, size_t length) {
    uint8_t udp[PACKET_BYTES] = {0};
    udp[0] = (uint8_t)(source_port / 256);
    udp[1] = (uint8_t)source_port;
    udp[2] = (uint8_t)(destination_port / 256);
    udp[3] = (uint8_t)destination_port;
    udp[4] = (uint8_t)((length + 8) / 256);
    udp[5] = (uint8_t)(length + 8);
    memcpy(udp + 8, payload, length);
    packet_ipv4(packet, to, from, source, destination, UDP, udp, length + 8);
}

void packet_tcp(struct packet *packet, const struct segment *segment) {
    uint8_t tcp[PACKET_BYTES] = {0};
    struct packet head;
    const size_t offset = segment->mss != 0 ? 24 : 20;
    packet_put16(&head, 0, segment->source_port);
    packet_put16(&head, 2, segment->destination_port);
    packet_put32(&head, 4, segment->sequence);
    packet_put32(&head, 8, segment->acknowledgment);
    head.bytes[12] = (uint8_t)(offset / 4 * 16);
    head.bytes[13] = segment->flags;
    packet_put16(&head, 14, segment->window);
    packet_put32(&head, 16, 0);
    packet_put16(&head, 20, 0x0204);
    packet_put16(&head, 22, segment->mss);
    memcpy(tcp, head.bytes, offset);
    memcpy(tcp + offset, segment->data, segment->length);
    packet_ipv4(packet, segment->destination_mac, segment->source_mac, segment->source,
                segment->destination, TCP, tcp, offset + segment->length);
}

bool packet_read_tcp(const struct packet *packet, struct segment *segment) {
    memset(segment, 0, sizeof *segment);
    if (packet->length < 60 || packet_get16(packet, 12) != 0x0800 || packet->bytes[IP] != 0x45 ||
        packet->bytes[IP + 9] != TCP || !packet_checksums_right(packet)) {
        return false;
    }
    const size_t offset = packet->bytes[L4 + 12] / 16u * 4u, length = l4_length(packet);
    if (offset < 20 || offset > length) {
        return false;
    }
    memcpy(segment->destination_mac, packet->bytes, 6);
    memcpy(segment->source_mac, packet->bytes + 6, 6);
    segment->source = packet_get32(packet, IP + 12);
    segment->destination = packet_get32(packet, IP + 16);
    segment->source_port = packet_get16(packet, L4);
    segment->destination_port = packet_get16(packet, L4 + 2);
    segment->sequence = packet_get32(packet, L4 + 4);
    segment->acknowledgment = packet_get32(packet, L4 + 8);
    segment->flags = packet->bytes[L4 + 13];
    segment->window = packet_get16(packet, L4 + 14);
    if (offset == 24 && packet_get16(packet, L4 + 20) == 0x0204) {
        segment->mss = packet_get16(packet, L4 + 22);
    }
    segment->length = length - offset;
    memcpy(segment->data, packet->bytes + L4 + offset, segment->length);
    return true;
}
