/* SPDX-License-Identifier: MIT */
/* Writes messages in the wire format of Protocol Buffers (protobuf.dev/programming-guides/encoding)
 * into memory that grows. Errors are kept: a short memory makes every later call do nothing. */
#ifndef HOSTLINK_PROTOBUF_H
#define HOSTLINK_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>

/* All zero is an empty message. */
struct protobuf {
    uint8_t *bytes;
    size_t length, size;
    int error; /* 0 or -ENOMEM */
};

/* ---- the inside of the calls below; inline, so that of a constant field the key is one too ---- */

/* Wire types: protobuf.dev/programming-guides/encoding, "Message Structure". */
enum protobuf_type { PROTOBUF_VARINT = 0, PROTOBUF_FIXED64 = 1, PROTOBUF_LENGTH = 2 };

#define PROTOBUF_VARINT_MAX 10

/* More memory, with room for "length" bytes and 256 more: where they go, or NULL. */
uint8_t *protobuf_grow(struct protobuf *message, size_t length);

/* Room for "length" more bytes, or NULL. */
static inline uint8_t *protobuf_reserve(struct protobuf *message, size_t length) {
    if (message->error) {
        return NULL;
    }
    return message->size - message->length < length ? protobuf_grow(message, length)
                                                    : message->bytes + message->length;
}

/* Returns the end of the number. */
static inline uint8_t *protobuf_encode(uint8_t *at, uint64_t value) {
    while (value >= 0x80u) {
        *at++ = (uint8_t)(value | 0x80u);
        value >>= 7;
    }
    *at++ = (uint8_t)value;
    return at;
}

static inline uint8_t *protobuf_key(uint8_t *at, uint32_t field, enum protobuf_type type) {
    return protobuf_encode(at, (uint64_t)field << 3 | type);
}

/* A whole field of a number, where there is room for it. */
static inline uint8_t *protobuf_put(uint8_t *at, uint32_t field, uint64_t value) {
    return protobuf_encode(protobuf_key(at, field, PROTOBUF_VARINT), value);
}

static inline void protobuf_wrote(struct protobuf *message, const uint8_t *end) {
    message->length = (size_t)(end - message->bytes);
}

/* ---- fields ---- */

static inline void protobuf_varint(struct protobuf *message, uint32_t field, uint64_t value) {
    uint8_t *at = protobuf_reserve(message, 2 * PROTOBUF_VARINT_MAX);
    if (at) {
        protobuf_wrote(message, protobuf_put(at, field, value));
    }
}
void protobuf_fixed64(struct protobuf *message, uint32_t field, uint64_t bits);
void protobuf_double(struct protobuf *message, uint32_t field, double value);
/* Invalid UTF-8 becomes U+FFFD: readers refuse a whole message for one bad string. */
void protobuf_string(struct protobuf *message, uint32_t field, const char *bytes, size_t length);
/* Bytes that are whole fields. */
void protobuf_append(struct protobuf *message, const void *bytes, size_t length);
/* A finished message as a field of another. */
void protobuf_message(struct protobuf *message, uint32_t field, const struct protobuf *inside);
/* A nested message: fields written between begin and end belong to it. */
size_t protobuf_begin(struct protobuf *message, uint32_t field);
void protobuf_end(struct protobuf *message, size_t begun);
/* Empties it and keeps the memory and the error. */
static inline void protobuf_clear(struct protobuf *message) { message->length = 0; }
void protobuf_free(struct protobuf *message);

#endif
