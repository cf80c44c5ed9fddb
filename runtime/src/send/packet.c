/* SPDX-License-Identifier: MIT */
#include "packet.h"

#include "kymo/bytes.h"

#if KYMO_ENABLE

#define COBS_LONGEST 254u
#define CRC_START 0xffffffffu
/* The CRC of a packet followed by its own CRC, before the final inversion. */
#define CRC_RESIDUE 0xdebb20e3u

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
static uintptr_t crc_add(uintptr_t crc, uint8_t byte) {
    static const uint32_t table[16] = {CRC_16(0u, 16u)};
    crc ^= byte;
    crc = crc >> 4 ^ table[crc & 15u];
    return crc >> 4 ^ table[crc & 15u];
}
#else
static uintptr_t crc_add(uintptr_t crc, uint8_t byte) {
    static const uint32_t table[256] = {CRC_64(0u), CRC_64(64u), CRC_64(128u), CRC_64(192u)};
    crc ^= byte;
    return crc >> 8 ^ table[crc & 255u];
}
#endif

/* The end of the open block at its longest, or the buffer's end. No earlier than "stop". */
static uint16_t stop_behind(uint32_t at, uint32_t open) {
    const uint32_t longest = at + (COBS_LONGEST + 1u - open);
    return (uint16_t)(longest < KYMO_OUT_BYTES ? longest : KYMO_OUT_BYTES);
}

static void pass_stop(struct kymo_outgoing *out) {
    while (out->write == out->stop) {
        if (out->write == KYMO_OUT_BYTES) {
            out->write = 0u;
        } else if (out->open > COBS_LONGEST) {
            out->bytes[out->code] = (uint8_t)(COBS_LONGEST + 1u);
            out->ready = (uint16_t)(out->ready + out->open);
            out->code = out->write;
            out->bytes[out->write++] = 0u;
            out->open = 1u;
        }
        out->stop = stop_behind(out->write, out->open);
    }
}

/* Puts bytes up to "stop". A zero byte leaves its place to the code of the next block. "begin": where the open block
 * begins, as if the buffer did not wrap. */
static __attribute__((noinline)) void put_straight(struct kymo_outgoing *out, const uint8_t *bytes,
                                                   size_t count) {
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

static __attribute__((noinline)) void put_pieces(struct kymo_outgoing *out, const uint8_t *bytes,
                                                 size_t count) {
    while (count != 0u) {
        const size_t straight = (size_t)out->stop - out->write;
        const size_t now = count < straight ? count : straight;
        put_straight(out, bytes, now);
        if (out->write == out->stop) {
            pass_stop(out);
        }
        bytes += now;
        count -= now;
    }
}

void kymo_out_put(struct kymo_outgoing *out, const uint8_t *bytes, uint32_t count) {
    out->length += count;
    if (count < (uint32_t)out->stop - out->write) {
        put_straight(out, bytes, count);
    } else {
        put_pieces(out, bytes, count);
    }
}

void kymo_out_add(struct kymo_outgoing *out, const uint8_t *bytes, uint32_t count) {
    out->work -= KYMO_WORK_BYTES + KYMO_WORK_BYTE * (int32_t)count;
    kymo_out_put(out, bytes, count);
}

void kymo_out_bytes(struct kymo_outgoing *out, uint32_t bytes, uint32_t count) {
    const uint8_t each[4] = {(uint8_t)bytes, (uint8_t)(bytes >> 8), (uint8_t)(bytes >> 16),
                             (uint8_t)(bytes >> 24)};
    kymo_out_add(out, each, count);
}

static void put_zero(struct kymo_outgoing *out) {
    const uint32_t behind = out->write + 1u;
    out->bytes[out->write] = 0u;
    out->write = (uint16_t)(behind != KYMO_OUT_BYTES ? behind : 0u);
}

void kymo_out_zero(struct kymo_outgoing *out) {
    put_zero(out);
    out->ready++;
}

/* A host also synchronizes at a session packet, after other output of the board. */
void kymo_out_begin(struct kymo_outgoing *out, enum kymo_packet_type type) {
    if (type == KYMO_PACKET_SESSION) {
        kymo_out_zero(out);
    }
    out->events = 0u;
    out->length = 0u;
    out->crc = CRC_START;
    out->code = out->write;
    put_zero(out);
    out->open = 1u;
    out->stop = stop_behind(out->write, 1u);
    kymo_out_bytes(out,
                   KYMO_WIRE_VERSION << KYMO_WIRE_VERSION_SHIFT | (uint32_t)type |
                       (uint32_t)out->sequence++ << 8,
                   2u);
}

void kymo_out_end(struct kymo_outgoing *out) {
    kymo_out_bytes(out, ~out->crc, KYMO_CRC_BYTES);
    out->bytes[out->code] = (uint8_t)out->open;
    out->ready = (uint16_t)(out->ready + out->open);
    out->open = 0u;
    kymo_out_zero(out);
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

#if KYMO_COMMANDS

static void append(struct kymo_incoming *in, uint8_t byte) {
    if (in->length < sizeof in->bytes) {
        in->bytes[in->length++] = byte;
        in->crc = (uint32_t)crc_add(in->crc ^ CRC_START, byte) ^ CRC_START;
    } else {
        in->bad = true;
    }
}

/* No command is as long as a block whose code is 255, so a zero is implied after each but the last one. */
uint32_t kymo_packet_receive(struct kymo_incoming *in, uint8_t byte) {
    if (byte == 0u) {
        bool whole = !in->bad && in->left == 0u && in->length > KYMO_CRC_BYTES &&
                     in->crc == (CRC_RESIDUE ^ CRC_START);
        uint32_t length = whole ? in->length - KYMO_CRC_BYTES : 0u;
        in->length = in->left = 0u;
        in->begun = in->bad = false;
        in->crc = 0u;
        return length;
    }
    if (in->left != 0u) {
        in->left--;
        append(in, byte);
        return 0u;
    }
    if (in->begun) {
        append(in, 0u);
    }
    in->begun = true;
    in->left = (uint8_t)(byte - 1u);
    return 0u;
}

#endif

#endif
