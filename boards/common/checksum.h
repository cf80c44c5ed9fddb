/* SPDX-License-Identifier: MIT */
/* A checksum of a long row of results: FNV-1a, 32 bits, over the bytes of each value. */
#ifndef CHECKSUM_H
#define CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

#define CHECKSUM_START 0x811c9dc5u

static inline uint32_t checksum_byte(uint32_t sum, uint8_t byte) {
    return (sum ^ byte) * 0x01000193u;
}

static inline uint32_t checksum_int8(uint32_t sum, const int8_t *values, size_t count) {
    for (size_t i = 0u; i < count; i++) {
        sum = checksum_byte(sum, (uint8_t)values[i]);
    }
    return sum;
}

static inline uint32_t checksum_int32(uint32_t sum, int32_t value) {
    for (unsigned shift = 0u; shift < 32u; shift += 8u) {
        sum = checksum_byte(sum, (uint8_t)((uint32_t)value >> shift));
    }
    return sum;
}

#endif
