/* SPDX-License-Identifier: MIT */
#include "sink/memorytable.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/join.h"
#include "sink/view.h"

#define NAME_BYTES 1600u

/* Returns one pool for equal names of a board. NULL: memory is short. */
static struct memory_pool *pool_of(struct memorytable *m, const struct event *event) {
    char full[NAME_BYTES];
    const struct event_board *board = event->track->board;
    const char *name = event->site->name;
    if (board) {
        join(full, sizeof full, (const char *const[]){board->name, "/", name, NULL});
        name = full;
    }
    const int64_t number = keytable_add(&m->names, name, strlen(name));
    if (number < 0 || (uint64_t)number < m->count) {
        return number < 0 ? NULL : &m->pools[number];
    }
    if (!grow(&m->pools, &m->capacity, m->count, sizeof *m->pools)) {
        return NULL;
    }
    char *const kept = board ? strdup(full) : NULL;
    if (board && !kept) {
        return NULL;
    }
    m->pools[m->count] = (struct memory_pool){
        .name = kept ? kept : name, .full = kept, .board = board, .batches.size = 1};
    return &m->pools[m->count++];
}

static void note_most(struct memory_pool *pool, int64_t time_ns) {
    if (pool->live_bytes > pool->most_bytes) {
        pool->most_bytes = pool->live_bytes;
        pool->most_at_ns = time_ns;
    }
}

static void take_alloc(struct memorytable *m, struct memory_pool *pool, const struct event *event,
                       bool counts) {
    pool->allocs += counts;
    pool->bytes += counts ? event->u.memory.bytes : 0;
    if (liveset_add(&m->live, (uint32_t)(pool - m->pools), event->u.memory.address, 1)) {
        pool->live++;
        pool->live_bytes += event->u.memory.unkept ? 0 : event->u.memory.bytes;
    }
    if (counts) {
        pool->live_sum += (double)pool->live_bytes;
        batches_add(&pool->batches, (double)pool->live_bytes);
        note_most(pool, event->time_ns);
    }
}

static void take_free(struct memorytable *m, struct memory_pool *pool, const struct event *event,
                      bool counts) {
    const bool known =
        liveset_remove(&m->live, (uint32_t)(pool - m->pools), event->u.memory.address) != 0;
    if (counts) { /* blocks live at the begin of a part count, too */
        note_most(pool, event->time_ns);
    }
    pool->again += counts && event->u.memory.repaired;
    pool->frees += counts && !event->u.memory.repaired;
    pool->unknown += counts && !known;
    if (known) {
        pool->live--;
        pool->live_bytes -= event->u.memory.bytes;
    }
}

/* The bytes live at the begin of a part are its first maximum. */
static void begin_part(struct memorytable *m, struct memory_pool *pool, int64_t time_ns) {
    const struct selection_end *from = m->selection ? &m->selection->from : NULL;
    if (from && from->is != SELECTION_NONE && time_ns < from->time_ns) {
        pool->most_bytes = pool->live_bytes;
        pool->most_at_ns = from->time_ns;
    }
}

static void end_session(struct memorytable *m, const struct event *event) {
    for (uint32_t i = 0; i < m->count; i++) {
        struct memory_pool *pool = &m->pools[i];
        if (event_board_number(pool->board) == event_board_number(event->u.session.board)) {
            liveset_forget(&m->live, i);
            pool->live = pool->live_bytes = 0;
            begin_part(m, pool, event->time_ns);
        }
    }
}

int memorytable_event(struct memorytable *m, const struct event *event) {
    if (m->selection && selection_is_over(m->selection, event->time_ns)) {
        return 0;
    }
    if (event_ends_session(event)) {
        end_session(m, event);
    }
    if (event->kind != EVENT_ALLOC && event->kind != EVENT_FREE) {
        return 0;
    }
    struct memory_pool *pool = pool_of(m, event);
    if (!pool) {
        return -ENOMEM;
    }
    const bool counts = !m->selection || selection_takes(m->selection, event);
    if (event->kind == EVENT_ALLOC) {
        take_alloc(m, pool, event, counts);
    } else {
        take_free(m, pool, event, counts);
    }
    begin_part(m, pool, event->time_ns);
    return 0;
}

static void put(struct table *t, const struct memory_pool *pool) {
    table_row(t, TABLE_ALL);
    table_text(t, pool->name);
    table_number(t, pool->allocs);
    table_number(t, pool->frees);
    table_number(t, pool->bytes);
    table_number(t, pool->live);
    table_number(t, pool->live_bytes);
    table_number(t, pool->most_bytes);
    table_integer(t, pool->most_at_ns);
    table_number(t, pool->again);
    table_number(t, pool->unknown);
}

static int write(void *state, struct table_to *to) {
    static const struct table_column columns[] = {
        {"name", "pool", TABLE_NAME, 0, 32, 0},
        {"allocs", "allocs", TABLE_COUNT, 9, 0, 0},
        {"frees", "frees", TABLE_COUNT, 9, 0, 0},
        {"bytes", "bytes", TABLE_BYTES, 9, 0, 0},
        {"live", "live", TABLE_COUNT, 9, 0, 0},
        {"live_bytes", "bytes", TABLE_BYTES, 9, 0, 0},
        {"most_bytes", "most", TABLE_BYTES, 9, 0, 0},
        {"most_at_ns", "at", TABLE_AT, 0, 0, 0},
        {"allocated_again", "again", TABLE_COUNT, 0, 0, 0},
        {"unknown_frees", "unknown", TABLE_COUNT, 0, 0, 0},
    };
    const struct memorytable *m = state;
    struct table t;
    uint64_t live = 0;
    table_begin(&t, to, "memory", NULL, 0);
    table_columns(&t, columns, sizeof columns / sizeof *columns);
    for (uint32_t i = 0; i < m->count; i++) {
        put(&t, &m->pools[i]);
        live += m->pools[i].live;
    }
    if (to->form == TABLE_TEXT && live > 0) {
        const int64_t shown = table_end(&t);
        fprintf(to->text, "not freed at the end: %" PRIu64 "; --stacks shows where they are from\n",
                live);
        return shown < 0 ? (int)shown : 0;
    }
    return table_end_or(&t, "no allocation was seen");
}

void memorytable_free(struct memorytable *m) {
    for (uint32_t i = 0; i < m->count; i++) {
        free(m->pools[i].full);
    }
    free(m->pools);
    keytable_free(&m->names);
    liveset_free(&m->live);
    *m = (struct memorytable){0};
}

static void *make(const struct view_options *options) {
    struct memorytable *m = calloc(1, sizeof *m);
    if (m) {
        m->selection = options->selection;
    }
    return m;
}

static int take(void *state, const struct event *event) { return memorytable_event(state, event); }

static void drop(void *state) {
    memorytable_free(state);
    free(state);
}

const struct view view_memory = {.option = "memory",
                                 .make = make,
                                 .event = take,
                                 .write = write,
                                 .free = drop,
                                 .whole = true,
                                 .in_report = true};
