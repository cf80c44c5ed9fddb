/* SPDX-License-Identifier: MIT */
/* A message: a byte that begins it, and a number of eight: which program began it, the times that it was passed on,
 * and which one it is. */
#ifndef MESSAGE_H
#define MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#define MESSAGE_BYTES 9u
#define MESSAGE_BEGIN 0xa5u
#define MESSAGE_PROGRAM(number) ((uint32_t)((number) >> 56))
#define MESSAGE_NEXT(number) ((number) + (UINT64_C(1) << 48))

static inline void message_put(uint8_t *bytes, uint64_t number) {
    bytes[0] = MESSAGE_BEGIN;
    for (uint32_t i = 1u; i < MESSAGE_BYTES; i++, number >>= 8) {
        bytes[i] = (uint8_t)number;
    }
}

/* What has come of a message. */
struct message_part {
    uint64_t number;
    uint32_t count;
};

/* True at its last byte. */
static inline bool message_take(struct message_part *part, uint8_t byte, uint64_t *number) {
    if (part->count == 0u) {
        part->number = 0u;
        part->count = byte == MESSAGE_BEGIN;
        return false;
    }
    part->number |= (uint64_t)byte << 8u * (part->count - 1u);
    part->count = (part->count + 1u) % MESSAGE_BYTES;
    *number = part->number;
    return part->count == 0u;
}

#endif
