/* The divisor for a baud rate, and the rule for all UART drivers: a rate that the UART would miss by more than 3 % is
 * refused.
 *
 * Why 3 %: a receiver with 16 samples a bit reads a character of 8 bits and a stop bit without errors as long as the
 * two ends differ by at most 4.54 % (sender slow) or 3.90 % (sender fast): "KL27 Sub-Family Reference Manual" (NXP,
 * revision 5, January 2016), 38.5.2.7 "Baud rate tolerance". 3 % on this end leaves 0.9 % for the other one and for both
 * clocks. */
#ifndef KYMO_BAUD_H
#define KYMO_BAUD_H

#include <stdbool.h>
#include <stdint.h>

#define KYMO_BAUD_TOLERANCE_PERCENT 3u
/* Far above every "most" below; with 6 more bits of fraction it still fits into 32. */
#define KYMO_BAUD_DIVISOR_LIMIT (1u << 25)

/* How a UART makes its rate: clock / (clocks * divisor / 2^fraction_bits). */
struct kymo_baud_generator {
    uint32_t clocks;        /* for a divisor of 1, before its fraction: 1, 8, 16 */
    uint32_t fraction_bits; /* of the divisor, at most 6 */
    uint32_t least, most;   /* divisor, in units of its fraction; "most" below 2^24 */
};

/* True if "given" misses "wanted" by at most 3 % of "wanted". Any unit, the same for both; below 2^57. */
static inline bool kymo_baud_agrees(uint64_t given, uint64_t wanted) {
    const uint64_t missed = given < wanted ? wanted - given : given - wanted;
    return missed * 100u <= wanted * KYMO_BAUD_TOLERANCE_PERCENT;
}

/* The divisor whose rate is nearest to "baud"; 0 if even that misses it by more than 3 %, or baud * clocks is not below
 * 2^31. Divides 32 bits by 32 bits only: a 64-bit division needs a library on small cores. */
static inline uint32_t kymo_baud_divisor(const struct kymo_baud_generator *generator,
                                         uint32_t clock_hz, uint32_t baud) {
    if (baud == 0u || baud > (uint32_t)INT32_MAX / generator->clocks) {
        return 0u;
    }
    const uint32_t step = generator->clocks * baud;
    uint32_t divisor = clock_hz / step;
    uint32_t rest = clock_hz % step;
    if (divisor >= KYMO_BAUD_DIVISOR_LIMIT) {
        return 0u;
    }
    /* Below 2^31, "rest" can be doubled. */
    for (uint32_t bit = 0u; bit < generator->fraction_bits; bit++) {
        rest *= 2u;
        divisor = 2u * divisor + (rest >= step ? 1u : 0u);
        rest -= rest >= step ? step : 0u;
    }
    /* Of the two divisors around it, the one whose rate misses less: rest / divisor, or (step - rest) / (divisor + 1). */
    if ((uint64_t)(step - rest) * divisor < (uint64_t)rest * (divisor + 1u)) {
        divisor++;
    }
    divisor = divisor < generator->least ? generator->least : divisor;
    divisor = divisor > generator->most ? generator->most : divisor;
    const uint64_t given = (uint64_t)clock_hz << generator->fraction_bits;
    return kymo_baud_agrees(given, (uint64_t)step * divisor) ? divisor : 0u;
}

#endif
