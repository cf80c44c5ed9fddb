/* Division of 64 bits, for which compilers of 32-bit cores call a library: bit by bit. Private to the runtime. */
#ifndef KYMO_DIVIDE_H
#define KYMO_DIVIDE_H

#include <stdint.h>

/* The divisor is not 0, and below 2^63. */
static inline uint64_t kymo_divide(uint64_t dividend, uint64_t divisor, uint64_t *rest) {
    uint64_t quotient = 0u;
    uint64_t left = 0u;
    for (uint32_t bit = 0u; bit < 64u; bit++) {
        left = left << 1 | dividend >> 63;
        dividend <<= 1;
        quotient <<= 1;
        if (left >= divisor) {
            left -= divisor;
            quotient |= 1u;
        }
    }
    *rest = left;
    return quotient;
}

#endif
