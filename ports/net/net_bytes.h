/* SPDX-License-Identifier: MIT */
/* Numbers in network byte order at any address. */
#ifndef KYMO_NET_BYTES_H
#define KYMO_NET_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kymo/bytes.h"

static inline uint16_t kymo_get16(const uint8_t *bytes) {
    return (uint16_t)((uint32_t)bytes[0] << 8 | bytes[1]);
}

static inline uint32_t kymo_get32(const uint8_t *bytes) {
    return (uint32_t)kymo_get16(bytes) << 16 | kymo_get16(bytes + 2);
}

static inline void kymo_put16(uint8_t *bytes, uint32_t value) {
    bytes[0] = (uint8_t)(value >> 8);
    bytes[1] = (uint8_t)value;
}

static inline void kymo_put32(uint8_t *bytes, uint32_t value) {
    kymo_put16(bytes, value >> 16);
    kymo_put16(bytes + 2, value);
}

static inline bool kymo_bytes_equal(const uint8_t *a, const uint8_t *b, size_t count) {
    size_t i = 0u;
    while (i < count && a[i] == b[i]) {
        i++;
    }
    return i == count;
}

/* The length of a text that may be NULL; bytes beyond "most" do not count. */
static inline uint8_t kymo_text_length(const char *text, uint8_t most) {
    uint8_t length = 0u;
    while (text != NULL && length < most && text[length] != '\0') {
        length++;
    }
    return length;
}

/* Times in milliseconds and sequence numbers both wrap: "a" is at or after "b" if it is less
 * than half the circle away. */
static inline bool kymo_reached(uint32_t a, uint32_t b) { return (int32_t)(a - b) >= 0; }

#endif
