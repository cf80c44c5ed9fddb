#include "sink/protobuf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

/* Wire types: protobuf.dev/programming-guides/encoding, "Message Structure". */
enum wire_type { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_LENGTH = 2 };

#define VARINT_BYTES_MAX 10

/* Room for "length" more bytes, or NULL. */
static uint8_t *reserve(struct protobuf *message, size_t length) {
    if (message->error) {
        return NULL;
    }
    if (message->size - message->length < length) {
        size_t size = message->size * 2 + length + 256;
        uint8_t *bytes = size > length ? realloc(message->bytes, size) : NULL;
        if (!bytes) {
            message->error = -ENOMEM;
            return NULL;
        }
        message->bytes = bytes;
        message->size = size;
    }
    return message->bytes + message->length;
}

static size_t encode(uint8_t *out, uint64_t value) {
    size_t length = 0;
    while (value >= 0x80u) {
        out[length++] = (uint8_t)(value | 0x80u);
        value >>= 7;
    }
    out[length++] = (uint8_t)value;
    return length;
}

static void append_varint(struct protobuf *message, uint64_t value) {
    uint8_t *out = reserve(message, VARINT_BYTES_MAX);
    if (out) {
        message->length += encode(out, value);
    }
}

static void append(struct protobuf *message, const void *bytes, size_t length) {
    uint8_t *out = reserve(message, length);
    if (out && length > 0) {
        memcpy(out, bytes, length);
        message->length += length;
    }
}

static void append_key(struct protobuf *message, uint32_t field, enum wire_type type) {
    append_varint(message, (uint64_t)field << 3 | type);
}

void protobuf_varint(struct protobuf *message, uint32_t field, uint64_t value) {
    append_key(message, field, WIRE_VARINT);
    append_varint(message, value);
}

void protobuf_double(struct protobuf *message, uint32_t field, double value) {
    uint64_t bits;
    uint8_t little_endian[8];
    memcpy(&bits, &value, sizeof bits);
    for (size_t i = 0; i < sizeof little_endian; i++) {
        little_endian[i] = (uint8_t)(bits >> (8 * i));
    }
    append_key(message, field, WIRE_FIXED64);
    append(message, little_endian, sizeof little_endian);
}

static void append_mended(struct protobuf *message, const char *bytes, size_t length) {
    while (length > 0) {
        uint32_t character;
        size_t taken = utf8_next(bytes, length, &character);
        if (character == UTF8_REPLACEMENT) {
            append(message, "\xef\xbf\xbd", 3);
        } else {
            append(message, bytes, taken);
        }
        bytes += taken;
        length -= taken;
    }
}

void protobuf_string(struct protobuf *message, uint32_t field, const char *bytes, size_t length) {
    if (utf8_valid(bytes, length)) {
        append_key(message, field, WIRE_LENGTH);
        append_varint(message, length);
        append(message, bytes, length);
    } else {
        size_t begun = protobuf_begin(message, field);
        append_mended(message, bytes, length);
        protobuf_end(message, begun);
    }
}

void protobuf_message(struct protobuf *message, uint32_t field, const struct protobuf *inside) {
    append_key(message, field, WIRE_LENGTH);
    append_varint(message, inside->length);
    append(message, inside->bytes, inside->length);
    if (inside->error) {
        message->error = inside->error;
    }
}

/* One byte is kept for the length; a longer length moves what was written behind it. */
size_t protobuf_begin(struct protobuf *message, uint32_t field) {
    append_key(message, field, WIRE_LENGTH);
    append(message, "", 1);
    return message->length;
}

void protobuf_end(struct protobuf *message, size_t begun) {
    if (message->error) {
        return;
    }
    uint8_t encoded[VARINT_BYTES_MAX];
    size_t inside = message->length - begun;
    size_t more = encode(encoded, inside) - 1;
    if (!reserve(message, more)) {
        return;
    }
    uint8_t *start = message->bytes + begun;
    memmove(start + more, start, inside);
    memcpy(start - 1, encoded, more + 1);
    message->length += more;
}

void protobuf_clear(struct protobuf *message) { message->length = 0; }

void protobuf_free(struct protobuf *message) {
    free(message->bytes);
    *message = (struct protobuf){0};
}
