/* SPDX-License-Identifier: MIT */
#include "wire/command.h"

#include <string.h>

#include "wire/compose.h"
#include "wire/fields.h"
#include "wire/unpack.h"

static size_t start(uint8_t *out, enum kymo_packet_type type) {
    out[0] = (uint8_t)(KYMO_WIRE_VERSION << KYMO_WIRE_VERSION_SHIFT | (uint32_t)type);
    out[1] = 0; /* sequence number: the board does not look at it */
    return PACKET_HEAD_BYTES;
}

static size_t put(uint8_t *out, size_t at, uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++) {
        out[at++] = (uint8_t)(value >> (8 * i));
    }
    return at;
}

static size_t simple(uint8_t *out, size_t size, enum kymo_packet_type type) {
    return size < PACKET_HEAD_BYTES ? 0 : start(out, type);
}

size_t command_hello(uint8_t *out, size_t size) { return simple(out, size, KYMO_PACKET_HELLO); }

size_t command_get_names(uint8_t *out, size_t size) {
    return simple(out, size, KYMO_PACKET_GET_NAMES);
}

size_t command_start(uint8_t *out, size_t size) { return simple(out, size, KYMO_PACKET_START); }

size_t command_stop(uint8_t *out, size_t size) { return simple(out, size, KYMO_PACKET_STOP); }

size_t command_ping(uint8_t *out, size_t size, uint64_t cookie) {
    return size < PACKET_HEAD_BYTES + 8u ? 0 : put(out, start(out, KYMO_PACKET_PING), cookie, 8);
}

size_t command_set_param(uint8_t *out, size_t size, uint32_t site_index, int32_t value) {
    if (size < PACKET_HEAD_BYTES + 8u) {
        return 0;
    }
    size_t length = put(out, start(out, KYMO_PACKET_SET_PARAM), site_index, 4);
    return put(out, length, (uint32_t)value, 4);
}

size_t packet_host_clock(uint8_t *out, size_t size, uint64_t monotonic_ns, uint64_t unix_ns) {
    uint8_t packet[18];
    size_t length = put(packet, start(packet, KYMO_PACKET_HOST_CLOCK), monotonic_ns, 8);
    length = put(packet, length, unix_ns, 8);
    if (size < 1) {
        return 0;
    }
    out[0] = 0;
    size_t framed = packet_encode(out + 1, size - 1, packet, length);
    return framed == 0 ? 0 : framed + 1;
}

size_t packet_board(uint8_t *out, size_t size, uint64_t number, uint64_t bytes, const char *name) {
    uint8_t packet[BOARD_PACKET_BYTES];
    const size_t name_bytes = strnlen(name, BOARD_NAME_BYTES);
    size_t length = put_varint(packet, start(packet, KYMO_PACKET_BOARD), number);
    length = put_varint(packet, length, bytes);
    length = put_varint(packet, length, name_bytes);
    memcpy(packet + length, name, name_bytes);
    return packet_encode(out, size, packet, length + name_bytes);
}
