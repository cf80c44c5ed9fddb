/* SPDX-License-Identifier: MIT */
#include "sink/comparetable.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

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

static struct pair pair_of(const struct measure *a, const struct measure *b, double percent) {
    struct pair pair = {.before = a, .after = b, .t = (double)NAN, .result = "same"};
    const double before_ns = a ? (double)a->total_ns : 0.0,
                 after_ns = b ? (double)b->total_ns : 0.0;
    pair.changed_ns = fabs(after_ns - before_ns);
    if (!a || !b) {
        pair.result = a ? "gone" : "new";
        return pair;
    }
    pair.percent = mean_of(a) > 0.0 ? 100.0 * (mean_of(b) - mean_of(a)) / mean_of(a) : 0.0;
    pair.t = batches_t(&a->batches, &b->batches);
    if (!is_same(a, b)) {
        const bool large = fabs(pair.percent) >= percent;
        pair.result = isnan(pair.t) ? (large ? "too few" : "chance")
                      : large && fabs(pair.t) >= COMPARE_T
                          ? (pair.percent > 0.0 ? "slower" : "faster")
                          : "chance";
    }
    return pair;
}

static bool is_quiet(const struct pair *pair) {
    return pair->result[0] == 's' ? pair->result[1] == 'a' : pair->result[0] == 'c';
}

/* What differs first, by how much of all the time it changed. */
static int by_weight(const void *left, const void *right) {
    const struct pair *a = left, *b = right;
    if (is_quiet(a) != is_quiet(b)) {
        return is_quiet(a) ? 1 : -1;
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

static void put(struct table *t, const struct pair *pair) {
    static const char *const kinds[] = {
        [MEASURE_ZONE] = "zone",           [MEASURE_FRAME] = "frame",
        [MEASURE_INTERRUPT] = "interrupt", [MEASURE_WAIT] = "lock wait",
        [MEASURE_HOLD] = "lock hold",      [MEASURE_FLOW] = "flow",
        [MEASURE_ASYNC] = "async zone",    [MEASURE_RUN] = "task run",
        [MEASURE_READY] = "task ready"};
    const struct measure *a = pair->before, *b = pair->after, *any = a ? a : b;
    table_row(t, is_quiet(pair) ? TABLE_DATA : TABLE_ALL);
    table_text(t, pair->result);
    table_text(t, kinds[any->of]);
    table_text(t, any->name);
    put_number(t, a != NULL, a ? a->count : 0);
    put_number(t, b != NULL, b ? b->count : 0);
    put_number(t, a != NULL, a ? measure_mean_ns(a) : 0);
    put_number(t, b != NULL, b ? measure_mean_ns(b) : 0);
    if (a && b) {
        table_real(t, pair->percent);
    } else {
        table_nothing(t);
    }
    put_number(t, a != NULL, a ? measure_percentile(a, 99) : 0);
    put_number(t, b != NULL, b ? measure_percentile(b, 99) : 0);
    put_number(t, a != NULL, a ? a->most_ns : 0);
    put_number(t, b != NULL, b ? b->most_ns : 0);
    table_integer(t, (int64_t)((b ? b->total_ns : 0) - (a ? a->total_ns : 0)));
    if (isnan(pair->t)) {
        table_nothing(t);
    } else {
        table_real(t, pair->t);
    }
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

int comparetable_write(const struct measures *before, const struct measures *after, double percent,
                       struct table_to *to) {
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
    table_document(to);
    table_begin(&t, to, "differences", NULL, 0);
    table_columns(&t, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < count; i++) {
        put(&t, &pairs[i]);
    }
    free(pairs);
    const int64_t shown = table_end(&t);
    table_document_end(to);
    if (to->form == TABLE_TEXT && shown >= 0) {
        fprintf(to->text, "compared: %zu, different: %lld\n", count, (long long)shown);
    }
    return shown < 0 ? (int)shown : 0;
}
