/* SPDX-License-Identifier: MIT */
#include "sink/histogram.h"

#include <errno.h>
#include <stdlib.h>

static uint64_t step_middle(unsigned octave, unsigned step) {
    unsigned shift = histogram_shift(octave);
    uint64_t base = octave == 0 ? 0 : HISTOGRAM_STEPS;
    return ((base + step) << shift) + ((UINT64_C(1) << shift) >> 1);
}

int histogram_make(struct histogram *histogram, unsigned octave) {
    uint64_t **steps = &histogram->octaves[octave];
    *steps = calloc(HISTOGRAM_STEPS, sizeof **steps);
    return *steps != NULL ? 0 : -ENOMEM;
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
