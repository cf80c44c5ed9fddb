/* SPDX-License-Identifier: MIT */
/* A histogram of 64-bit values with logarithmic octaves cut into linear steps. A value is known to
 * 1/32 of itself, exactly below 64; an octave takes memory when a value first falls into it. */
#ifndef HOSTLINK_HISTOGRAM_H
#define HOSTLINK_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#define HISTOGRAM_STEP_BITS 5
#define HISTOGRAM_STEPS (1u << HISTOGRAM_STEP_BITS)
/* Octave 0 holds the values below HISTOGRAM_STEPS, octave n those from STEPS << (n - 1). */
#define HISTOGRAM_OCTAVES (64 - HISTOGRAM_STEP_BITS + 1)

/* All zero is an empty histogram. */
struct histogram {
    uint64_t count;
    uint64_t *octaves[HISTOGRAM_OCTAVES]; /* HISTOGRAM_STEPS counters each, or NULL */
};

/* 0 or -ENOMEM. */
static inline int histogram_add(struct histogram *histogram, uint64_t value);
/* Private to histogram_add(): makes the counters of an octave. */
int histogram_make(struct histogram *histogram, unsigned octave);

/* Octaves 0 and 1 have steps of 1, octave n steps of 1 << (n - 1). */
static inline unsigned histogram_shift(unsigned octave) { return octave == 0 ? 0 : octave - 1; }

static inline unsigned histogram_octave(uint64_t value) {
    const unsigned top_bit = 63u - (unsigned)__builtin_clzll(value | 1u);
    return top_bit < HISTOGRAM_STEP_BITS ? 0 : top_bit - HISTOGRAM_STEP_BITS + 1;
}

static inline int histogram_add(struct histogram *histogram, uint64_t value) {
    const unsigned octave = histogram_octave(value);
    if (histogram->octaves[octave] == NULL) {
        const int error = histogram_make(histogram, octave);
        if (error != 0) {
            return error;
        }
    }
    histogram->octaves[octave][(value >> histogram_shift(octave)) & (HISTOGRAM_STEPS - 1)]++;
    histogram->count++;
    return 0;
}

/* The middle of the step that holds the value of nearest rank: the smallest value that at least
 * "percent" of all values do not exceed. Off by at most 1/64 of it. 0 when empty. */
uint64_t histogram_percentile(const struct histogram *histogram, unsigned percent);

void histogram_free(struct histogram *histogram);

#endif
