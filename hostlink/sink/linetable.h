/* SPDX-License-Identifier: MIT */
/* Samples by function, by line of the source and by instruction. Memory grows with the number of addresses. */
#ifndef HOSTLINK_LINETABLE_H
#define HOSTLINK_LINETABLE_H

#include <stdio.h>

#include "base/keytable.h"
#include "model/event.h"

#define LINETABLE_PLACES_MAX (1u << 20)

/* An instruction that samples met. */
struct linetable_place {
    uint64_t address; /* plus 1, as look-ups take return addresses */
    const struct symbols *symbols;
    uint64_t samples;
    const struct code_line *line; /* NULL: not known */
    uint64_t start, bytes;        /* of the function's code, 0: not known */
};

/* All zero is empty. */
struct linetable {
    struct keytable numbers; /* of places, by address and symbols */
    struct linetable_place *places;
    uint32_t count, capacity;
    uint64_t samples, missed;
    uint64_t nowhere; /* without an address, or beyond LINETABLE_PLACES_MAX */
};

/* Returns the text of a file, valid until the next call, or NULL with the reason in "*why". */
typedef const char *linetable_source(void *context, const char *file, size_t *length,
                                     const char **why);

/* Takes any event. 0 or -ENOMEM. */
int linetable_event(struct linetable *table, const struct event *event);
/* Looks up all places, and brings them into order: by file, line and address. */
void linetable_settle(struct linetable *table);
/* Prints a settled table: functions first, then each file with its lines. Returns 0 or -ENOMEM. */
int linetable_print(const struct linetable *table, linetable_source *source, void *context,
                    FILE *out);
/* The rows of functions and lines. */
int linetable_csv(const struct linetable *table, FILE *out);
void linetable_free(struct linetable *table);

/* A function that samples met: of its machine code, where that is known. */
struct linetable_function {
    const char *name, *file;
    uint64_t samples, start, bytes;
};
/* By falling number of samples, for free(); NULL: no memory. */
struct linetable_function *linetable_functions(const struct linetable *table, size_t *count);
/* Samples that met the "bytes" of code from "address" on. */
uint64_t linetable_samples_at(const struct linetable *table, uint64_t address, uint64_t bytes);
double linetable_percent(const struct linetable *table, uint64_t samples);

#endif
