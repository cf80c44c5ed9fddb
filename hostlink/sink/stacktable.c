/* SPDX-License-Identifier: MIT */
#include "sink/profile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/utf8.h"
#include "sink/paths.h"

#define ROWS_FOR_PEOPLE 30u

enum of_stacks { CALLERS, CALLEES, SITES, TABLES };

/* A line of a table, of all nodes with the same name, other name and path. */
struct row {
    uint64_t count, total_ns, self_ns, frees, bytes, live, live_bytes;
};

struct key {
    uint32_t name, other, path;
};

struct rows {
    const struct profile *profile;
    struct paths paths;
    struct keytable keys; /* struct key */
    struct row *list;
    uint32_t capacity;
};

static void rows_free(struct rows *rows) {
    paths_free(&rows->paths);
    keytable_free(&rows->keys);
    free(rows->list);
}

/* ---- making rows ---- */

/* Functions with file and line, as there may be several calls in one; zones in quotes. */
static bool name_step(struct paths *paths, const struct profile_step *step) {
    char clean[600], text[900];
    const char *slash = strrchr(step->file, '/');
    utf8_clean(clean, sizeof clean, step->name, strlen(step->name));
    int length = snprintf(text, sizeof text, step->kind == PROFILE_CALL ? "%s" : "'%s'", clean);
    if (step->kind == PROFILE_CALL && step->line != 0) {
        utf8_clean(clean, 200, slash ? slash + 1 : step->file,
                   strlen(slash ? slash + 1 : step->file));
        length += snprintf(text + length, sizeof text - (size_t)length, " (%s:%" PRIu32 ")", clean,
                           step->line);
    }
    return paths_put(paths, text, (size_t)length);
}

/* NULL when memory is short. */
static struct row *row_of(struct rows *rows, const char *name, const char *other, uint32_t path) {
    const int64_t first = paths_name(&rows->paths, name), second = paths_name(&rows->paths, other);
    const struct key key = {(uint32_t)first, (uint32_t)second, path};
    if (first < 0 || second < 0) {
        return NULL;
    }
    if (!grow(&rows->list, &rows->capacity, rows->keys.count, sizeof *rows->list)) {
        return NULL;
    }
    const uint32_t before = rows->keys.count;
    const int64_t number = keytable_add(&rows->keys, &key, sizeof key);
    if (number < 0) {
        return NULL;
    }
    if (rows->keys.count > before) {
        rows->list[number] = (struct row){0};
    }
    return &rows->list[number];
}

static uint32_t zone_around(const struct profile *profile, uint32_t number) {
    do {
        number = profile->nodes[number].parent;
    } while (number != PROFILE_NONE && profile->nodes[number].kind != PROFILE_ZONE);
    return number;
}

static bool add_zone(struct rows *rows, uint32_t number, enum of_stacks table) {
    const struct profile_node *node = &rows->profile->nodes[number];
    const uint32_t around = zone_around(rows->profile, number);
    if (node->kind != PROFILE_ZONE || node->zones == 0 ||
        (table == CALLEES && around == PROFILE_NONE)) {
        return true;
    }
    const char *name = node->of.site->name;
    const char *outer = around != PROFILE_NONE ? rows->profile->nodes[around].of.site->name : "";
    struct row *row = table == CALLEES ? row_of(rows, outer, name, PATHS_NONE)
                                       : row_of(rows, name, "", rows->paths.of[node->parent]);
    if (row != NULL) {
        row->count += node->zones;
        row->total_ns += node->total_ns;
        row->self_ns += node->self_ns;
    }
    return row != NULL;
}

static bool add_site(struct rows *rows, uint32_t number) {
    const struct profile_node *node = &rows->profile->nodes[number];
    if (node->allocs == 0) {
        return true;
    }
    const char *pool = rows->profile->nodes[node->root].of.site->name;
    struct row *row = row_of(rows, pool, "", rows->paths.of[number]);
    if (row != NULL) {
        row->count += node->allocs;
        row->frees += node->frees;
        row->bytes += node->alloc_bytes;
        row->live += node->live;
        row->live_bytes += node->live_bytes;
    }
    return row != NULL;
}

static bool make(struct rows *rows, const struct profile *profile, enum of_stacks table) {
    *rows = (struct rows){.profile = profile};
    if (!paths_make(&rows->paths, profile, true, name_step)) {
        return false;
    }
    for (uint32_t i = 0; i < profile->count; i++) {
        if (!(table == SITES ? add_site(rows, i) : add_zone(rows, i, table))) {
            return false;
        }
    }
    return true;
}

