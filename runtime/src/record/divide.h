/* SPDX-License-Identifier: MIT */
/* Division of 64 bits, for which compilers of 32-bit cores call a library. Private to the runtime. */
#ifndef KYMO_DIVIDE_H
#define KYMO_DIVIDE_H

#include <stdint.h>

/* The divisor is not 0. A step for each bit of the quotient: a small one is quick. */
static inline uint64_t kymo_divide(uint64_t dividend, uint64_t divisor, uint64_t *rest) {
    uint64_t quotient = 0u;
    uint64_t bit = 1u;
    while (divisor <= dividend >> 1) {
        divisor <<= 1;
        bit <<= 1;
    }
    for (; bit != 0u; bit >>= 1) {
        if (dividend >= divisor) {
            dividend -= divisor;
            quotient |= bit;
        }
        divisor >>= 1;
    }
    *rest = dividend;
    return quotient;
}

#endif
