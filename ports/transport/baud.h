/* SPDX-License-Identifier: MIT */
/* The divisor for a baud rate, and the rule for all UART drivers: a rate that the UART would miss
 * by more than 3 % is refused.
 *
 * Why 3 %: a receiver with 16 samples a bit reads a character of 8 bits and a stop bit without
 * errors as long as the two ends differ by at most 4.54 % (sender slow) or 3.90 % (sender fast):
 * "KL27 Sub-Family Reference Manual" (NXP, revision 5, January 2016), 38.5.2.7 "Baud rate
 * tolerance". 3 % on this end leaves 0.9 % for the other one and for both clocks. */
#ifndef KYMO_BAUD_H
#define KYMO_BAUD_H

#include <stdbool.h>
#include <stdint.h>

#define KYMO_BAUD_TOLERANCE_PERCENT 3u
/* Above every "most"; 103 times as much, and it with 6 more bits of fraction, fit into 32 bits. */
#define KYMO_BAUD_DIVISOR_LIMIT (1u << 25)

/* How a UART makes its rate: clock / (clocks * divisor / 2^fraction_bits). */
struct kymo_baud_generator {
    uint32_t clocks;        /* for a divisor of 1, before its fraction: 1, 8, 16 */
    uint32_t fraction_bits; /* of the divisor, at most 6 */
    uint32_t least, most;   /* divisor, in units of its fraction; "most" at most 2^24 */
};

/* How "part" of "whole" compares with "percent" of it, 0 to 99: exactly, in 32 bits, as a 64-bit
 * product needs a library on small cores. */
static inline bool kymo_baud_is_at_least(uint32_t part, uint32_t whole, uint32_t percent) {
    return part >= percent * (whole / 100u) + (percent * (whole % 100u) + 99u) / 100u;
}

static inline bool kymo_baud_is_at_most(uint32_t part, uint32_t whole, uint32_t percent) {
    return part <= percent * (whole / 100u) + percent * (whole % 100u) / 100u;
}

/* True if a rate misses the one that is wanted by at most 3 % of that. */
static inline bool kymo_baud_agrees(uint32_t rate, uint32_t wanted) {
    return kymo_baud_is_at_most(rate < wanted ? wanted - rate : rate - wanted, wanted,
                                KYMO_BAUD_TOLERANCE_PERCENT);
}

/* The same for a divisor, where whole + rest / step is the exact one: the rate is wanted * exact
 * / divisor. */
static inline bool kymo_baud_divisor_agrees(uint32_t divisor, uint32_t whole, uint32_t rest,
                                            uint32_t step) {
    const bool slow =
        divisor > whole; /* 100 * exact at least 97 * divisor, else at most 103 * divisor */
    const uint32_t factor =
        slow ? 100u - KYMO_BAUD_TOLERANCE_PERCENT : 100u + KYMO_BAUD_TOLERANCE_PERCENT;
    const uint32_t bound = factor * divisor;
    const uint32_t percent = bound - 100u * whole; /* of a step, that "rest" is held against */
    if (bound < 100u * whole) {
        return slow;
    }
    if (percent >= 100u) {
        return !slow;
    }
    return slow ? kymo_baud_is_at_least(rest, step, percent)
                : kymo_baud_is_at_most(rest, step, percent);
}

/* The divisor whose rate is near to "baud": the nearest to the exact one, or the other one beside it
 * if only that misses by at most 3 %. 0 if neither does, or baud * clocks is not below 2^31. */
static inline uint32_t kymo_baud_divisor(const struct kymo_baud_generator *generator,
                                         uint32_t clock_hz, uint32_t baud) {
    if (baud == 0u || baud > (uint32_t)INT32_MAX / generator->clocks) {
        return 0u;
    }
    const uint32_t step = generator->clocks * baud;
    uint32_t whole = clock_hz / step;
    uint32_t rest = clock_hz % step;
    if (whole >= KYMO_BAUD_DIVISOR_LIMIT) {
        return 0u;
    }
    /* Below 2^31, "rest" can be doubled. */
    for (uint32_t bit = 0u; bit < generator->fraction_bits; bit++) {
        rest *= 2u;
        whole = 2u * whole + (rest >= step ? 1u : 0u);
        rest -= rest >= step ? step : 0u;
    }
    if (whole >= KYMO_BAUD_DIVISOR_LIMIT) {
        return 0u;
    }
    const bool up = rest >= step - rest;
    for (uint32_t tried = 0u; tried < 2u; tried++) {
        uint32_t divisor = whole + (up == (tried == 0u) ? 1u : 0u);
        divisor = divisor < generator->least ? generator->least : divisor;
        divisor = divisor > generator->most ? generator->most : divisor;
        if (kymo_baud_divisor_agrees(divisor, whole, rest, step)) {
            return divisor;
        }
    }
    return 0u;
}

#endif