struct texts {
    const char *name, *other, *path;
};

/* The texts of one row; "path" is valid until the next call, and NULL when memory is short. */
static struct texts texts_of(struct rows *rows, uint32_t number) {
    struct key key;
    memcpy(&key, rows->keys.bytes + rows->keys.entries[number].offset, sizeof key);
    return (struct texts){paths_text(&rows->paths, key.name), paths_text(&rows->paths, key.other),
                          paths_inward_out(&rows->paths, key.path, " < ")};
}

/* ---- sorting ---- */

struct ranked {
    uint64_t amount;
    uint32_t number;
};

static int by_amount(const void *left, const void *right) {
    const struct ranked *a = left, *b = right;
    if (a->amount != b->amount) {
        return a->amount > b->amount ? -1 : 1;
    }
    return a->number < b->number ? -1 : 1;
}

typedef uint64_t amount_of(const struct row *row);
static uint64_t total_of(const struct row *row) { return row->total_ns; }
static uint64_t bytes_of(const struct row *row) { return row->bytes; }
static uint64_t live_of(const struct row *row) { return row->live_bytes; }

/* The numbers of the rows, the largest amount first; without "all", rows of amount 0 are left out. */
static struct ranked *rank(const struct rows *rows, amount_of *amount, bool all, uint32_t *count) {
    struct ranked *ranked = malloc((rows->keys.count + 1) * sizeof *ranked);
    *count = 0;
    for (uint32_t i = 0; ranked != NULL && i < rows->keys.count; i++) {
        const uint64_t value = amount(&rows->list[i]);
        if (all || value != 0) {
            ranked[(*count)++] = (struct ranked){value, i};
        }
    }
    if (ranked != NULL) {
        qsort(ranked, *count, sizeof *ranked, by_amount);
    }
    return ranked;
}

/* ---- for people ---- */

static void put_zone(struct table *t, const struct row *row, const struct texts *texts) {
    table_number(t, row->count);
    table_number(t, row->total_ns);
    table_number(t, row->self_ns);
    table_text(t, texts->name);
    table_text(t, texts->other[0] != '\0'  ? texts->other
                  : texts->path[0] != '\0' ? texts->path
                                           : "-");
}

static void put_site(struct table *t, const struct row *row, const struct texts *texts) {
    table_number(t, row->count);
    table_number(t, row->bytes);
    table_number(t, row->live);
    table_number(t, row->live_bytes);
    table_text(t, texts->name);
    table_text(t, texts->path[0] != '\0' ? texts->path : "-");
}

struct shape {
    const char *title;
    amount_of *amount;
    bool all; /* those of no amount too */
    void (*put)(struct table *t, const struct row *row, const struct texts *texts);
    const struct table_column *columns;
    size_t column_count;
    const char *path; /* the head of the last column */
};

static const struct table_column zone_columns[] = {
    {NULL, "count", TABLE_COUNT, 9, 0, 0},
    {NULL, "total", TABLE_TIME, 9, 0, 0},
    {NULL, "self", TABLE_TIME, 9, 0, 0},
    {NULL, "zone", TABLE_NAME, 20, 0, 0},
};
static const struct table_column site_columns[] = {
    {NULL, "allocs", TABLE_COUNT, 9, 0, 0}, {NULL, "bytes", TABLE_BYTES, 9, 0, 0},
    {NULL, "live", TABLE_COUNT, 9, 0, 0},   {NULL, "bytes", TABLE_BYTES, 9, 0, 0},
    {NULL, "pool", TABLE_NAME, 12, 0, 0},
};

static const struct shape shapes[] = {
    {"Zones by caller", total_of, true, put_zone, zone_columns, 4, "called from"},
    {"Zones by callee", total_of, true, put_zone, zone_columns, 4, "inside it"},
    {"Memory by allocation site", bytes_of, true, put_site, site_columns, 5, "allocated from"},
    {"Memory that was not freed at the end", live_of, false, put_site, site_columns, 5,
     "allocated from"},
};

