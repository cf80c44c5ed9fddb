/* SPDX-License-Identifier: MIT */
#include "wire/unpack.h"

#include <string.h>

#define CRC_BYTES 4u

/* [0] is the CRC of one byte; [n] of one byte with n zero bytes after it, so that eight bytes take eight look-ups
 * that do not wait for each other (Kounavis and Berry, Novel Table Lookup-Based Algorithms for High-Performance CRC
 * Generation, 2008). */
#define CRC_SLICES 8u
static uint32_t crc_table[CRC_SLICES][256];

/* Reflected polynomial 0xedb88320 (IEEE 802.3, 3.2.9). */
static void fill_crc_table(void) {
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i;
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ ((crc & 1u) != 0 ? 0xedb88320u : 0u);
        }
        crc_table[0][i] = crc;
    }
    for (uint32_t slice = 1; slice < CRC_SLICES; slice++) {
        for (uint32_t i = 0; i < 256; i++) {
            const uint32_t crc = crc_table[slice - 1][i];
            crc_table[slice][i] = crc >> 8 ^ crc_table[0][crc & 0xffu];
        }
    }
}

static uint32_t u32_at(const uint8_t *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

static uint32_t crc_of_eight(uint32_t crc, const uint8_t *bytes) {
    const uint32_t low = u32_at(bytes) ^ crc, high = u32_at(bytes + 4);
    return crc_table[7][low & 0xffu] ^ crc_table[6][low >> 8 & 0xffu] ^
           crc_table[5][low >> 16 & 0xffu] ^ crc_table[4][low >> 24] ^ crc_table[3][high & 0xffu] ^
           crc_table[2][high >> 8 & 0xffu] ^ crc_table[1][high >> 16 & 0xffu] ^
           crc_table[0][high >> 24];
}

uint32_t crc32_ieee(const uint8_t *bytes, size_t length) {
    if (crc_table[0][1] == 0) {
        fill_crc_table();
    }
    uint32_t crc = 0xffffffffu;
    for (; length >= CRC_SLICES; bytes += CRC_SLICES, length -= CRC_SLICES) {
        crc = crc_of_eight(crc, bytes);
    }
    for (size_t i = 0; i < length; i++) {
        crc = crc >> 8 ^ crc_table[0][(crc ^ bytes[i]) & 0xffu];
    }
    return ~crc;
}

void unpack_init(struct unpack *unpack, const struct unpack_callbacks *callbacks) {
    unpack->callbacks = *callbacks;
    unpack->length = 0;
    unpack->dropped = 0;
}

size_t packet_unstuff(const uint8_t *in, size_t length, uint8_t *out) {
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

uint32_t packet_crc(const uint8_t *bytes, size_t length) { return u32_at(bytes + length); }

size_t packet_open(const uint8_t *in, size_t length, uint8_t *out) {
    const size_t all = packet_unstuff(in, length, out);
    return all > CRC_BYTES + 1 &&
                   packet_crc(out, all - CRC_BYTES) == crc32_ieee(out, all - CRC_BYTES)
               ? all - CRC_BYTES
               : 0;
}

static int end_chunk(struct unpack *d) {
    const size_t wire_bytes = d->length + d->dropped + 1;
    const size_t length = d->dropped == 0 ? packet_open(d->chunk, d->length, d->packet) : 0;
    int result = 0;
    if (length != 0) {
        result = d->callbacks.packet(d->callbacks.context, d->packet, length, wire_bytes);
    } else if (d->length != 0) {
        d->callbacks.junk(d->callbacks.context, d->chunk, d->length + d->dropped);
    }
    d->at += wire_bytes;
    d->length = 0;
    d->dropped = 0;
    return result;
}

/* Returns how many bytes it took. */
static size_t take_chunk(struct unpack *d, const uint8_t *bytes, size_t length, int *result) {
    const uint8_t *zero = memchr(bytes, 0, length);
    size_t part = zero != NULL ? (size_t)(zero - bytes) : length;
    size_t space = sizeof d->chunk - d->length;
    size_t kept = part < space ? part : space;
    memcpy(d->chunk + d->length, bytes, kept);
    d->length += kept;
    d->dropped += part - kept;
    if (zero == NULL) {
        return length;
    }
    *result = end_chunk(d);
    return part + 1;
}

int unpack_feed(struct unpack *d, const uint8_t *bytes, size_t length) {
    int result = 0;
    while (result == 0 && length != 0) {
        const size_t taken = take_chunk(d, bytes, length, &result);
        bytes += taken;
        length -= taken;
    }
    return result;
}

void unpack_end(struct unpack *d) {
    if (d->length != 0) {
        d->callbacks.junk(d->callbacks.context, d->chunk, d->length + d->dropped);
    }
    d->length = 0;
    d->dropped = 0;
}

/* COBS over the packet and its CRC, read through one index. */
size_t packet_encode(uint8_t *out, size_t size, const uint8_t *bytes, size_t length) {
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
