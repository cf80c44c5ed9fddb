/* SPDX-License-Identifier: MIT */
/* A message: a number of sixteen hex digits, which says what program began it, how often it was passed
 * on, and which one it is; then a line feed. Of a byte that an emulator's UART drops, only its message
 * is lost. */
#ifndef MESSAGE_H
#define MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#define MESSAGE_DIGITS 16u
#define MESSAGE_BYTES (MESSAGE_DIGITS + 1u)
#define MESSAGE_PROGRAMS 2u
#define MESSAGE_PROGRAM(number) ((uint32_t)((number) >> 56))
#define MESSAGE_NEXT(number) ((number) + (UINT64_C(1) << 48))

static inline void message_put(uint8_t *bytes, uint64_t number) {
    for (uint32_t i = MESSAGE_DIGITS; i-- > 0u; number >>= 4) {
        bytes[i] = (uint8_t) "0123456789abcdef"[number & 15u];
    }
    bytes[MESSAGE_DIGITS] = '\n';
}

/* What has come of a message. */
struct message_part {
    uint64_t number;
    uint32_t count;
};

/* True at its last byte. */
static inline bool message_take(struct message_part *part, uint8_t byte, uint64_t *number) {
    const bool is_digit = byte >= '0' && byte <= '9';
    if (is_digit || (byte >= 'a' && byte <= 'f')) {
        part->number = part->number << 4 | (uint64_t)(is_digit ? byte - '0' : byte - 'a' + 10);
        part->count++;
        return false;
    }
    *number = part->number;
    const bool whole = part->count == MESSAGE_DIGITS && byte == '\n' &&
                       MESSAGE_PROGRAM(*number) < MESSAGE_PROGRAMS;
    *part = (struct message_part){0};
    return whole;
}

#endif
