#include "trace/deframe.h"

#include <string.h>

#define CRC_BYTES 4u

static uint32_t crc_table[256];

/* Reflected polynomial 0xedb88320 (IEEE 802.3, 3.2.9). */
static void fill_crc_table(void) {
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i;
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ ((crc & 1u) != 0 ? 0xedb88320u : 0u);
        }
        crc_table[i] = crc;
    }
}

uint32_t crc32_ieee(const uint8_t *bytes, size_t length) {
    if (crc_table[1] == 0) {
        fill_crc_table();
    }
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < length; i++) {
        crc = crc >> 8 ^ crc_table[(crc ^ bytes[i]) & 0xffu];
    }
    return ~crc;
}

void deframe_init(struct deframe *deframe, const struct deframe_callbacks *callbacks) {
    deframe->callbacks = *callbacks;
    deframe->length = 0;
    deframe->dropped = 0;
}

size_t frame_unstuff(const uint8_t *in, size_t length, uint8_t *out) {
    size_t from = 0;
    size_t to = 0;
    while (from < length) {
        size_t code = in[from++];
        if (code - 1 > length - from) {
            return 0;
        }
        memcpy(out + to, in + from, code - 1);
        to += code - 1;
        from += code - 1;
        if (code != 0xff && from < length) {
            out[to++] = 0;
        }
    }
    return to;
}

static uint32_t u32_at(const uint8_t *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

uint32_t frame_crc(const uint8_t *bytes, size_t length) { return u32_at(bytes + length); }

static int end_chunk(struct deframe *d) {
    size_t wire_bytes = d->length + d->dropped + 1;
    size_t length = d->dropped == 0 ? frame_unstuff(d->chunk, d->length, d->frame) : 0;
    bool whole = length > CRC_BYTES + 1 && frame_crc(d->frame, length - CRC_BYTES) ==
                                               crc32_ieee(d->frame, length - CRC_BYTES);
    int result = 0;
    if (whole) {
        result = d->callbacks.frame(d->callbacks.context, d->frame, length - CRC_BYTES, wire_bytes);
    } else if (d->length != 0) {
        d->callbacks.junk(d->callbacks.context, d->chunk, d->length + d->dropped);
    }
    d->length = 0;
    d->dropped = 0;
    return result;
}

int deframe_feed(struct deframe *d, const uint8_t *bytes, size_t length) {
    while (length != 0) {
        const uint8_t *zero = memchr(bytes, 0, length);
        size_t part = zero != NULL ? (size_t)(zero - bytes) : length;
        size_t space = sizeof d->chunk - d->length;
        size_t kept = part < space ? part : space;
        memcpy(d->chunk + d->length, bytes, kept);
        d->length += kept;
        d->dropped += part - kept;
        if (zero == NULL) {
            return 0;
        }
        int result = end_chunk(d);
        if (result != 0) {
            return result;
        }
        bytes += part + 1;
        length -= part + 1;
    }
    return 0;
}

void deframe_end(struct deframe *d) {
    if (d->length != 0) {
        d->callbacks.junk(d->callbacks.context, d->chunk, d->length + d->dropped);
    }
    d->length = 0;
    d->dropped = 0;
}

/* COBS over the frame and its CRC, read through one index. */
size_t frame_encode(uint8_t *out, size_t size, const uint8_t *bytes, size_t length) {
    uint32_t crc = crc32_ieee(bytes, length);
    size_t all = length + CRC_BYTES;
    if (size < all + all / 254 + 2) {
        return 0;
    }
    size_t code_at = 0;
    size_t to = 1;
    for (size_t i = 0; i < all; i++) {
        uint8_t byte = (uint8_t)(i < length ? bytes[i] : crc >> (8 * (i - length)));
        if (byte != 0) {
            out[to++] = byte;
        }
        if (byte == 0 || to - code_at == 255) {
            out[code_at] = (uint8_t)(to - code_at);
            code_at = to++;
        }
    }
    out[code_at] = (uint8_t)(to - code_at);
    out[to++] = 0;
    return to;
}
