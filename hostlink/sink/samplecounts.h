/* SPDX-License-Identifier: MIT */
/* Samples by the function that each met, in at most BATCHES_MAX batches of equally many samples: enough to tell whether
 * a function has another share in another run. Memory grows with functions and addresses. */
#ifndef HOSTLINK_SAMPLECOUNTS_H
#define HOSTLINK_SAMPLECOUNTS_H

#include "base/intmap.h"
#include "base/keytable.h"
#include "model/event.h"
#include "sink/batches.h"

struct samplecount {
    uint64_t samples;
    uint32_t in[BATCHES_MAX]; /* by batch; the last one is not full */
};

/* All zero but "size" = 1 is empty. */
struct samplecounts {
    struct keytable names; /* the number of a name is its row's */
    struct samplecount *rows;
    uint32_t capacity;
    struct intmap known; /* the row of an address, + 1 */
    uint64_t samples;
    uint32_t size, count, in; /* samples in a batch; batches that are full; samples of the next */
};

/* Any event. 0 or -ENOMEM. */
int samplecounts_event(struct samplecounts *counts, const struct event *event);
/* Ended by NUL. */
const char *samplecounts_name(const struct samplecounts *counts, uint32_t row);
/* The number of the row of that name, -1: none. */
int64_t samplecounts_find(const struct samplecounts *counts, const char *name);
/* Its share of each batch, in percent. */
struct batches samplecounts_shares(const struct samplecounts *counts, uint32_t row);
double samplecounts_percent(const struct samplecounts *counts, uint32_t row);
void samplecounts_free(struct samplecounts *counts);

#endif
