/* SPDX-License-Identifier: MIT */
/* Two captures side by side: zones, frames, tasks, interrupts and locks by name, memory and
 * samples, and which differ by more than chance. */
#ifndef HOSTLINK_COMPARETABLE_H
#define HOSTLINK_COMPARETABLE_H

#include "base/intmap.h"
#include "base/keytable.h"
#include "model/event.h"
#include "sink/batches.h"
#include "sink/measures.h"
#include "sink/memorytable.h"
#include "sink/table.h"

/* Samples by the function that each met, in at most BATCHES_MAX batches of equally many samples: enough to tell whether
 * a function has another share in another run. Memory grows with functions and addresses. */
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

/* The measurements of a capture that is compared with another. */
struct compared {
    struct selection *part;
    struct measures measures;
    struct memorytable memory;
    struct samplecounts samples;
};

/* "part" of the capture, NULL: all of it. */
void compared_init(struct compared *compared, struct selection *part);
/* Any event. 0 or -ENOMEM, as for the next. */
int compared_event(struct compared *compared, const struct event *event);
/* After the last event. 0 or -ENOMEM. */
int compared_settle(struct compared *compared);
void compared_free(struct compared *compared);

/* Student's t from which on a difference is no chance: with the 15 and more batches of a long series less than one in
 * 5000 goes so far by itself. */
#define COMPARE_T 5.0

enum { COMPARE_TIMES = 1, COMPARE_MEMORY = 2, COMPARE_SAMPLES = 4, COMPARE_ALL = 7 };

/* The tables that are "wanted", of captures that are settled. "percent": smaller differences of means, and smaller ones
 * in points of shares of samples, are not shown to people. Of memory the mean is that of live bytes after each
 * allocation. 0 or -ENOMEM. */
int comparetable_write(const struct compared *before, const struct compared *after, double percent,
                       unsigned wanted, struct table_to *to);

#endif
