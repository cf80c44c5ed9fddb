/* SPDX-License-Identifier: MIT */
/* From bytes to packets: cuts at zero bytes, undoes COBS, checks the CRC (runtime/WIRE.md, "Packets"). */
#ifndef HOSTLINK_UNPACK_H
#define HOSTLINK_UNPACK_H

#include <stddef.h>
#include <stdint.h>

/* Longest chunk between two zero bytes that can be a packet: 4096 bytes and their stuffing. */
#define UNPACK_CHUNK_BYTES 4200u

struct unpack_callbacks {
    void *context;
    /* A correct packet without its CRC; "wire_bytes" is its length on the line. Non-zero stops. */
    int (*packet)(void *context, const uint8_t *bytes, size_t length, size_t wire_bytes);
    /* Bytes between two packets that are no packet. */
    void (*junk)(void *context, const uint8_t *bytes, size_t length);
};

struct unpack {
    struct unpack_callbacks callbacks;
    size_t length;
    uint64_t at;    /* bytes before this chunk */
    size_t dropped; /* bytes of this chunk beyond the longest packet */
    uint8_t chunk[UNPACK_CHUNK_BYTES];
    uint8_t packet[UNPACK_CHUNK_BYTES];
};

void unpack_init(struct unpack *unpack, const struct unpack_callbacks *callbacks);
/* Feeds any number of bytes. Returns 0, or the packet callback's value. */
int unpack_feed(struct unpack *unpack, const uint8_t *bytes, size_t length);
/* Bytes after the last zero byte are junk. */
void unpack_end(struct unpack *unpack);

/* Undoes COBS; "out" takes as many bytes. Returns how many came out, 0 if the block codes do not add up. */
size_t packet_unstuff(const uint8_t *in, size_t length, uint8_t *out);
/* Opens the bytes before a zero byte: "out" has the packet, followed by its CRC. Returns the length without the CRC,
 * 0 if it is no packet. */
size_t packet_open(const uint8_t *in, size_t length, uint8_t *out);
/* The CRC of a packet that the callback receives; it follows the packet. */
uint32_t packet_crc(const uint8_t *bytes, size_t length);
/* CRC-32 of IEEE 802.3. */
uint32_t crc32_ieee(const uint8_t *bytes, size_t length);
/* The packet with CRC and stuffing, ended by a zero byte. Returns its length, 0 if "size" is
 * short. */
size_t packet_encode(uint8_t *out, size_t size, const uint8_t *bytes, size_t length);

#endif
