/* SPDX-License-Identifier: MIT */
#include "sink/profile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

#define ROWS_FOR_PEOPLE 30u
#define NO_FUNCTION "(no address)"

/* A function. */
struct row {
    uint64_t samples; /* that met it */
    uint64_t all;     /* the same, and those that met what it called */
    uint32_t node;    /* + 1: the last one whose samples are in "all" */
};

struct rows {
    struct keytable keys; /* name, NUL, file, NUL */
    struct row *list;
    uint32_t capacity;
    char *key;
    size_t key_size;
    uint32_t node; /* + 1: whose path is walked */
    uint64_t samples;
    uint32_t last; /* function of the path */
};

static void rows_free(struct rows *rows) {
    keytable_free(&rows->keys);
    free(rows->list);
    free(rows->key);
}

static bool make_key(struct rows *rows, const char *name, const char *file, size_t *length) {
    const size_t first = strlen(name) + 1, second = strlen(file) + 1;
    if (first + second > rows->key_size) {
        char *key = realloc(rows->key, first + second);
        if (key == NULL) {
            return false;
        }
        rows->key = key;
        rows->key_size = first + second;
    }
    memcpy(rows->key, name, first);
    memcpy(rows->key + first, file, second);
    *length = first + second;
    return true;
}

static struct row *row_of(struct rows *rows, const char *name, const char *file) {
    size_t length;
    if (!grow(&rows->list, &rows->capacity, rows->keys.count, sizeof *rows->list)) {
        return NULL;
    }
    const uint32_t before = rows->keys.count;
    const int64_t number =
        make_key(rows, name, file, &length) ? keytable_add(&rows->keys, rows->key, length) : -1;
    if (number < 0) {
        return NULL;
    }
    if (rows->keys.count > before) {
        rows->list[number] = (struct row){0};
    }
    rows->last = (uint32_t)number;
    return &rows->list[number];
}

/* A function that calls itself counts once. */
static bool take_function(struct rows *rows, const char *name, const char *file) {
    struct row *row = row_of(rows, name, file);
    if (row == NULL) {
        return false;
    }
    row->all += row->node != rows->node ? rows->samples : 0;
    row->node = rows->node;
    return true;
}

static bool take_step(void *context, const struct profile_step *step) {
    return step->kind != PROFILE_CALL || take_function(context, step->name, step->file);
}

static bool make(struct rows *rows, const struct profile *profile) {
    *rows = (struct rows){0};
    for (uint32_t i = 0; i < profile->count; i++) {
        const struct profile_node *node = &profile->nodes[i];
        rows->node = i + 1;
        rows->samples = node->samples;
        if (node->samples == 0) {
            continue;
        }
        if (node->kind == PROFILE_CALL ? !profile_path(profile, i, rows, take_step)
                                       : !take_function(rows, NO_FUNCTION, "")) {
            return false;
        }
        rows->list[rows->last].samples += node->samples;
    }
    return true;
}

/* ---- in order ---- */

struct ranked {
    uint64_t samples, all;
    uint32_t number;
};

static int by_samples(const void *left, const void *right) {
    const struct ranked *a = left, *b = right;
    if (a->samples != b->samples) {
        return a->samples > b->samples ? -1 : 1;
    }
    if (a->all != b->all) {
        return a->all > b->all ? -1 : 1;
    }
    return a->number < b->number ? -1 : 1;
}

static struct ranked *rank(const struct rows *rows) {
    struct ranked *ranked = malloc((rows->keys.count + 1) * sizeof *ranked);
    for (uint32_t i = 0; ranked != NULL && i < rows->keys.count; i++) {
        ranked[i] = (struct ranked){rows->list[i].samples, rows->list[i].all, i};
    }
    if (ranked != NULL) {
        qsort(ranked, rows->keys.count, sizeof *ranked, by_samples);
    }
    return ranked;
}

static const char *name_of(const struct rows *rows, uint32_t number) {
    return (const char *)rows->keys.bytes + rows->keys.entries[number].offset;
}

static double percent(uint64_t part, uint64_t whole) {
    return whole != 0 ? 100.0 * (double)part / (double)whole : 0.0;
}

/* ---- written ---- */

static void print_end(const struct profile *profile, FILE *out) {
    fprintf(out, "samples: %" PRIu64 " taken, %" PRIu64 " missed\n", profile->samples,
            profile->missed_samples);
    if (profile->missed_samples != 0) {
        fputs("missed: interrupts were masked then, or others came first; the code that ran "
              "meanwhile is not in the table\n",
              out);
    }
}

static void put(struct table *t, const struct rows *rows, const struct ranked *row,
                uint64_t whole) {
    const char *name = name_of(rows, row->number);
    table_row(t, TABLE_ALL);
    table_number(t, row->samples);
    table_real(t, percent(row->samples, whole));
    table_number(t, row->all);
    table_real(t, percent(row->all, whole));
    table_text(t, name);
    table_text(t, name);
    table_text(t, name + strlen(name) + 1);
    table_number(t, row->samples);
    table_real(t, percent(row->samples, whole));
    table_number(t, row->all);
    table_real(t, percent(row->all, whole));
}

static int64_t write(const struct profile *profile, const struct rows *rows,
                     const struct ranked *ranked, struct table_to *to) {
    static const struct table_column columns[] = {
        {NULL, "samples", TABLE_COUNT, 9, 0, 0},
        {NULL, "share", TABLE_PERCENT, 8, 0, 0},
        {NULL, "with calls", TABLE_COUNT, 9, 0, 0},
        {NULL, "share", TABLE_PERCENT, 8, 0, 0},
        {NULL, "function", TABLE_NAME, 0, 0, 0},
        {"function", NULL, TABLE_NAME, 0, 0, 0},
        {"file", NULL, TABLE_NAME, 0, 0, 0},
        {"samples", NULL, TABLE_COUNT, 0, 0, 0},
        {"percent", NULL, TABLE_PERCENT, 0, 0, 0},
        {"with_calls", NULL, TABLE_COUNT, 0, 0, 0},
        {"with_calls_percent", NULL, TABLE_PERCENT, 0, 0, 0},
    };
    struct table t;
    table_begin(&t, to, "samples", NULL, ROWS_FOR_PEOPLE);
    table_columns(&t, columns, sizeof columns / sizeof *columns);
    for (uint32_t i = 0; i < rows->keys.count; i++) {
        put(&t, rows, &ranked[i], profile->samples);
    }
    return table_end(&t);
}

int sampletable_write(const struct profile *profile, struct table_to *to) {
    struct rows rows;
    struct ranked *ranked = make(&rows, profile) ? rank(&rows) : NULL;
    const int64_t shown = ranked != NULL ? write(profile, &rows, ranked, to) : -ENOMEM;
    if (to->form == TABLE_TEXT) {
        if (shown == 0) {
            fputs("no sample was seen: the firmware takes them where it calls kymo_sample()\n",
                  to->text);
        }
        print_end(profile, to->text);
    }
    free(ranked);
    rows_free(&rows);
    return shown < 0 ? (int)shown : 0;
}
