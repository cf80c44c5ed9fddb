/* From bytes to frames: cuts at zero bytes, undoes COBS, checks the CRC (runtime/WIRE.md,
 * "Frames"). */
#ifndef HOSTLINK_DEFRAME_H
#define HOSTLINK_DEFRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Longest chunk between two zero bytes that can be a frame: 4096 bytes and their stuffing. */
#define DEFRAME_CHUNK_BYTES 4200u

struct deframe_callbacks {
    void *context;
    /* A correct frame without its CRC; "wire_bytes" is what it took on the line. Non-zero stops. */
    int (*frame)(void *context, const uint8_t *bytes, size_t length, size_t wire_bytes);
    /* Bytes between two frames that are no frame. */
    void (*junk)(void *context, const uint8_t *bytes, size_t length);
};

struct deframe {
    struct deframe_callbacks callbacks;
    size_t length;
    size_t dropped; /* bytes of this chunk beyond the longest frame */
    uint8_t chunk[DEFRAME_CHUNK_BYTES];
    uint8_t frame[DEFRAME_CHUNK_BYTES];
};

void deframe_init(struct deframe *deframe, const struct deframe_callbacks *callbacks);
/* Any bytes, cut anywhere. 0, or what the frame callback returned. */
int deframe_feed(struct deframe *deframe, const uint8_t *bytes, size_t length);
/* What is left behind the last zero byte is junk. */
void deframe_end(struct deframe *deframe);

/* Undoes COBS; "out" takes as many bytes. Returns how many came out, 0 if the block codes do not add up. */
size_t frame_unstuff(const uint8_t *in, size_t length, uint8_t *out);
/* The CRC of a frame that the callback is given, which stands behind it. */
uint32_t frame_crc(const uint8_t *bytes, size_t length);
/* CRC-32 of IEEE 802.3. */
uint32_t crc32_ieee(const uint8_t *bytes, size_t length);
/* The frame with CRC and stuffing, ended by a zero byte. Returns its length, 0 if "size" is
 * short. */
size_t frame_encode(uint8_t *out, size_t size, const uint8_t *bytes, size_t length);

#endif
