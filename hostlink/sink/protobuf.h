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

void protobuf_varint(struct protobuf *message, uint32_t field, uint64_t value);
void protobuf_double(struct protobuf *message, uint32_t field, double value);
/* What is not UTF-8 becomes U+FFFD: readers refuse a whole message for one bad string. */
void protobuf_string(struct protobuf *message, uint32_t field, const char *bytes, size_t length);
/* A finished message as a field of another. */
void protobuf_message(struct protobuf *message, uint32_t field, const struct protobuf *inside);
/* A message inside: what is written between begin and end belongs to it. They nest. */
size_t protobuf_begin(struct protobuf *message, uint32_t field);
void protobuf_end(struct protobuf *message, size_t begun);
/* Empties it and keeps the memory and the error. */
void protobuf_clear(struct protobuf *message);
void protobuf_free(struct protobuf *message);

#endif
