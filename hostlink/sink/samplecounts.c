/* SPDX-License-Identifier: MIT */
#include "sink/samplecounts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_FUNCTION "(no address)"

static int64_t row_of(struct samplecounts *c, const char *name) {
    const int64_t number = keytable_add(&c->names, name, strlen(name) + 1);
    if (number < 0 || (uint64_t)number < c->capacity) {
        return number;
    }
    const uint32_t capacity = c->capacity * 2 + 32;
    struct samplecount *rows = realloc(c->rows, capacity * sizeof *rows);
    if (!rows) {
        return -ENOMEM;
    }
    memset(rows + c->capacity, 0, (capacity - c->capacity) * sizeof *rows);
    c->rows = rows;
    c->capacity = capacity;
    return number;
}

/* An address has its name looked up once. */
static int64_t row_at(struct samplecounts *c, const struct callstack *stack) {
    if (!stack || stack->count == 0) {
        return row_of(c, NO_FUNCTION);
    }
    const uint64_t address = stack->address[0];
    const uint32_t known = intmap_get(&c->known, address);
    if (known != 0) {
        return known - 1;
    }
    const struct code_place *place = symbols_find(stack->symbols, address);
    char hex[20];
    (void)snprintf(hex, sizeof hex, "0x%" PRIx64, address);
    const bool named = place && place->lines[0].function[0] != '\0';
    const int64_t row = row_of(c, named ? place->lines[0].function : hex);
    return row < 0 || intmap_add(&c->known, address, (uint32_t)row + 1) == 0 ? row : -ENOMEM;
}

/* Half as many batches of twice the size. */
static void halve(struct samplecounts *c) {
    for (uint32_t i = 0; i < c->names.count; i++) {
        uint32_t *in = c->rows[i].in;
        for (uint32_t to = 0; to < BATCHES_MAX; to++) {
            in[to] = to < BATCHES_MAX / 2 ? in[2 * to] + in[2 * to + 1] : 0;
        }
    }
    c->count /= 2;
    c->size *= 2;
}

int samplecounts_event(struct samplecounts *c, const struct event *event) {
    const int64_t row = event->kind == EVENT_SAMPLE ? row_at(c, event->stack) : -1;
    if (event->kind != EVENT_SAMPLE || row < 0) {
        return event->kind == EVENT_SAMPLE ? (int)row : 0;
    }
    c->rows[row].samples++;
    c->rows[row].in[c->count]++;
    c->samples++;
    if (++c->in == c->size) {
        c->in = 0;
        if (++c->count == BATCHES_MAX) {
            halve(c);
        }
    }
    return 0;
}

const char *samplecounts_name(const struct samplecounts *c, uint32_t row) {
    return (const char *)c->names.bytes + c->names.entries[row].offset;
}

int64_t samplecounts_find(const struct samplecounts *c, const char *name) {
    return keytable_find(&c->names, name, strlen(name) + 1);
}

struct batches samplecounts_shares(const struct samplecounts *c, uint32_t row) {
    struct batches batches = {.size = c->size, .count = c->count};
    for (uint32_t i = 0; i < c->count; i++) {
        batches.mean[i] = 100.0 * c->rows[row].in[i] / c->size;
    }
    return batches;
}

double samplecounts_percent(const struct samplecounts *c, uint32_t row) {
    return 100.0 * (double)c->rows[row].samples / (double)c->samples;
}

void samplecounts_free(struct samplecounts *c) {
    keytable_free(&c->names);
    intmap_free(&c->known);
    free(c->rows);
    *c = (struct samplecounts){0};
}
