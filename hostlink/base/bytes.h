/* SPDX-License-Identifier: MIT */
/* Little-endian numbers in bytes that are known to be there. */
#ifndef HOSTLINK_BYTES_H
#define HOSTLINK_BYTES_H

#include <stddef.h>
#include <stdint.h>

static inline uint16_t bytes_u16(const uint8_t *at) { return (uint16_t)(at[0] | at[1] << 8); }

static inline uint32_t bytes_u32(const uint8_t *at) {
    return bytes_u16(at) | (uint32_t)bytes_u16(at + 2) << 16;
}

static inline uint64_t bytes_u64(const uint8_t *at) {
    return bytes_u32(at) | (uint64_t)bytes_u32(at + 4) << 32;
}

/* 4 or 8 bytes. */
static inline uint64_t bytes_address(const uint8_t *at, size_t size) {
    return size == 8 ? bytes_u64(at) : bytes_u32(at);
}

#endif
