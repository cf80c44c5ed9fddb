/* SPDX-License-Identifier: MIT */
#include "sink/comparetable.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

/* ---- samples by function ---- */

#define NO_FUNCTION "(no address)"

static int64_t row_of(struct samplecounts *c, const char *name) {
    const int64_t number = keytable_add(&c->names, name, strlen(name) + 1);
    return number < 0 || grow_zeroed(&c->rows, &c->capacity, (uint64_t)number, sizeof *c->rows)
               ? number
               : -ENOMEM;
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

/* Any event. 0 or -ENOMEM. */
static int samplecounts_event(struct samplecounts *c, const struct event *event) {
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

/* Ended by NUL. */
static const char *samplecounts_name(const struct samplecounts *c, uint32_t row) {
    return (const char *)c->names.bytes + c->names.entries[row].offset;
}

/* The number of the row of that name, -1: none. */
static int64_t samplecounts_find(const struct samplecounts *c, const char *name) {
    return keytable_find(&c->names, name, strlen(name) + 1);
}

/* Its share of each batch, in percent. */
static struct batches samplecounts_shares(const struct samplecounts *c, uint32_t row) {
    struct batches batches = {.size = c->size, .count = c->count};
    for (uint32_t i = 0; i < c->count; i++) {
        batches.mean[i] = 100.0 * c->rows[row].in[i] / c->size;
    }
    return batches;
}

static double samplecounts_percent(const struct samplecounts *c, uint32_t row) {
    return 100.0 * (double)c->rows[row].samples / (double)c->samples;
}

static void samplecounts_free(struct samplecounts *c) {
    keytable_free(&c->names);
    intmap_free(&c->known);
    free(c->rows);
    *c = (struct samplecounts){0};
}

void compared_init(struct compared *compared, struct selection *part) {
    *compared = (struct compared){.part = part, .samples.size = 1};
    compared->measures.wanted = (1u << MEASURES) - 1u;
    compared->measures.selection = part;
    compared->memory.selection = part;
}

int compared_event(struct compared *compared, const struct event *event) {
    const bool taken = !compared->part || selection_takes(compared->part, event);
    int error = taken ? measures_event(&compared->measures, event) : 0;
    error = error ? error : memorytable_event(&compared->memory, event);
    return error || !taken ? error : samplecounts_event(&compared->samples, event);
}

int compared_settle(struct compared *compared) { return measures_settle(&compared->measures); }

void compared_free(struct compared *compared) {
    measures_free(&compared->measures);
    memorytable_free(&compared->memory);
    samplecounts_free(&compared->samples);
}

struct pair {
    const struct measure *before, *after; /* one may be NULL */
    double changed_ns;                    /* of the total, without a sign */
    double percent, t;                    /* of the mean */
    const char *result;
};

static double mean_of(const struct measure *row) {
    return row && row->count > 0 ? (double)row->total_ns / (double)row->count : 0.0;
}

static bool is_same(const struct measure *a, const struct measure *b) {
    return a->count == b->count && a->total_ns == b->total_ns && a->least_ns == b->least_ns &&
           a->most_ns == b->most_ns;
}

/* The verdict on two different series; "percent" is the difference of their means, "least" the smallest that counts. */
static const char *verdict(double t, double percent, double least, const char *up,
                           const char *down) {
    const bool large = fabs(percent) >= least;
    return isnan(t)                        ? (large ? "too few" : "chance")
           : !large || fabs(t) < COMPARE_T ? "chance"
           : percent > 0.0                 ? up
                                           : down;
}

static double change_of(double before, double after) {
    return before > 0.0 ? 100.0 * (after - before) / before : 0.0;
}

static struct pair pair_of(const struct measure *a, const struct measure *b, double percent) {
    struct pair pair = {.before = a, .after = b, .t = (double)NAN, .result = "same"};
    const double before_ns = a ? (double)a->total_ns : 0.0,
                 after_ns = b ? (double)b->total_ns : 0.0;
    pair.changed_ns = fabs(after_ns - before_ns);
    if (!a || !b) {
        pair.result = a ? "gone" : "new";
        return pair;
    }
    pair.percent = change_of(mean_of(a), mean_of(b));
    pair.t = batches_t(&a->batches, &b->batches);
    if (!is_same(a, b)) {
        pair.result = verdict(pair.t, pair.percent, percent, "slower", "faster");
    }
    return pair;
}

/* Text leaves out rows that do not differ. */
static bool is_quiet(const char *result) {
    return strcmp(result, "same") == 0 || strcmp(result, "chance") == 0;
}
static unsigned forms_of(const char *result) { return is_quiet(result) ? TABLE_DATA : TABLE_ALL; }

/* Rows that differ come first, sorted by the change of their total time. */
static int by_weight(const void *left, const void *right) {
    const struct pair *a = left, *b = right;
    if (is_quiet(a->result) != is_quiet(b->result)) {
        return is_quiet(a->result) ? 1 : -1;
    }
    return a->changed_ns != b->changed_ns ? (a->changed_ns > b->changed_ns ? -1 : 1)
           : a->before && b->before       ? (a->before < b->before ? -1 : a->before > b->before)
                                          : 0;
}

static void put_number(struct table *t, bool there, uint64_t number) {
    if (there) {
        table_number(t, number);
    } else {
        table_nothing(t);
    }
}

/* The numbers before and after; the cell of a side without the row is empty. */
struct sides {
    bool before, after;
};

static void put_both(struct table *t, struct sides there, uint64_t before, uint64_t after) {
    put_number(t, there.before, before);
    put_number(t, there.after, after);
}

static void put_real(struct table *t, bool there, double real) {
    if (there && !isnan(real)) {
        table_real(t, real);
    } else {
        table_nothing(t);
    }
}

static void put(struct table *t, const struct pair *pair) {
    static const char *const kinds[] = {
        [MEASURE_ZONE] = "zone",           [MEASURE_FRAME] = "frame",
        [MEASURE_INTERRUPT] = "interrupt", [MEASURE_WAIT] = "lock wait",
        [MEASURE_HOLD] = "lock hold",      [MEASURE_FLOW] = "flow",
        [MEASURE_ASYNC] = "async zone",    [MEASURE_RUN] = "task run",
        [MEASURE_READY] = "task ready"};
    static const struct measure nothing = {0};
    const struct sides there = {pair->before != NULL, pair->after != NULL};
    const struct measure *a = there.before ? pair->before : &nothing;
    const struct measure *b = there.after ? pair->after : &nothing;
    const struct measure *any = there.before ? a : b;
    table_row(t, forms_of(pair->result));
    table_text(t, pair->result);
    table_text(t, kinds[any->of]);
    table_text(t, any->name);
    put_both(t, there, a->count, b->count);
    put_both(t, there, measure_mean_ns(a), measure_mean_ns(b));
    put_real(t, there.before && there.after, pair->percent);
    put_both(t, there, measure_percentile(a, 99), measure_percentile(b, 99));
    put_both(t, there, a->most_ns, b->most_ns);
    table_integer(t, (int64_t)(b->total_ns - a->total_ns));
    put_real(t, true, pair->t);
}

/* The row of the same name, and of interrupts of the same core. */
static const struct measure *find_same(const struct measures *measures, const struct measure *row) {
    const struct measure_rows found = measures_find(measures, row->of, row->name);
    uint32_t i = 0;
    while (i < found.count && found.rows[i]->core != row->core) {
        i++;
    }
    return i < found.count ? found.rows[i] : NULL;
}

static size_t make_pairs(const struct measures *before, const struct measures *after,
                         double percent, struct pair *pairs) {
    size_t count = 0;
    for (uint32_t i = 0; i < before->count; i++) {
        const struct measure *row = &before->rows[i];
        if (row->of != MEASURE_PLOT && row->count > 0) {
            pairs[count++] = pair_of(row, find_same(after, row), percent);
        }
    }
    for (uint32_t i = 0; i < after->count; i++) {
        const struct measure *row = &after->rows[i];
        if (row->of != MEASURE_PLOT && row->count > 0 && !find_same(before, row)) {
            pairs[count++] = pair_of(NULL, row, percent);
        }
    }
    return count;
}

/* How many rows were compared, and how many people see. */
struct compared_rows {
    size_t compared;
    int64_t different;
};

static int write_times(const struct measures *before, const struct measures *after, double percent,
                       struct table_to *to, struct compared_rows *rows) {
    static const struct table_column columns[] = {
        {"result", "result", TABLE_NAME, 0, 0, 0},
        {"kind", "kind", TABLE_NAME, 0, 0, 0},
        {"name", "name", TABLE_NAME, 0, 32, 0},
        {"count_before", "count", TABLE_COUNT, 7, 0, 0},
        {"count_after", "now", TABLE_COUNT, 7, 0, 0},
        {"mean_before_ns", "mean", TABLE_TIME, 8, 0, 0},
        {"mean_after_ns", "now", TABLE_TIME, 8, 0, 0},
        {"mean_percent", "change", TABLE_PERCENT, 8, 0, 0},
        {"p99_before_ns", "p99", TABLE_TIME, 8, 0, 0},
        {"p99_after_ns", "now", TABLE_TIME, 8, 0, 0},
        {"max_before_ns", "max", TABLE_TIME, 8, 0, 0},
        {"max_after_ns", "now", TABLE_TIME, 8, 0, 0},
        {"total_change_ns", NULL, TABLE_TIME, 0, 0, 0},
        {"t", NULL, TABLE_REAL, 0, 0, 0},
    };
    struct table t;
    struct pair *pairs = malloc(((size_t)before->count + after->count + 1) * sizeof *pairs);
    if (!pairs) {
        return -ENOMEM;
    }
    const size_t count = make_pairs(before, after, percent, pairs);
    if (count > 0) {
        qsort(pairs, count, sizeof *pairs, by_weight);
    }
    table_begin(&t, to, "differences", NULL, 0);
    table_columns(&t, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < count; i++) {
        put(&t, &pairs[i]);
    }
    free(pairs);
    rows->compared = count;
    rows->different = table_end(&t);
    return rows->different < 0 ? (int)rows->different : 0;
}

/* ---- memory ---- */

static const struct memory_pool *find_pool(const struct memorytable *memory, const char *name) {
    const int64_t number = keytable_find(&memory->names, name, strlen(name));
    return number >= 0 ? &memory->pools[number] : NULL;
}

static double mean_bytes(const struct memory_pool *pool) {
    return pool && pool->allocs > 0 ? pool->live_sum / (double)pool->allocs : 0.0;
}

static bool is_same_pool(const struct memory_pool *a, const struct memory_pool *b) {
    return a->allocs == b->allocs && a->frees == b->frees && a->bytes == b->bytes &&
           a->most_bytes == b->most_bytes && a->live_bytes == b->live_bytes &&
           a->live_sum == b->live_sum;
}

/* One of the two may be NULL. */
static bool put_pool(struct table *t, const struct memory_pool *a, const struct memory_pool *b,
                     double percent) {
    const double change = a && b ? change_of(mean_bytes(a), mean_bytes(b)) : 0.0;
    const double time = a && b ? batches_t(&a->batches, &b->batches) : (double)NAN;
    const char *result = !b                   ? "gone"
                         : !a                 ? "new"
                         : is_same_pool(a, b) ? "same"
                                              : verdict(time, change, percent, "more", "less");
    static const struct memory_pool nothing = {0};
    const struct sides there = {a != NULL, b != NULL};
    const struct memory_pool *x = a ? a : &nothing, *y = b ? b : &nothing;
    table_row(t, forms_of(result));
    table_text(t, result);
    table_text(t, a ? a->name : b->name);
    put_both(t, there, x->allocs, y->allocs);
    put_both(t, there, (uint64_t)mean_bytes(x), (uint64_t)mean_bytes(y));
    put_real(t, there.before && there.after, change);
    put_both(t, there, x->most_bytes, y->most_bytes);
    put_both(t, there, x->live_bytes, y->live_bytes);
    put_real(t, true, time);
    return !is_quiet(result);
}

static int write_memory(const struct memorytable *before, const struct memorytable *after,
                        double percent, struct table_to *to, struct compared_rows *rows) {
    static const struct table_column columns[] = {
        {"result", "result", TABLE_NAME, 0, 0, 0},
        {"name", "pool", TABLE_NAME, 0, 32, 0},
        {"allocs_before", "allocs", TABLE_COUNT, 7, 0, 0},
        {"allocs_after", "now", TABLE_COUNT, 7, 0, 0},
        {"mean_before_bytes", "mean live", TABLE_BYTES, 8, 0, 0},
        {"mean_after_bytes", "now", TABLE_BYTES, 8, 0, 0},
        {"mean_percent", "change", TABLE_PERCENT, 8, 0, 0},
        {"most_before_bytes", "most", TABLE_BYTES, 8, 0, 0},
        {"most_after_bytes", "now", TABLE_BYTES, 8, 0, 0},
        {"live_before_bytes", "at the end", TABLE_BYTES, 8, 0, 0},
        {"live_after_bytes", "now", TABLE_BYTES, 8, 0, 0},
        {"t", NULL, TABLE_REAL, 0, 0, 0},
    };
    struct table t;
    table_begin(&t, to, "memory", "Memory", 0);
    table_columns(&t, columns, sizeof columns / sizeof *columns);
    for (uint32_t i = 0; i < before->count; i++) {
        const struct memory_pool *pool = &before->pools[i];
        rows->different += put_pool(&t, pool, find_pool(after, pool->name), percent);
    }
    rows->compared += before->count;
    for (uint32_t i = 0; i < after->count; i++) {
        if (!find_pool(before, after->pools[i].name)) {
            rows->compared++;
            rows->different += put_pool(&t, NULL, &after->pools[i], percent);
        }
    }
    const int64_t shown = table_end(&t);
    return shown < 0 ? (int)shown : 0;
}

/* ---- samples ---- */

/* A function's share of the samples; "a" and "b" are its rows, -1: none has met it. */
static bool put_function(struct table *t, const struct samplecounts *before, int64_t a,
                         const struct samplecounts *after, int64_t b, double percent) {
    const struct batches none_before = {.size = before->size, .count = before->count};
    const struct batches none_after = {.size = after->size, .count = after->count};
    const struct batches shares_before =
        a >= 0 ? samplecounts_shares(before, (uint32_t)a) : none_before;
    const struct batches shares_after =
        b >= 0 ? samplecounts_shares(after, (uint32_t)b) : none_after;
    const double share_before = a >= 0 ? samplecounts_percent(before, (uint32_t)a) : 0.0;
    const double share_after = b >= 0 ? samplecounts_percent(after, (uint32_t)b) : 0.0;
    const double time = batches_t(&shares_before, &shares_after);
    const uint64_t count_before = a >= 0 ? before->rows[a].samples : 0;
    const uint64_t count_after = b >= 0 ? after->rows[b].samples : 0;
    const char *result = count_before == count_after && before->samples == after->samples
                             ? "same"
                             : verdict(time, share_after - share_before, percent, "more", "less");
    table_row(t, forms_of(result));
    table_text(t, result);
    table_text(t, a >= 0 ? samplecounts_name(before, (uint32_t)a)
                         : samplecounts_name(after, (uint32_t)b));
    table_number(t, count_before);
    table_number(t, count_after);
    table_real(t, share_before);
    table_real(t, share_after);
    table_real(t, share_after - share_before);
    put_real(t, true, time);
    return !is_quiet(result);
}

static int write_samples(const struct samplecounts *before, const struct samplecounts *after,
                         double percent, struct table_to *to, struct compared_rows *rows) {
    static const struct table_column columns[] = {
        {"result", "result", TABLE_NAME, 0, 0, 0},
        {"function", "function", TABLE_NAME, 0, 48, 0},
        {"samples_before", "samples", TABLE_COUNT, 7, 0, 0},
        {"samples_after", "now", TABLE_COUNT, 7, 0, 0},
        {"share_before_percent", "share", TABLE_PERCENT, 8, 0, 0},
        {"share_after_percent", "now", TABLE_PERCENT, 8, 0, 0},
        {"share_change_percent", "change", TABLE_PERCENT, 8, 0, 0},
        {"t", NULL, TABLE_REAL, 0, 0, 0},
    };
    struct table t;
    table_begin(&t, to, "samples", "Samples", 0);
    table_columns(&t, columns, sizeof columns / sizeof *columns);
    const bool both = before->samples > 0 && after->samples > 0;
    for (uint32_t i = 0; both && i < before->names.count; i++) {
        const int64_t b = samplecounts_find(after, samplecounts_name(before, i));
        rows->compared++;
        rows->different += put_function(&t, before, i, after, b, percent);
    }
    for (uint32_t i = 0; both && i < after->names.count; i++) {
        if (samplecounts_find(before, samplecounts_name(after, i)) < 0) {
            rows->compared++;
            rows->different += put_function(&t, before, -1, after, i, percent);
        }
    }
    const int64_t shown = table_end(&t);
    return shown < 0 ? (int)shown : 0;
}

int comparetable_write(const struct compared *before, const struct compared *after, double percent,
                       unsigned wanted, struct table_to *to) {
    struct compared_rows rows = {0};
    int error = 0;
    table_document(to);
    if (wanted & COMPARE_TIMES) {
        error = write_times(&before->measures, &after->measures, percent, to, &rows);
    }
    if (error == 0 && (wanted & COMPARE_MEMORY)) {
        error = write_memory(&before->memory, &after->memory, percent, to, &rows);
    }
    if (error == 0 && (wanted & COMPARE_SAMPLES)) {
        error = write_samples(&before->samples, &after->samples, percent, to, &rows);
    }
    table_document_end(to);
    if (to->form == TABLE_TEXT && error == 0) {
        fprintf(to->text, "compared: %zu, different: %" PRId64 "\n", rows.compared, rows.different);
    }
    return error;
}