static int64_t print_table(struct rows *rows, const struct shape *shape, struct table_to *to) {
    struct table t;
    uint32_t count;
    struct ranked *ranked = rank(rows, shape->amount, shape->all, &count);
    if (ranked == NULL) {
        return -ENOMEM;
    }
    table_begin(&t, to, "stacks", shape->title, ROWS_FOR_PEOPLE);
    const struct table_column path = {.head = shape->path, .unit = TABLE_NAME};
    table_columns(&t, shape->columns, shape->column_count);
    table_columns(&t, &path, 1);
    bool good = true;
    for (uint32_t i = 0; good && i < count; i++) {
        const struct texts texts = texts_of(rows, ranked[i].number);
        good = texts.path != NULL;
        if (good) {
            table_row(&t, TABLE_TEXT);
            shape->put(&t, &rows->list[ranked[i].number], &texts);
        }
    }
    const int64_t shown = table_end(&t);
    free(ranked);
    if (shown > 0) {
        fputc('\n', to->text);
    }
    return good ? shown : -ENOMEM;
}

static int print_tables(const struct profile *profile, struct table_to *to) {
    int64_t shown = 0;
    for (unsigned table = 0; table < TABLES && shown >= 0; table++) {
        struct rows rows;
        shown = make(&rows, profile, (enum of_stacks)table) ? print_table(&rows, &shapes[table], to)
                                                            : -ENOMEM;
        shown = table == SITES && shown >= 0 ? print_table(&rows, &shapes[TABLES], to) : shown;
        rows_free(&rows);
    }
    if (profile->count == 0) {
        fputs("no zone and no allocation was seen\n", to->text);
    }
    if (profile->beyond != 0) {
        fprintf(
            to->text,
            "%" PRIu64
            " events had no row of their own in the tables: they count in the row around them\n",
            profile->beyond);
    }
    return shown < 0 ? (int)shown : 0;
}

/* ---- for programs ---- */

static bool put_rows(struct table *t, struct rows *rows, const struct ranked *ranked,
                     uint32_t count, const char *word) {
    for (uint32_t i = 0; i < count; i++) {
        const struct row *row = &rows->list[ranked[i].number];
        const struct texts texts = texts_of(rows, ranked[i].number);
        if (texts.path == NULL) {
            return false;
        }
        table_row(t, TABLE_DATA);
        table_text(t, word);
        table_text(t, texts.name);
        table_text(t, texts.other);
        table_text(t, texts.path);
        const uint64_t numbers[] = {row->count, row->total_ns, row->self_ns,   row->frees,
                                    row->bytes, row->live,     row->live_bytes};
        for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) {
            table_number(t, numbers[n]);
        }
    }
    return true;
}

/* All in one, so that a file of CSV is one table. */
static int write_all(const struct profile *profile, struct table_to *to) {
    static const char *const words[TABLES] = {"caller", "callee", "allocation"};
    static const struct table_column columns[] = {
        {"table", NULL, TABLE_NAME, 0, 0, 0},       {"name", NULL, TABLE_NAME, 0, 0, 0},
        {"inside", NULL, TABLE_NAME, 0, 0, 0},      {"stack", NULL, TABLE_NAME, 0, 0, 0},
        {"count", NULL, TABLE_COUNT, 0, 0, 0},      {"total_ns", NULL, TABLE_TIME, 0, 0, 0},
        {"self_ns", NULL, TABLE_TIME, 0, 0, 0},     {"frees", NULL, TABLE_COUNT, 0, 0, 0},
        {"bytes", NULL, TABLE_BYTES, 0, 0, 0},      {"live", NULL, TABLE_COUNT, 0, 0, 0},
        {"live_bytes", NULL, TABLE_BYTES, 0, 0, 0},
    };
    struct table t;
    bool good = true;
    table_begin(&t, to, "stacks", NULL, 0);
    table_columns(&t, columns, sizeof columns / sizeof *columns);
    for (unsigned table = 0; table < TABLES && good; table++) {
        struct rows rows;
        uint32_t count = 0;
        struct ranked *ranked = NULL;
        good = make(&rows, profile, (enum of_stacks)table) &&
               (ranked = rank(&rows, shapes[table].amount, true, &count)) != NULL &&
               put_rows(&t, &rows, ranked, count, words[table]);
        free(ranked);
        rows_free(&rows);
    }
    const int64_t shown = table_end(&t);
    return good && shown >= 0 ? 0 : -ENOMEM;
}

int stacktable_write(const struct profile *profile, struct table_to *to) {
    return to->form == TABLE_TEXT ? print_tables(profile, to) : write_all(profile, to);
}
