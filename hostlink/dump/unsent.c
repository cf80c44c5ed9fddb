/* SPDX-License-Identifier: MIT */
#include "dump/unsent.h"

#include <string.h>

#include "kymo/wire.h"
#include "wire/compose.h"
#include "wire/unpack.h"

#define COUNT_BYTES 2u

struct unsent {
    unsent_packet *packet;
    void *context;
};

static int on_packet(void *context, const uint8_t *bytes, size_t length, size_t wire_bytes) {
    const struct unsent *unsent = context;
    (void)wire_bytes;
    return unsent->packet(unsent->context, bytes, length);
}

/* The end of a packet whose beginning was overwritten, or the beginning of one that is being built. */
static void on_rest(void *context, const uint8_t *bytes, size_t length) {
    (void)context;
    (void)bytes;
    (void)length;
}

static uint8_t byte_at(const struct recorder_buffer *buffer, size_t index) {
    return buffer->bytes[index % buffer->length];
}

/* Bytes before the one that leaves next that still belong to its packet: they have left. False: the first of them is
 * overwritten. */
static bool bytes_before(const struct recorder_buffer *buffer, size_t *count) {
    const size_t most = buffer->length - buffer->ready - buffer->open;
    *count = 0;
    while (*count < most && byte_at(buffer, buffer->read + buffer->length - *count - 1) != 0) {
        ++*count;
    }
    return *count < most;
}

/* The packet that is being built, in "bytes" from its first code on, is completed as the board would do it. */
static int complete(const struct unsent *unsent, const struct recorder_buffer *buffer,
                    uint8_t *bytes, size_t length) {
    uint8_t packet[UNPACK_CHUNK_BYTES];
    bytes[length - buffer->open] = (uint8_t)buffer->open;
    size_t to = packet_unstuff(bytes, length, packet);
    if (to < 2 ||
        packet[0] != (KYMO_WIRE_VERSION << KYMO_WIRE_VERSION_SHIFT | KYMO_PACKET_EVENTS) ||
        to + COUNT_BYTES > sizeof packet) {
        return 0;
    }
    to = put_little(packet, to, buffer->events, COUNT_BYTES);
    return unsent->packet(unsent->context, packet, to);
}

int unsent_read(const struct recorder *recorder, unsent_packet *packet, void *context) {
    struct unsent unsent = {packet, context};
    const struct unpack_callbacks callbacks = {&unsent, on_packet, on_rest};
    struct recorder_buffer buffer;
    struct unpack unpack;
    uint8_t bytes[UNPACK_CHUNK_BYTES];
    if (!recorder_buffer(recorder, &buffer) || buffer.length > sizeof bytes) {
        return 0;
    }
    size_t before = 0;
    const bool begins = bytes_before(&buffer, &before);
    const size_t length = before + buffer.ready + buffer.open;
    for (size_t i = 0; i < length; i++) {
        bytes[i] = byte_at(&buffer, buffer.read + buffer.length - before + i);
    }
    unpack_init(&unpack, &callbacks);
    int result = unpack_feed(&unpack, bytes, before + buffer.ready);
    size_t begin = before + buffer.ready;
    while (begin != 0 && bytes[begin - 1] != 0) {
        begin--;
    }
    if (result == 0 && buffer.open != 0 && buffer.events != 0 && (begins || begin != 0)) {
        result = complete(&unsent, &buffer, bytes + begin, length - begin);
    }
    return result;
}
