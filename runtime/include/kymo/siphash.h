/* SPDX-License-Identifier: MIT */
/* SipHash-2-4 with 64 bits of output (Aumasson and Bernstein, "SipHash: a fast short-input PRF",
 * 2012): signs commands that come over a network. Shared by the runtime and by hostlink. Its time
 * depends on nothing but the length. */
#ifndef KYMO_SIPHASH_H
#define KYMO_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

#define KYMO_SIPHASH_KEY_BYTES 16u
#define KYMO_SIPHASH_BYTES 8u

/* By constants only: 64-bit shifts by a variable need a library on small cores. */
#define KYMO_SIPHASH_ROTATE(value, bits) ((value) << (bits) | (value) >> (64 - (bits)))

/* SipRound, section 2.3 there. */
static inline void kymo_siphash_rounds(uint64_t v[4], unsigned count) {
    for (unsigned i = 0u; i < count; i++) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = KYMO_SIPHASH_ROTATE(v[1], 13) ^ v[0];
        v[3] = KYMO_SIPHASH_ROTATE(v[3], 16) ^ v[2];
        v[0] = KYMO_SIPHASH_ROTATE(v[0], 32);
        v[2] += v[1];
        v[0] += v[3];
        v[1] = KYMO_SIPHASH_ROTATE(v[1], 17) ^ v[2];
        v[3] = KYMO_SIPHASH_ROTATE(v[3], 21) ^ v[0];
        v[2] = KYMO_SIPHASH_ROTATE(v[2], 32);
    }
}

/* Makes a word of "count" bytes, at most 8, lowest first; missing bytes are 0. */
static inline uint64_t kymo_siphash_word(const uint8_t *bytes, size_t count) {
    uint32_t half[2] = {0u, 0u};
    for (size_t i = 0u; i < count; i++) {
        half[i / 4u] |= (uint32_t)bytes[i] << (8u * (i % 4u));
    }
    return (uint64_t)half[1] << 32 | half[0];
}

static inline void kymo_siphash_compress(uint64_t v[4], uint64_t word) {
    v[3] ^= word;
    kymo_siphash_rounds(v, 2u);
    v[0] ^= word;
}

/* "key" has KYMO_SIPHASH_KEY_BYTES. */
static inline uint64_t kymo_siphash(const uint8_t *key, const uint8_t *bytes, size_t length) {
    uint64_t low = kymo_siphash_word(key, 8u);
    uint64_t high = kymo_siphash_word(key + 8, 8u);
    uint64_t v[4] = {low ^ 0x736f6d6570736575u, high ^ 0x646f72616e646f6du,
                     low ^ 0x6c7967656e657261u, high ^ 0x7465646279746573u};
    size_t whole = length & ~(size_t)7u;
    for (size_t i = 0u; i < whole; i += 8u) {
        kymo_siphash_compress(v, kymo_siphash_word(bytes + i, 8u));
    }
    kymo_siphash_compress(v, kymo_siphash_word(bytes + whole, length - whole) | (uint64_t)length
                                                                                    << 56);
    v[2] ^= 0xffu;
    kymo_siphash_rounds(v, 4u);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

#endif
