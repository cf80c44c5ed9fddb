/* SPDX-License-Identifier: MIT */
/* The bytes of packets: with CRC and COBS into the buffer, and out of it. */
#include "packet.h"

#if KYMO_ENABLE

/* CRC-32 of IEEE 802.3, reflected, polynomial 0xedb88320: eight bits at a time by a table of 1 KB, or for small code
 * four by one of 64 bytes. It is linear, so an entry of a table is the exclusive-or of its bits' values. */
#define CRC_BIT(n, bit, crc) (((n) >> (bit)&1u) * (crc))
#define CRC_OF(n)                                                                                  \
    (CRC_BIT(n, 0, 0x77073096u) ^ CRC_BIT(n, 1, 0xee0e612cu) ^ CRC_BIT(n, 2, 0x076dc419u) ^        \
     CRC_BIT(n, 3, 0x0edb8832u) ^ CRC_BIT(n, 4, 0x1db71064u) ^ CRC_BIT(n, 5, 0x3b6e20c8u) ^        \
     CRC_BIT(n, 6, 0x76dc4190u) ^ CRC_BIT(n, 7, 0xedb88320u))
#define CRC_4(n, step)                                                                             \
    CRC_OF(n), CRC_OF((n) + (step)), CRC_OF((n) + 2u * (step)), CRC_OF((n) + 3u * (step))
#define CRC_16(n, step)                                                                            \
    CRC_4(n, step), CRC_4((n) + 4u * (step), step), CRC_4((n) + 8u * (step), step),                \
        CRC_4((n) + 12u * (step), step)
#define CRC_64(n) CRC_16(n, 1u), CRC_16((n) + 16u, 1u), CRC_16((n) + 32u, 1u), CRC_16((n) + 48u, 1u)

/* In a word of the core, which is not cut at each step. */
#ifdef __OPTIMIZE_SIZE__
KYMO_INLINE_ uintptr_t crc_add(uintptr_t crc, uint8_t byte) {
    static const uint32_t table[16] = {CRC_16(0u, 16u)};
    crc ^= byte;
    crc = crc >> 4 ^ table[crc & 15u];
    return crc >> 4 ^ table[crc & 15u];
}
#else
KYMO_INLINE_ uintptr_t crc_add(uintptr_t crc, uint8_t byte) {
    static const uint32_t table[256] = {CRC_64(0u), CRC_64(64u), CRC_64(128u), CRC_64(192u)};
    crc ^= byte;
    return crc >> 8 ^ table[crc & 255u];
}
#endif

/* Puts bytes up to "stop". A zero byte leaves its place to the code of the next block. "begin": where the open block
 * begins, as if the buffer did not wrap. */
void kymo_out_put_straight(struct kymo_outgoing *out, const uint8_t *bytes, size_t count) {
    const uint8_t *const end = bytes + count;
    uint8_t *at = out->bytes + out->write;
    uint8_t *code = out->bytes + out->code;
    uintptr_t begin = (uintptr_t)at - out->open;
    const uint32_t held = out->ready + out->open + (uint32_t)count;
    uintptr_t crc = out->crc;
    do {
        const uint8_t byte = *bytes++;
        crc = crc_add(crc, byte);
        if (__builtin_expect(byte == 0u, 0)) {
            *code = (uint8_t)((uintptr_t)at - begin);
            code = at;
            begin = (uintptr_t)at;
        }
        *at++ = byte;
    } while (bytes != end);
    out->crc = (uint32_t)crc;
    out->write = (uint16_t)(at - out->bytes);
    out->code = (uint16_t)(code - out->bytes);
    out->open = (uint32_t)((uintptr_t)at - begin);
    out->ready = (uint16_t)(held - out->open);
}

void kymo_out_put(struct kymo_outgoing *out, const uint8_t *bytes, uint32_t count) {
    out->length += count;
    if (count < (uint32_t)out->stop - out->write) {
        kymo_out_put_straight(out, bytes, count);
    } else {
        kymo_out_put_pieces(out, bytes, count);
    }
}

size_t kymo_out_send(struct kymo_outgoing *out, const struct kymo_transport *to, size_t budget) {
    const size_t most = out->ready < budget ? out->ready : budget;
    size_t left = most;
    while (left != 0u) {
        const size_t straight = KYMO_OUT_BYTES - out->read;
        const size_t length = left < straight ? left : straight;
        const size_t taken = kymo_transport_write(to, out->bytes + out->read, length);
        out->ready = (uint16_t)(out->ready - taken);
        out->read = (uint16_t)(taken < straight ? out->read + taken : 0u);
        left -= taken;
        if (taken < length) {
            break;
        }
    }
    return most - left;
}

uint32_t kymo_crc_add(uint32_t crc, uint8_t byte) { return (uint32_t)crc_add(crc, byte); }

#endif
