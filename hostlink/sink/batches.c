/* SPDX-License-Identifier: MIT */
#include "sink/batches.h"

#include <math.h>

#define FEW 8u

void batches_halve(struct batches *b) {
    for (uint32_t i = 0; i + 1 < b->count; i += 2) {
        b->mean[i / 2] = (b->mean[i] + b->mean[i + 1]) / 2.0;
    }
    if (b->count % 2 != 0) { /* half of a batch */
        b->sum += b->mean[b->count - 1] * (double)b->size;
        b->in += b->size;
    }
    b->count /= 2;
    b->size *= 2;
}

void batches_merge(struct batches *into, const struct batches *from) {
    struct batches other = *from;
    while (into->size < other.size) {
        batches_halve(into);
    }
    while (other.size < into->size) {
        batches_halve(&other);
    }
    if (into->count + other.count >= BATCHES_MAX) {
        batches_halve(into);
        batches_halve(&other);
    }
    for (uint32_t i = 0; i < other.count; i++) {
        into->mean[into->count++] = other.mean[i];
    }
}

struct moments {
    double mean, variance;
};

static struct moments moments_of(const double *values, uint32_t count) {
    struct moments m = {0};
    for (uint32_t i = 0; i < count; i++) {
        m.mean += values[i] / count;
    }
    for (uint32_t i = 0; i < count; i++) {
        m.variance += (values[i] - m.mean) * (values[i] - m.mean) / (count - 1);
    }
    return m;
}

static double t_of(double difference, double variance_of_mean) {
    return difference == 0.0        ? 0.0
           : variance_of_mean > 0.0 ? difference / sqrt(variance_of_mean)
                                    : copysign((double)INFINITY, difference);
}

double batches_t(const struct batches *before, const struct batches *after) {
    double differences[BATCHES_MAX];
    if (before->count < FEW || after->count < FEW) {
        return (double)NAN;
    }
    if (before->count == after->count && before->size == after->size) {
        for (uint32_t i = 0; i < before->count; i++) {
            differences[i] = after->mean[i] - before->mean[i];
        }
        const struct moments m = moments_of(differences, before->count);
        return t_of(m.mean, m.variance / before->count);
    }
    const struct moments a = moments_of(before->mean, before->count);
    const struct moments b = moments_of(after->mean, after->count);
    return t_of(b.mean - a.mean, a.variance / before->count + b.variance / after->count);
}
