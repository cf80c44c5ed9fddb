/* SPDX-License-Identifier: MIT */
/* Packets: a CRC-32 after the bytes, COBS around both, zero bytes between packets (WIRE.md, "Packets"). They are built
 * in one circular buffer, byte by byte, and leave it in pieces of any size: all bytes before the block that is
 * still open may leave while the rest of its packet is being built. */
#ifndef KYMO_PACKET_H
#define KYMO_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kymo/config.h"
#include "kymo/transport.h"
#include "kymo/wire.h"

_Static_assert(KYMO_PACKET_BYTES >= 192 && KYMO_PACKET_BYTES <= 4096,
               "KYMO_PACKET_BYTES must be 192 to 4096");

#define KYMO_CRC_BYTES 4u
/* Longest packet to the board, CRC included, before stuffing. */
#define KYMO_COMMAND_BYTES 32u

/* A zero byte before the packet, a code for each 254 bytes and one more, and the zero byte after it. */
#define KYMO_STUFFING_BYTES (3u + KYMO_PACKET_BYTES / 254u)
/* Packets are put together in parts of so many bytes. */
#define KYMO_PART_BYTES 18u
#define KYMO_SITES_SENT (KYMO_NAMES || KYMO_DYNAMIC_SITES)
/* Names are sent, or the status of many lanes, so packets may be longer than KYMO_PACKET_BYTES. */
#define KYMO_PACKETS_ARE_LONG (KYMO_SITES_SENT || 25 + 15 * KYMO_LANES > KYMO_PACKET_BYTES)
/* So a packet of KYMO_PACKET_BYTES finds room as soon as all before it has left. A longer one leaves block by block:
 * the longest block, of 255 bytes, and another part fit. */
#if KYMO_PACKETS_ARE_LONG && KYMO_PACKET_BYTES < 272
#define KYMO_OUT_BYTES (257u + KYMO_PART_BYTES)
#else
#define KYMO_OUT_BYTES (KYMO_PACKET_BYTES + KYMO_STUFFING_BYTES)
#endif

/* MEMORY.md describes the fields up to "events". */
struct kymo_outgoing {
    uint16_t read;   /* index in "bytes" of the next byte to leave */
    uint16_t ready;  /* bytes from there on that may leave */
    uint32_t open;   /* bytes of the open block after them, its code included; 0: none */
    uint32_t events; /* whose bytes are in the packet that is being built */
    uint32_t crc;    /* of the packet that is being built, so far */
    int32_t work;    /* instructions that this call may still take, see KYMO_DRAIN_INSTRUCTIONS */
    uint32_t length; /* of the packet that is being built, before stuffing */
    uint16_t write;  /* index of the byte after the open block */
    uint16_t code;   /* and of its code */
    uint16_t
        stop; /* which "write" reaches before the block is at its longest, or the buffer at its end */
    uint8_t sequence;
    uint8_t bytes[KYMO_OUT_BYTES];
};

/* Work is counted in instructions of rv64: at -O2, and at -Os. */
#ifdef __OPTIMIZE_SIZE__
#define KYMO_WORK_AT(o2, os) (os)
#else
#define KYMO_WORK_AT(o2, os) (o2)
#endif
/* Work of bytes of a packet: for all together, and for each. */
#define KYMO_WORK_BYTES 50
#define KYMO_WORK_BYTE KYMO_WORK_AT(16, 24)

/* Bytes that the buffer can take now. A byte of a packet takes up to two, as it may begin a block. */
static inline uint32_t kymo_out_room(const struct kymo_outgoing *out) {
    return KYMO_OUT_BYTES - out->ready - out->open;
}

/* Bytes that the packet can still get, before its CRC; 0 if it is longer than KYMO_PACKET_BYTES. */
static inline uint32_t kymo_out_space(const struct kymo_outgoing *out) {
    const uint32_t most = KYMO_PACKET_BYTES - KYMO_CRC_BYTES;
    return out->length < most ? most - out->length : 0u;
}

/* Room for any packet's beginning, and for its end. */
#define KYMO_OUT_BEGIN_ROOM 6u
#define KYMO_OUT_END_ROOM (KYMO_CRC_BYTES + 2u)

/* A zero byte between packets; the caller minds room. */
void kymo_out_zero(struct kymo_outgoing *out);
/* Begins a packet: version, type and sequence number. */
void kymo_out_begin(struct kymo_outgoing *out, enum kymo_packet_type type);
/* A byte more. */
uint32_t kymo_crc_add(uint32_t crc, uint8_t byte);
/* Appends bytes, at least one; the caller minds room, space and work. */
void kymo_out_put(struct kymo_outgoing *out, const uint8_t *bytes, uint32_t count);
/* The same up to "stop"; and beyond it. */
void kymo_out_put_straight(struct kymo_outgoing *out, const uint8_t *bytes, size_t count);
void kymo_out_put_pieces(struct kymo_outgoing *out, const uint8_t *bytes, size_t count);
/* As kymo_out_put(), charged. */
void kymo_out_add(struct kymo_outgoing *out, const uint8_t *bytes, uint32_t count);
/* The same of 1 to 4 bytes of a number, the lowest first. */
void kymo_out_bytes(struct kymo_outgoing *out, uint32_t bytes, uint32_t count);
/* Completes the packet with its CRC. */
void kymo_out_end(struct kymo_outgoing *out);
/* Gives bytes to the transport; returns how many it took: all, if it says more. */
static inline size_t kymo_transport_write(const struct kymo_transport *to, const uint8_t *bytes,
                                          size_t length) {
    const size_t taken = to->write(to->context, bytes, length);
    return taken < length ? taken : length;
}
/* Gives at most "budget" bytes to the transport; returns how many it took. */
size_t kymo_out_send(struct kymo_outgoing *out, const struct kymo_transport *to, size_t budget);

/* A packet of the host, unstuffed and checked as its bytes come. */
struct kymo_incoming {
    uint8_t bytes[KYMO_COMMAND_BYTES];
    uint8_t length;
    uint8_t left; /* bytes to come of the block */
    bool begun;   /* a block has begun */
    bool bad;     /* too long */
    uint32_t crc; /* so far, exclusive-or its start value */
};

/* One received byte. Returns the length of a complete, correct packet now in in->bytes, without its
 * CRC, else 0. */
uint32_t kymo_packet_receive(struct kymo_incoming *in, uint8_t byte);

#endif
