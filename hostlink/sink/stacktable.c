#include "sink/stacktable.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "base/utf8.h"
#include "sink/csv_field.h"
#include "sink/paths.h"

enum table { CALLERS, CALLEES, SITES, TABLES };

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
    if (rows->keys.count == rows->capacity) {
        const uint32_t capacity = rows->capacity == 0 ? 64 : rows->capacity * 2;
        struct row *list = realloc(rows->list, capacity * sizeof *list);
        if (list == NULL) {
            return NULL;
        }
        rows->list = list;
        rows->capacity = capacity;
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

static bool add_zone(struct rows *rows, uint32_t number, enum table table) {
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

static bool make(struct rows *rows, const struct profile *profile, enum table table) {
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

/* Of one row; "path" is valid until the next call, and NULL when memory is short. */
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

/* Their numbers, the largest first; those of nothing are left out where "all" is false. */
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

static bool print_zone(struct rows *rows, uint32_t number, FILE *out) {
    char total[HUMAN_SIZE], self[HUMAN_SIZE], name[200], other[1000];
    const struct row *row = &rows->list[number];
    const struct texts texts = texts_of(rows, number);
    if (texts.path == NULL) {
        return false;
    }
    utf8_clean(name, sizeof name, texts.name, strlen(texts.name));
    const char *shown = texts.other[0] != '\0'  ? texts.other
                        : texts.path[0] != '\0' ? texts.path
                                                : "-";
    utf8_clean(other, sizeof other, shown, strlen(shown));
    fprintf(out, "%9" PRIu64 "  %9s  %9s  %-20s  %s\n", row->count,
            human_time(total, row->total_ns), human_time(self, row->self_ns), name, other);
    return true;
}

static bool print_site(struct rows *rows, uint32_t number, FILE *out) {
    char bytes[HUMAN_SIZE], live[HUMAN_SIZE], name[200];
    const struct row *row = &rows->list[number];
    const struct texts texts = texts_of(rows, number);
    if (texts.path == NULL) {
        return false;
    }
    utf8_clean(name, sizeof name, texts.name, strlen(texts.name));
    fprintf(out, "%9" PRIu64 "  %9s  %9" PRIu64 "  %9s  %-12s  %s\n", row->count,
            human_number(bytes, (double)row->bytes, "B"), row->live,
            human_number(live, (double)row->live_bytes, "B"), name,
            texts.path[0] != '\0' ? texts.path : "-");
    return true;
}

static int print_table(struct rows *rows, amount_of *amount, bool all, const char *head,
                       bool (*print)(struct rows *rows, uint32_t number, FILE *out), FILE *out) {
    uint32_t count;
    struct ranked *ranked = rank(rows, amount, all, &count);
    if (ranked == NULL) {
        return -ENOMEM;
    }
    if (count > 0) {
        fputs(head, out);
    }
    bool good = true;
    for (uint32_t i = 0; good && i < count && i < STACKTABLE_ROWS; i++) {
        good = print(rows, ranked[i].number, out);
    }
    if (count > STACKTABLE_ROWS) {
        fprintf(out, "and %" PRIu32 " more, which --csv has\n", count - STACKTABLE_ROWS);
    }
    if (count > 0) {
        fputc('\n', out);
    }
    free(ranked);
    return good ? 0 : -ENOMEM;
}

static int print_zones(const struct profile *profile, enum table table, FILE *out) {
    static const char callers[] =
        "Zones by caller\n"
        "    count      total       self  zone                  called from\n";
    static const char callees[] =
        "Zones by callee\n"
        "    count      total       self  zone                  inside it\n";
    struct rows rows;
    const int error = make(&rows, profile, table)
                          ? print_table(&rows, total_of, true, table == CALLERS ? callers : callees,
                                        print_zone, out)
                          : -ENOMEM;
    rows_free(&rows);
    return error;
}

static int print_sites(const struct profile *profile, FILE *out) {
    static const char churn[] =
        "Memory by allocation site\n"
        "   allocs      bytes       live      bytes  pool          allocated from\n";
    static const char leaks[] =
        "Memory that was not freed at the end\n"
        "   allocs      bytes       live      bytes  pool          allocated from\n";
    struct rows rows;
    int error = make(&rows, profile, SITES)
                    ? print_table(&rows, bytes_of, true, churn, print_site, out)
                    : -ENOMEM;
    error = error != 0 ? error : print_table(&rows, live_of, false, leaks, print_site, out);
    rows_free(&rows);
    return error;
}

int stacktable_print(const struct profile *profile, FILE *out) {
    int error = print_zones(profile, CALLERS, out);
    error = error != 0 ? error : print_zones(profile, CALLEES, out);
    error = error != 0 ? error : print_sites(profile, out);
    if (profile->count == 0) {
        fputs("no zone and no allocation was seen\n", out);
    }
    if (profile->beyond != 0) {
        fprintf(out,
                "%" PRIu64 " events had no place of their own in the tables: they count with what "
                "is around them\n",
                profile->beyond);
    }
    return error;
}

/* ---- as CSV ---- */

int stacktable_csv(const struct profile *profile, FILE *out) {
    static const char *const words[TABLES] = {"caller", "callee", "allocation"};
    int error = 0;
    fputs("table,name,inside,stack,count,total_ns,self_ns,frees,bytes,live,live_bytes\n", out);
    for (unsigned table = 0; table < TABLES && error == 0; table++) {
        struct rows rows;
        uint32_t count = 0;
        struct ranked *ranked = NULL;
        if (!make(&rows, profile, (enum table)table) ||
            (ranked = rank(&rows, table == SITES ? bytes_of : total_of, true, &count)) == NULL) {
            error = -ENOMEM;
        }
        for (uint32_t i = 0; i < count && error == 0; i++) {
            const struct row *row = &rows.list[ranked[i].number];
            const struct texts texts = texts_of(&rows, ranked[i].number);
            const char *const columns[] = {texts.name, texts.other, texts.path};
            if (texts.path == NULL) {
                error = -ENOMEM;
                break;
            }
            fprintf(out, "%s,", words[table]);
            for (unsigned text = 0; text < 3; text++) {
                csv_print(out, columns[text]);
                fputc(',', out);
            }
            fprintf(out,
                    "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
                    ",%" PRIu64 "\n",
                    row->count, row->total_ns, row->self_ns, row->frees, row->bytes, row->live,
                    row->live_bytes);
        }
        free(ranked);
        rows_free(&rows);
    }
    return error;
}
