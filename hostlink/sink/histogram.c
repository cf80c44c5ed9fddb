#include "sink/histogram.h"

#include <errno.h>
#include <stdlib.h>

/* "value" is not 0. */
static unsigned top_bit(uint64_t value) { return 63u - (unsigned)__builtin_clzll(value); }

static unsigned octave_of(uint64_t value) {
    return value < HISTOGRAM_STEPS ? 0 : top_bit(value) - HISTOGRAM_STEP_BITS + 1;
}

/* Octaves 0 and 1 have steps of 1, octave n steps of 1 << (n - 1). */
static unsigned step_shift(unsigned octave) { return octave == 0 ? 0 : octave - 1; }

static uint64_t step_middle(unsigned octave, unsigned step) {
    unsigned shift = step_shift(octave);
    uint64_t base = octave == 0 ? 0 : HISTOGRAM_STEPS;
    return ((base + step) << shift) + ((UINT64_C(1) << shift) >> 1);
}

int histogram_add(struct histogram *histogram, uint64_t value) {
    unsigned octave = octave_of(value);
    uint64_t **steps = &histogram->octaves[octave];
    if (!*steps) {
        *steps = calloc(HISTOGRAM_STEPS, sizeof **steps);
        if (!*steps) {
            return -ENOMEM;
        }
    }
    (*steps)[(value >> step_shift(octave)) & (HISTOGRAM_STEPS - 1)]++;
    histogram->count++;
    return 0;
}

/* ceil(count * percent / 100) without the overflow of the product. */
static uint64_t rank_of(uint64_t count, unsigned percent) {
    uint64_t rank = count / 100 * percent + (count % 100 * percent + 99) / 100;
    return rank > 0 ? rank : 1;
}

uint64_t histogram_percentile(const struct histogram *histogram, unsigned percent) {
    uint64_t rank = rank_of(histogram->count, percent);
    uint64_t seen = 0;
    for (unsigned octave = 0; octave < HISTOGRAM_OCTAVES; octave++) {
        const uint64_t *steps = histogram->octaves[octave];
        for (unsigned step = 0; steps && step < HISTOGRAM_STEPS; step++) {
            seen += steps[step];
            if (seen >= rank) {
                return step_middle(octave, step);
            }
        }
    }
    return 0;
}

void histogram_free(struct histogram *histogram) {
    for (unsigned octave = 0; octave < HISTOGRAM_OCTAVES; octave++) {
        free(histogram->octaves[octave]);
    }
    *histogram = (struct histogram){0};
}
