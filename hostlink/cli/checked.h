/* SPDX-License-Identifier: MIT */
/* The results of a check, a limit each, and the forms that they are written in. */
#ifndef HOSTLINK_CHECKED_H
#define HOSTLINK_CHECKED_H

#include "cli/budget.h"
#include "sink/table.h"

struct checked_one {
    const struct budget_limit *limit;
    const struct measure *row; /* NULL: losses, the ring, or an unknown name */
    double measured;
    bool missing, exceeded;
};

/* All zero is empty. */
struct checked {
    struct checked_one *list;
    uint32_t count, capacity, exceeded;
};

/* 0 or -ENOMEM. */
int checked_add(struct checked *checked, const struct budget_limit *limit,
                const struct measure *row, double measured);
int checked_add_missing(struct checked *checked, const struct budget_limit *limit);
void checked_free(struct checked *checked);

/* The name that the result is about, "" if its kind has no names. */
const char *checked_name(const struct checked_one *one);
/* "measured 1.2 ms, limit 1 ms, worst at 0.123 s on high". */
#define CHECKED_SENTENCE_BYTES 400u
void checked_sentence(const struct checked_one *one, char text[CHECKED_SENTENCE_BYTES]);

/* For people, as CSV or as a document of JSON. 0 or -ENOMEM. */
int checked_table(const struct checked *checked, struct table_to *to);
/* GitHub shows ten annotations of a step. */
#define CHECKED_ANNOTATIONS 10u
void checked_annotations(const struct checked *checked, const char *budget, FILE *out);
/* Appends a table in Markdown to the file; NULL: no file. False, with a message, if it cannot. */
bool checked_summary(const struct checked *checked, const char *path);
/* False, with a message, if it cannot be written. */
bool checked_junit(const struct checked *checked, const char *capture, const char *path);

#endif
