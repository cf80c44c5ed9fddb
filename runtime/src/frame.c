#include "frame.h"

#include "kymo/bytes.h"

#if KYMO_ENABLE

#define COBS_LONGEST 254u

/* CRC-32 of IEEE 802.3, reflected, polynomial 0xedb88320, four bits at a time. */
uint32_t kymo_crc32(const uint8_t *bytes, uint32_t length) {
    static const uint32_t table[16] = {0x00000000u, 0x1db71064u, 0x3b6e20c8u, 0x26d930acu,
                                       0x76dc4190u, 0x6b6b51f4u, 0x4db26158u, 0x5005713cu,
                                       0xedb88320u, 0xf00f9344u, 0xd6d6a3e8u, 0xcb61b38cu,
                                       0x9b64c2b0u, 0x86d3d2d4u, 0xa00ae278u, 0xbdbdf21cu};
    uint32_t crc = 0xffffffffu;
    for (uint32_t i = 0u; i < length; i++) {
        crc ^= bytes[i];
        crc = crc >> 4 ^ table[crc & 15u];
        crc = crc >> 4 ^ table[crc & 15u];
    }
    return ~crc;
}

uint32_t kymo_frame_space(const struct kymo_outgoing *out) {
    return KYMO_FRAME_BYTES - KYMO_CRC_BYTES - out->length;
}

void kymo_frame_u8(struct kymo_outgoing *out, uint8_t value) {
    if (kymo_frame_space(out) != 0u) {
        kymo_frame_bytes_of(out)[out->length++] = value;
    }
}

void kymo_frame_varint(struct kymo_outgoing *out, uint64_t value) {
    while (value >= 0x80u) {
        kymo_frame_u8(out, (uint8_t)(value | 0x80u));
        value >>= 7;
    }
    kymo_frame_u8(out, (uint8_t)value);
}

void kymo_frame_bytes(struct kymo_outgoing *out, const char *bytes, uint32_t length) {
    for (uint32_t i = 0u; i < length; i++) {
        kymo_frame_u8(out, (uint8_t)bytes[i]);
    }
}

void kymo_frame_new(struct kymo_outgoing *out, enum kymo_frame_type type) {
    out->length = 0u;
    kymo_frame_u8(out, (uint8_t)(KYMO_WIRE_VERSION << KYMO_WIRE_VERSION_SHIFT | (uint32_t)type));
    kymo_frame_u8(out, out->sequence++);
}

/* "volatile": see kymo/bytes.h. */
static void insert_byte(volatile uint8_t *bytes, uint32_t at, uint32_t end) {
    for (uint32_t i = end; i > at; i--) {
        bytes[i] = bytes[i - 1u];
    }
}

/* COBS in place: each zero byte becomes the code of the block behind it. Only a block of 254 bytes
 * without a zero moves the rest by one. Returns the end. */
static uint32_t stuff(uint8_t *bytes, uint32_t end) {
    uint32_t code_at = KYMO_FRAME_START_AT - 1u;
    for (uint32_t i = KYMO_FRAME_START_AT; i < end; i++) {
        if (i - code_at > COBS_LONGEST) {
            insert_byte(bytes, i, end++);
            bytes[i] = 0u;
        }
        if (bytes[i] == 0u) {
            bytes[code_at] = (uint8_t)(i - code_at);
            code_at = i;
        }
    }
    bytes[code_at] = (uint8_t)(end - code_at);
    bytes[end++] = 0u;
    return end;
}

void kymo_frame_ready(struct kymo_outgoing *out) {
    uint8_t *bytes = kymo_frame_bytes_of(out);
    uint32_t crc = kymo_crc32(bytes, out->length);
    for (uint32_t i = 0u; i < KYMO_CRC_BYTES; i++) {
        bytes[out->length++] = (uint8_t)(crc >> (8u * i));
    }
    /* A session frame is also where a host may find its feet behind other output of the board. */
    bool session = (bytes[0] & KYMO_WIRE_TYPE_MASK) == KYMO_FRAME_SESSION;
    out->stuffed[0] = 0u;
    out->position = session ? 0u : 1u;
    out->end = stuff(out->stuffed, KYMO_FRAME_START_AT + out->length);
    out->length = 0u;
}

size_t kymo_frame_send(struct kymo_outgoing *out, const struct kymo_transport *to, size_t budget) {
    size_t left = out->end - out->position;
    size_t taken = 0u;
    if (left != 0u) {
        taken = to->write(to->context, out->stuffed + out->position, left < budget ? left : budget);
        out->position += (uint32_t)taken;
    }
    if (taken == left) {
        out->position = out->end = 0u;
    }
    return taken;
}

#if KYMO_COMMANDS

/* Undoes COBS in place; 0 if it is malformed. */
static uint32_t unstuff(uint8_t *bytes, uint32_t length) {
    uint32_t from = 0u;
    uint32_t to = 0u;
    while (from < length) {
        uint32_t code = bytes[from++];
        if (code == 0u || code - 1u > length - from) {
            return 0u;
        }
        kymo_put_bytes(bytes + to, bytes + from, code - 1u); /* upwards: "to" is below "from" */
        from += code - 1u;
        to += code - 1u;
        if (code <= COBS_LONGEST && from < length) {
            bytes[to++] = 0u;
        }
    }
    return to;
}

static uint32_t check(struct kymo_incoming *in) {
    uint32_t length = unstuff(in->bytes, in->length);
    if (length <= KYMO_CRC_BYTES) {
        return 0u;
    }
    length -= KYMO_CRC_BYTES;
    uint32_t crc = 0u;
    for (uint32_t i = 0u; i < KYMO_CRC_BYTES; i++) {
        crc |= (uint32_t)in->bytes[length + i] << (8u * i);
    }
    return crc == kymo_crc32(in->bytes, length) ? length : 0u;
}

uint32_t kymo_frame_receive(struct kymo_incoming *in, uint8_t byte) {
    if (byte != 0u) {
        if (in->length < sizeof in->bytes) {
            in->bytes[in->length++] = byte;
        } else {
            in->overlong = true;
        }
        return 0u;
    }
    uint32_t length = in->overlong ? 0u : check(in);
    in->length = 0u;
    in->overlong = false;
    return length;
}

#endif

#endif
