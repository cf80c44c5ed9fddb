/* SPDX-License-Identifier: MIT */
#include "sink/series.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "kymo/wire.h"

/* "session" is part of the key as well. */
static struct series *series_of(struct series_table *table, uint32_t session, const void *key,
                                size_t length) {
    if (!grow_zeroed(&table->rows, &table->capacity, table->keys.count, sizeof *table->rows)) {
        return NULL;
    }
    /* The next one is there before its key, so that each key has one. */
    struct series **next = &table->rows[table->keys.count];
    *next = *next ? *next : calloc(1, sizeof **next);
    const int64_t number = *next ? keytable_add(&table->keys, key, length) : -1;
    if (number < 0) {
        return NULL;
    }
    struct series *row = table->rows[number];
    row->number = (uint32_t)number;
    row->session = session;
    return row;
}

struct series *series_by_name(struct series_table *table, uint32_t session, enum series_kind kind,
                              const char *name) {
    uint32_t head[2] = {session, (uint32_t)kind};
    size_t length = strlen(name);
    char *key = malloc(sizeof head + length + 1);
    if (!key) {
        return NULL;
    }
    memcpy(key, head, sizeof head);
    memcpy(key + sizeof head, name, length);
    struct series *series = series_of(table, session, key, sizeof head + length);
    free(key);
    return series;
}

struct series *series_by_core(struct series_table *table, uint32_t session, enum series_kind kind,
                              uint32_t core) {
    uint32_t key[3] = {session, (uint32_t)kind, core};
    return series_of(table, session, key, sizeof key);
}

int64_t series_end_ns(const struct series *core, int64_t last_ns) {
    const struct track *track = core->run_count > 0 ? core->runs[0].track : core->resumes;
    return track ? event_board_end_ns(track->board, last_ns) : last_ns;
}

int64_t series_not_before(struct series *series, int64_t time_ns) {
    series->last_ns = time_ns > series->last_ns ? time_ns : series->last_ns;
    return series->last_ns;
}

uint32_t series_stay(const struct series *core, const struct track *track) {
    const bool interrupts = track->kind == KYMO_CONTEXT_INTERRUPT;
    for (uint32_t i = core->run_count; i > 0; i--) {
        if (core->runs[i - 1].track == track) {
            return i;
        }
    }
    return !interrupts                         ? 0
           : core->run_count < SERIES_RUNS_MAX ? core->run_count
                                               : SERIES_RUNS_MAX - 1;
}

uint32_t series_stay_without(struct series *core, const struct track *track) {
    uint32_t stay = 0;
    core->resumes = core->resumes == track ? NULL : core->resumes;
    while (stay < core->run_count && core->runs[stay].track != track) {
        stay++;
    }
    return stay;
}

void series_pool(struct series *pool, const struct event *event) {
    const uint64_t bytes = event->u.memory.unkept ? 0 : event->u.memory.bytes;
    /* Modulo 2^64 for any sizes from a board: each free subtracts the size that its block has added. */
    pool->live_bytes += event->kind == EVENT_ALLOC ? bytes : 0 - bytes;
}

void series_free(struct series_table *table) {
    for (uint32_t i = 0; i < table->capacity; i++) {
        free(table->rows[i]);
    }
    keytable_free(&table->keys);
    free(table->rows);
    *table = (struct series_table){0};
}
