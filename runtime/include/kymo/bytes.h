/* SPDX-License-Identifier: MIT */
/* Copies and clears bytes without a call: an assignment of a whole structure, or a plain loop, is a call of
 * memcpy() or memset() for some compiler at some level of optimisation, and a firmware need not have these. A
 * compiler keeps each volatile access as it stands. */
#ifndef KYMO_BYTES_H
#define KYMO_BYTES_H

#include <stddef.h>
#include <stdint.h>

static inline void kymo_put_bytes(volatile void *to, const void *from, size_t count) {
    volatile uint8_t *out = (volatile uint8_t *)to;
    const uint8_t *in = (const uint8_t *)from;
    for (size_t i = 0u; i < count; i++) {
        out[i] = in[i];
    }
}

static inline void kymo_put_zeros(volatile void *to, size_t count) {
    volatile uint8_t *out = (volatile uint8_t *)to;
    for (size_t i = 0u; i < count; i++) {
        out[i] = 0u;
    }
}

/* Clears 4-aligned words of any type. */
static inline void kymo_put_zero_words(void *to, size_t bytes) {
    typedef uint32_t __attribute__((may_alias)) word;
    volatile word *out = (volatile word *)to;
    for (size_t i = 0u; i < bytes / sizeof *out; i++) {
        out[i] = 0u;
    }
}

#endif
