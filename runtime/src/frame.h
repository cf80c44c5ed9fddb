/* Frames: CRC-32 behind the bytes, COBS around both, zero bytes between frames (WIRE.md, "Frames").
 * One frame is under way at a time, in one static buffer; it leaves in pieces of any size. */
#ifndef KYMO_FRAME_H
#define KYMO_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kymo/config.h"
#include "kymo/transport.h"
#include "kymo/wire.h"

_Static_assert(KYMO_FRAME_BYTES >= 192 && KYMO_FRAME_BYTES <= 4096,
               "KYMO_FRAME_BYTES must be 192 to 4096");

#define KYMO_CRC_BYTES 4u
/* Longest frame to the board, CRC included, before stuffing. */
#define KYMO_COMMAND_BYTES 32u

/* A zero byte before it, a code for each 254 bytes and one more, and the zero byte behind it. */
#define KYMO_STUFFING_BYTES (3u + KYMO_FRAME_BYTES / 254u)
/* The frame is built behind room for the zero byte and the first code. */
#define KYMO_FRAME_START_AT 2u

struct kymo_outgoing {
    uint8_t stuffed[KYMO_FRAME_BYTES + KYMO_STUFFING_BYTES];
    uint32_t length;   /* of the frame being built; 0 = none */
    uint32_t position; /* next byte of "stuffed" to leave */
    uint32_t end;      /* behind the last one; 0 = no frame is ready */
    uint8_t sequence;
};

/* The frame being built. */
static inline uint8_t *kymo_frame_bytes_of(struct kymo_outgoing *out) {
    return out->stuffed + KYMO_FRAME_START_AT;
}

/* Starts building: version, type and sequence number. */
void kymo_frame_new(struct kymo_outgoing *out, enum kymo_frame_type type);
/* Bytes that can still be appended. */
uint32_t kymo_frame_space(const struct kymo_outgoing *out);
/* Append; what does not fit is left out, so ask for the space first. */
void kymo_frame_u8(struct kymo_outgoing *out, uint8_t value);
void kymo_frame_varint(struct kymo_outgoing *out, uint64_t value);
void kymo_frame_bytes(struct kymo_outgoing *out, const char *bytes, uint32_t length);
/* Completes the frame with its CRC and makes it ready to leave. */
void kymo_frame_ready(struct kymo_outgoing *out);
/* Gives at most "budget" bytes to the transport; returns how many it took. */
size_t kymo_frame_send(struct kymo_outgoing *out, const struct kymo_transport *to, size_t budget);

struct kymo_incoming {
    uint8_t bytes[KYMO_COMMAND_BYTES + 1u]; /* with the one code byte */
    uint32_t length;
    bool overlong;
};

/* One received byte. Returns the length of a complete, correct frame now in in->bytes, without its
 * CRC, else 0. */
uint32_t kymo_frame_receive(struct kymo_incoming *in, uint8_t byte);

uint32_t kymo_crc32(const uint8_t *bytes, uint32_t length);

#endif
