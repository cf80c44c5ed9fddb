/* SPDX-License-Identifier: MIT */
#include "sink/protobuf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

uint8_t *protobuf_grow(struct protobuf *message, size_t length) {
    size_t size = message->size * 2 + length + 256;
    uint8_t *bytes = size > length ? realloc(message->bytes, size) : NULL;
    if (!bytes) {
        message->error = -ENOMEM;
        return NULL;
    }
    message->bytes = bytes;
    message->size = size;
    return bytes + message->length;
}

void protobuf_append(struct protobuf *message, const void *bytes, size_t length) {
    uint8_t *out = protobuf_reserve(message, length);
    if (out && length > 0) {
        memcpy(out, bytes, length);
        message->length += length;
    }
}

/* A field of bytes in one piece. */
static void append_bytes(struct protobuf *message, uint32_t field, const void *bytes,
                         size_t length) {
    uint8_t *at = protobuf_reserve(message, 2 * PROTOBUF_VARINT_MAX + length);
    if (at) {
        at = protobuf_encode(protobuf_key(at, field, PROTOBUF_LENGTH), length);
        if (length > 0) {
            memcpy(at, bytes, length);
        }
        protobuf_wrote(message, at + length);
    }
}

void protobuf_fixed64(struct protobuf *message, uint32_t field, uint64_t bits) {
    uint8_t *at = protobuf_reserve(message, PROTOBUF_VARINT_MAX + sizeof bits);
    if (at) {
        at = protobuf_key(at, field, PROTOBUF_FIXED64);
        for (size_t i = 0; i < sizeof bits; i++) {
            *at++ = (uint8_t)(bits >> (8 * i)); /* little-endian */
        }
        protobuf_wrote(message, at);
    }
}

void protobuf_double(struct protobuf *message, uint32_t field, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    protobuf_fixed64(message, field, bits);
}

static void append_mended(struct protobuf *message, const char *bytes, size_t length) {
    while (length > 0) {
        uint32_t character;
        size_t taken = utf8_next(bytes, length, &character);
        if (character == UTF8_REPLACEMENT) {
            protobuf_append(message, "\xef\xbf\xbd", 3);
        } else {
            protobuf_append(message, bytes, taken);
        }
        bytes += taken;
        length -= taken;
    }
}

void protobuf_string(struct protobuf *message, uint32_t field, const char *bytes, size_t length) {
    if (utf8_valid(bytes, length)) {
        append_bytes(message, field, bytes, length);
    } else {
        size_t begun = protobuf_begin(message, field);
        append_mended(message, bytes, length);
        protobuf_end(message, begun);
    }
}

void protobuf_message(struct protobuf *message, uint32_t field, const struct protobuf *inside) {
    append_bytes(message, field, inside->bytes, inside->length);
    if (inside->error) {
        message->error = inside->error;
    }
}

/* Reserves one byte for the length; a longer length moves the message. */
size_t protobuf_begin(struct protobuf *message, uint32_t field) {
    uint8_t *at = protobuf_reserve(message, PROTOBUF_VARINT_MAX + 1);
    if (at) {
        at = protobuf_key(at, field, PROTOBUF_LENGTH);
        *at++ = 0;
        protobuf_wrote(message, at);
    }
    return message->length;
}

void protobuf_end(struct protobuf *message, size_t begun) {
    if (message->error) {
        return;
    }
    uint8_t encoded[PROTOBUF_VARINT_MAX];
    size_t inside = message->length - begun;
    if (inside < 0x80u) {
        message->bytes[begun - 1] = (uint8_t)inside;
        return;
    }
    size_t more = (size_t)(protobuf_encode(encoded, inside) - encoded) - 1;
    if (!protobuf_reserve(message, more)) {
        return;
    }
    uint8_t *start = message->bytes + begun;
    memmove(start + more, start, inside);
    memcpy(start - 1, encoded, more + 1);
    message->length += more;
}

void protobuf_free(struct protobuf *message) {
    free(message->bytes);
    *message = (struct protobuf){0};
}
