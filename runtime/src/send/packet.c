/* SPDX-License-Identifier: MIT */
/* What runs once in a packet or less often: its start and end, the end of a long block and of the buffer; and a packet
 * of the host. */
#include "packet.h"

#include "kymo/bytes.h"

#if KYMO_ENABLE

#define COBS_LONGEST 254u
#define CRC_START 0xffffffffu
/* The CRC of a packet followed by its own CRC, before the final inversion. */
#define CRC_RESIDUE 0xdebb20e3u

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

void kymo_out_put_pieces(struct kymo_outgoing *out, const uint8_t *bytes, size_t count) {
    while (count != 0u) {
        const size_t straight = (size_t)out->stop - out->write;
        const size_t now = count < straight ? count : straight;
        kymo_out_put_straight(out, bytes, now);
        if (out->write == out->stop) {
            pass_stop(out);
        }
        bytes += now;
        count -= now;
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

#if KYMO_COMMANDS

static void append(struct kymo_incoming *in, uint8_t byte) {
    if (in->length < sizeof in->bytes) {
        in->bytes[in->length++] = byte;
        in->crc = kymo_crc_add(in->crc ^ CRC_START, byte) ^ CRC_START;
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
