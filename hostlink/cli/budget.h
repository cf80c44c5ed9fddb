/* SPDX-License-Identifier: MIT */
/* Budgets: limits for a firmware, in a file that a person writes. Each line names a kind, mostly a name or a
 * pattern of names, and limits with their values:
 *
 *     zone "control loop"  max 2 ms  p99 1.5 ms
 *     lock *               wait-max 500 us
 *     loss                 count 0
 */
#ifndef HOSTLINK_BUDGET_H
#define HOSTLINK_BUDGET_H

#include <stdio.h>

#include "sink/measures.h"
#include "trace/pipeline.h"

enum budget_unit { BUDGET_TIME, BUDGET_PERCENT, BUDGET_COUNT, BUDGET_VALUE };

enum budget_value {
    BUDGET_MOST,
    BUDGET_LEAST, /* the one that must not be undercut */
    BUDGET_P99,
    BUDGET_MEAN,
    BUDGET_HOW_MANY,
    BUDGET_SHARE
};

/* A word of the file, and the value it limits. */
struct budget_word {
    const char *kind, *word;
    int of; /* enum measure_of; or one of the next two */
    enum budget_value value;
    enum budget_unit unit;
};
#define BUDGET_LOSS 100
#define BUDGET_RING 101
/* Ended by one without a kind. */
extern const struct budget_word budget_words[];

struct budget_limit {
    const struct budget_word *word;
    char *name; /* a pattern, NULL: the kind has no names */
    unsigned line;
    double limit; /* ns, percent or the number itself */
};

/* All zero is empty. */
struct budget {
    const char *path;
    struct budget_limit *limits;
    uint32_t count, capacity;
};

/* Reads the file. Returns EXIT_OK, or reports the error with file and line and returns EXIT_SOURCE, EXIT_USAGE or
 * EXIT_OUTPUT. */
int budget_read(struct budget *budget, const char *path);
void budget_free(struct budget *budget);

/* Writes a first budget: the measured values of a capture plus a fifth. */
void budget_write(const struct measures *measures, const struct pipeline_totals *totals, FILE *out);

/* The measured value of a word. "row" is NULL for losses and the ring. */
double budget_measured(const struct budget_word *word, const struct measures *measures,
                       const struct measure *row, const struct pipeline_totals *totals);
/* "1.5 ms", "12 %": returns "text". */
#define BUDGET_TEXT_BYTES 48u
char *budget_text(char text[BUDGET_TEXT_BYTES], enum budget_unit unit, double value);

#endif
