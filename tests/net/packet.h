/* SPDX-License-Identifier: MIT */
/* Frames as the tests make and read them, with code of their own: the stack's code is under test. */
#ifndef PACKET_H
#define PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PACKET_BYTES 1514u

enum { FIN = 1, SYN = 2, RST = 4, PSH = 8, ACK = 16 };
enum { ICMP = 1, TCP = 6, UDP = 17 };

struct packet {
    uint8_t bytes[PACKET_BYTES];
    size_t length;
};

/* A TCP segment with the fields that the tests check. */
struct segment {
    uint8_t source_mac[6], destination_mac[6];
    uint32_t source, destination;
    uint16_t source_port, destination_port;
    uint32_t sequence, acknowledgment;
    uint8_t flags;
    uint16_t window;
    uint16_t mss; /* 0: no such option */
    uint8_t data[1500];
    size_t length;
};

uint16_t packet_get16(const struct packet *packet, size_t at);
uint32_t packet_get32(const struct packet *packet, size_t at);
void packet_put16(struct packet *packet, size_t at, uint32_t value);
void packet_put32(struct packet *packet, size_t at, uint32_t value);

/* Puts the right checksums into an IPv4 packet, as far as its lengths make sense. */
void packet_checksums(struct packet *packet);

/* True when all checksums of an IPv4 packet are right. */
bool packet_checksums_right(const struct packet *packet);

/* An IPv4 packet around "payload". */
void packet_ipv4(struct packet *packet, const uint8_t *to, const uint8_t *from, uint32_t source,
                 uint32_t destination, uint8_t protocol, const uint8_t *payload, size_t length);

void packet_udp(struct packet *packet, const uint8_t *to, const uint8_t *from, uint32_t source,
                uint32_t destination, uint16_t source_port, uint16_t destination_port,
                const uint8_t *payload, size_t length);

void packet_tcp(struct packet *packet, const struct segment *segment);

/* False when the packet is no TCP segment, or its lengths or checksums are wrong. */
bool packet_read_tcp(const struct packet *packet, struct segment *segment);

#endif
