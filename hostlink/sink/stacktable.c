#include "sink/stacktable.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "base/utf8.h"
#include "sink/csv_field.h"

enum table { CALLERS, CALLEES, SITES, TABLES };

/* A line of a table; its key holds the texts "name", "other" and "path", each with a NUL. */
struct row {
    uint64_t count, total_ns, self_ns, frees, bytes, live, live_bytes;
};

struct rows {
    const struct profile *profile;
    struct keytable keys;
    struct row *list;
    uint32_t capacity;
    /* The key that is made, and where the names of the path begin in "text". */
    char *text;
    size_t used, size;
    size_t *starts;
    uint32_t steps, step_capacity;
};

static void rows_free(struct rows *rows) {
    keytable_free(&rows->keys);
    free(rows->list);
    free(rows->text);
    free(rows->starts);
}

/* ---- making rows ---- */

static bool put(struct rows *rows, const char *bytes, size_t length) {
    if (rows->size - rows->used < length) {
        const size_t size = rows->size * 2 + length;
        char *text = realloc(rows->text, size);
        if (text == NULL) {
            return false;
        }
        rows->text = text;
        rows->size = size;
    }
    memcpy(rows->text + rows->used, bytes, length);
    rows->used += length;
    return true;
}

/* Functions with file and line, as there may be several calls in one; zones in quotes. */
static bool take_step(void *context, const struct profile_step *step) {
    struct rows *rows = context;
    char clean[600], text[900];
    if (rows->steps == rows->step_capacity) {
        const uint32_t capacity = rows->step_capacity == 0 ? 64 : rows->step_capacity * 2;
        size_t *starts = realloc(rows->starts, capacity * sizeof *starts);
        if (starts == NULL) {
            return false;
        }
        rows->starts = starts;
        rows->step_capacity = capacity;
    }
    const char *slash = strrchr(step->file, '/');
    utf8_clean(clean, sizeof clean, step->name, strlen(step->name));
    int length = snprintf(text, sizeof text, step->kind == PROFILE_CALL ? "%s" : "'%s'", clean);
    if (step->kind == PROFILE_CALL && step->line != 0) {
        utf8_clean(clean, 200, slash ? slash + 1 : step->file,
                   strlen(slash ? slash + 1 : step->file));
        length += snprintf(text + length, sizeof text - (size_t)length, " (%s:%" PRIu32 ")", clean,
                           step->line);
    }
    rows->starts[rows->steps++] = rows->used;
    return put(rows, text, (size_t)length + 1);
}

/* A text that is there already. */
static bool put_again(struct rows *rows, size_t start) {
    char text[900];
    const size_t length = strlen(rows->text + start);
    memcpy(text, rows->text + start, length);
    return put(rows, text, length);
}

static bool put_text(struct rows *rows, const char *text) {
    return put(rows, text, strlen(text) + 1);
}

/* "inner < outer < outermost", without the row or pool that everything is in. */
static bool put_path(struct rows *rows, uint32_t number) {
    const size_t start = rows->used;
    rows->steps = 0;
    if (number != PROFILE_NONE && !profile_path(rows->profile, number, rows, take_step)) {
        return false;
    }
    const size_t end = rows->used;
    const char *between = "";
    for (uint32_t i = rows->steps; i > 1; i--) {
        if (!put(rows, between, strlen(between)) || !put_again(rows, rows->starts[i - 1])) {
            return false;
        }
        between = " < ";
    }
    memmove(rows->text + start, rows->text + end, rows->used - end);
    rows->used -= end - start;
    return put(rows, "", 1);
}

/* The row of the key that was made; NULL when memory is short. */
static struct row *row_of(struct rows *rows) {
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
    const int64_t number = keytable_add(&rows->keys, rows->text, rows->used);
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
    rows->used = 0;
    if (!put_text(rows, table == CALLEES ? outer : name) ||
        !put_text(rows, table == CALLEES ? name : "") ||
        !put_path(rows, table == CALLEES ? PROFILE_NONE : node->parent)) {
        return false;
    }
    struct row *row = row_of(rows);
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
    rows->used = 0;
    if (!put_text(rows, rows->profile->nodes[node->root].of.site->name) || !put_text(rows, "") ||
        !put_path(rows, number)) {
        return false;
    }
    struct row *row = row_of(rows);
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
    for (uint32_t i = 0; i < profile->count; i++) {
        if (!(table == SITES ? add_site(rows, i) : add_zone(rows, i, table))) {
            return false;
        }
    }
    return true;
}

static const char *text_of(const struct rows *rows, uint32_t number, unsigned which) {
    const char *text = (const char *)rows->keys.bytes + rows->keys.entries[number].offset;
    while (which-- > 0) {
        text += strlen(text) + 1;
    }
    return text;
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

static void print_zone(const struct rows *rows, uint32_t number, FILE *out) {
    char total[HUMAN_SIZE], self[HUMAN_SIZE], name[200], other[1000];
    const struct row *row = &rows->list[number];
    const char *path = text_of(rows, number, 2), *callee = text_of(rows, number, 1);
    utf8_clean(name, sizeof name, text_of(rows, number, 0), strlen(text_of(rows, number, 0)));
    const char *shown = callee[0] != '\0' ? callee : path[0] != '\0' ? path : "-";
    utf8_clean(other, sizeof other, shown, strlen(shown));
    fprintf(out, "%9" PRIu64 "  %9s  %9s  %-20s  %s\n", row->count,
            human_time(total, row->total_ns), human_time(self, row->self_ns), name, other);
}

static void print_site(const struct rows *rows, uint32_t number, FILE *out) {
    char bytes[HUMAN_SIZE], live[HUMAN_SIZE], name[200];
    const struct row *row = &rows->list[number];
    const char *path = text_of(rows, number, 2);
    utf8_clean(name, sizeof name, text_of(rows, number, 0), strlen(text_of(rows, number, 0)));
    fprintf(out, "%9" PRIu64 "  %9s  %9" PRIu64 "  %9s  %-12s  %s\n", row->count,
            human_number(bytes, (double)row->bytes, "B"), row->live,
            human_number(live, (double)row->live_bytes, "B"), name, path[0] != '\0' ? path : "-");
}

static int print_table(const struct rows *rows, amount_of *amount, bool all, const char *head,
                       void (*print)(const struct rows *rows, uint32_t number, FILE *out),
                       FILE *out) {
    uint32_t count;
    struct ranked *ranked = rank(rows, amount, all, &count);
    if (ranked == NULL) {
        return -ENOMEM;
    }
    if (count > 0) {
        fputs(head, out);
    }
    for (uint32_t i = 0; i < count && i < STACKTABLE_ROWS; i++) {
        print(rows, ranked[i].number, out);
    }
    if (count > STACKTABLE_ROWS) {
        fprintf(out, "and %" PRIu32 " more, which --csv has\n", count - STACKTABLE_ROWS);
    }
    if (count > 0) {
        fputc('\n', out);
    }
    free(ranked);
    return 0;
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
        for (uint32_t i = 0; i < count; i++) {
            const struct row *row = &rows.list[ranked[i].number];
            fprintf(out, "%s,", words[table]);
            for (unsigned text = 0; text < 3; text++) {
                csv_print(out, text_of(&rows, ranked[i].number, text));
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
