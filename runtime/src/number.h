/* The numbers of an EVENTS packet (WIRE.md, "The bits"): what a number is expected to be, and how far from that
 * it is. */
#ifndef KYMO_NUMBER_H
#define KYMO_NUMBER_H

#include "encode.h"
#include "kymo/arch.h"

/* In kymo_expected.scale, of a time. */
#define KYMO_SCALE_MASK 0x1fu
#define KYMO_BY_CHANGE 0x80u

/* Position of the highest set bit; 0 for 0. "near": what it may be. */
static inline uint32_t kymo_log2(uint32_t value, uint32_t near) {
#if KYMO_ARCH_COUNTS_ZEROS
    (void)near;
    return 31u - (uint32_t)__builtin_clz(value | 1u);
#else
    /* Elsewhere the compiler would call a library. */
    const uint32_t rest = value >> near;
    if (rest == 1u) {
        return near;
    }
    if (value < 2u) {
        return 0u;
    }
    if (rest >> 1 == 1u) {
        return near + 1u;
    }
    uint32_t log2 = 0u;
    for (uint32_t step = 16u; step != 0u; step >>= 1) {
        if (value >> step != 0u) {
            value >>= step;
            log2 += step;
        }
    }
    return log2;
#endif
}

/* Half of the way. */
static inline uint32_t kymo_scale_after(uint32_t scale, uint32_t value) {
    const uint32_t target = kymo_log2(value, scale);
    return target > scale ? scale + ((target - scale + 1u) >> 1)
                          : scale - ((scale - target + 1u) >> 1);
}

static inline uint32_t kymo_class_of(uint32_t value, uint32_t scale) {
    const uint32_t rest = value >> scale;
    uint32_t class = 0u;
    while (class < KYMO_CLASS_LONG && rest >= (2u << class) - 1u) {
        class ++;
    }
    return class;
}

/* The change from "before", small either way as a small number. */
static inline uint32_t kymo_change_of(uint32_t value, uint32_t before) {
    uint32_t change = value - before;
    return change << 1 ^ (0u - (change >> 31));
}

static inline uint32_t kymo_pair_of(uint32_t a, uint32_t b) {
    return (a + 5u * b) & (KYMO_ENCODE_PAIRS - 1u);
}

#endif
