/* SPDX-License-Identifier: MIT */
/* A series of values in at most BATCHES_MAX batches of equal size, in their order, each with its mean. That tells two
 * runs apart although consecutive values are similar. All zero but "size" = 1 is empty. */
#ifndef HOSTLINK_BATCHES_H
#define HOSTLINK_BATCHES_H

#include <stdint.h>

#define BATCHES_MAX 32u

struct batches {
    uint64_t size, in; /* values in a batch; in the one that is not full */
    double sum;        /* of that one */
    uint32_t count;
    double mean[BATCHES_MAX];
};

/* Half as many of twice the size. */
void batches_halve(struct batches *batches);

static inline void batches_add(struct batches *batches, double value) {
    batches->sum += value;
    if (++batches->in == batches->size) {
        batches->mean[batches->count++] = batches->sum / (double)batches->size;
        batches->sum = 0.0;
        batches->in = 0;
        if (batches->count == BATCHES_MAX) {
            batches_halve(batches);
        }
    }
}

/* Appends "from", whose values came after those of "into". Values that do not fill a batch are left out. */
void batches_merge(struct batches *into, const struct batches *from);

/* Student's t of the difference of means, after less before: of the pairs of batches where both have as many of one
 * size, else Welch's. INFINITY where they differ and none of them varies, NAN where there are too few. */
double batches_t(const struct batches *before, const struct batches *after);

#endif
