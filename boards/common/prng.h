/* SPDX-License-Identifier: MIT */
/* The demo's source of numbers that look random and are the same everywhere. */
#ifndef PRNG_H
#define PRNG_H

#include <stdint.h>

/* "xorshift32" of G. Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8 (14), 2003, page 4.
 * The state must not be 0. */
static inline uint32_t prng_next(uint32_t *state) {
    uint32_t x = *state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return *state = x;
}

/* A number from -limit to limit; limit below 2^15. */
static inline int32_t prng_symmetric(uint32_t *state, uint32_t limit) {
    return (int32_t)((prng_next(state) >> 16) % (2u * limit + 1u)) - (int32_t)limit;
}

#endif
