/* SPDX-License-Identifier: MIT */
/* Tables of measures: frames, interrupts, locks, plots, flows. People also read lines for notable rows. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "sink/measures.h"
#include "sink/view.h"

#define NAME_MOST 32u
#define COUNT_OF(list) (sizeof(list) / sizeof *(list))

static int by_total(const void *left, const void *right) {
    const struct measure *a = *(const struct measure *const *)left;
    const struct measure *b = *(const struct measure *const *)right;
    if (a->total_ns != b->total_ns) {
        return a->total_ns > b->total_ns ? -1 : 1;
    }
    return a < b ? -1 : a > b;
}

/* The rows of some kinds, by falling total, for free(). NULL: no memory. */
static const struct measure **rows_of(const struct measures *m, unsigned kinds, size_t *count) {
    const struct measure **rows = malloc((m->count + 1) * sizeof *rows);
    *count = 0;
    for (uint32_t i = 0; rows && i < m->count; i++) {
        if ((kinds >> (unsigned)m->rows[i].of & 1u) != 0) {
            rows[(*count)++] = &m->rows[i];
        }
    }
    if (rows) {
        qsort(rows, *count, sizeof *rows, by_total);
    }
    return rows;
}

/* A table: its columns, and a row of it. */
struct shape {
    unsigned kinds; /* bits by enum measure_of */
    const char *name, *nothing;
    const struct table_column *columns;
    size_t count;
    void (*put)(struct table *t, const struct measures *m, const struct measure *row);
};

static int write(struct measures *m, const struct shape *shape, struct table_to *to) {
    size_t count;
    struct table t;
    const int error = measures_settle(m);
    if (error != 0) {
        return error;
    }
    const struct measure **rows = rows_of(m, shape->kinds, &count);
    if (!rows) {
        return -ENOMEM;
    }
    table_begin(&t, to, shape->name, NULL, 0);
    table_columns(&t, shape->columns, shape->count);
    for (size_t i = 0; i < count; i++) {
        table_row(&t, TABLE_ALL);
        shape->put(&t, m, rows[i]);
    }
    free(rows);
    return table_end_or(&t, shape->nothing);
}

static void *make(const struct view_options *options, unsigned wanted) {
    struct measures *measures = calloc(1, sizeof *measures);
    if (measures) {
        measures->wanted = wanted;
        measures->selection = options->selection;
        measures->late_ns = options->late_ns;
    }
    return measures;
}

static int take(void *state, const struct event *event) { return measures_event(state, event); }

static void drop(void *state) {
    measures_free(state);
    free(state);
}

/* When the longest began, and where: nothing where there was none. */
static void put_longest(struct table *t, const struct measure *row) {
    if (row && row->count > 0) {
        table_number(t, row->most_ns);
        table_integer(t, row->most_at_ns);
        table_text(t, row->most_on->name);
    } else {
        table_nothing(t);
        table_nothing(t);
        table_nothing(t);
    }
}

#define VIEW(name, of)                                                                             \
    static void *make_##name(const struct view_options *options) {                                 \
        return make(options, 1u << (of));                                                          \
    }                                                                                              \
    const struct view view_##name = {.option = #name,                                              \
                                     .make = make_##name,                                          \
                                     .event = take,                                                \
                                     .write = write_##name,                                        \
                                     .free = drop,                                                 \
                                     .in_report = true};

/* ---- frames ---- */

static void put_frame(struct table *t, const struct measures *m, const struct measure *row) {
    table_text(t, row->name);
    table_number(t, row->count);
    table_real(t, measure_rate(m, row));
    table_number(t, measure_mean_ns(row));
    table_number(t, row->count ? row->least_ns : 0);
    table_number(t, measure_percentile(row, 50));
    table_number(t, measure_percentile(row, 99));
    put_longest(t, row);
    if (m->late_ns != 0) {
        table_number(t, row->late);
        table_real(t, row->count ? 100.0 * (double)row->late / (double)row->count : 0.0);
    }
}

#define FRAME_COLUMNS_LATE 2u

static int write_frames(void *state, struct table_to *to) {
    const struct measures *m = state;
    static const struct table_column columns[] = {
        {"name", "frames", TABLE_NAME, 0, NAME_MOST, 0},
        {"count", "count", TABLE_COUNT, 9, 0, 0},
        {"rate_hz", "per second", TABLE_MEAN, 0, 0, 0},
        {"mean_ns", "mean", TABLE_TIME, 8, 0, 0},
        {"min_ns", "min", TABLE_TIME, 8, 0, 0},
        {"p50_ns", "p50", TABLE_TIME, 8, 0, 0},
        {"p99_ns", "p99", TABLE_TIME, 8, 0, 0},
        {"max_ns", "max", TABLE_TIME, 8, 0, 0},
        {"max_at_ns", "max began at", TABLE_AT, 0, 0, 0},
        {"max_on", "on", TABLE_NAME, 0, NAME_MOST, 0},
        {"late", "late", TABLE_COUNT, 7, 0, 0},
        {"late_percent", "of all", TABLE_PERCENT, 8, 0, 0},
    };
    const struct shape shape = {1u << MEASURE_FRAME,
                                "frames",
                                "no frame was seen: the firmware marks them by KYMO_FRAME()",
                                columns,
                                COUNT_OF(columns) - (m->late_ns == 0 ? FRAME_COLUMNS_LATE : 0),
                                put_frame};
    return write(state, &shape, to);
}

VIEW(frames, MEASURE_FRAME)

/* ---- interrupts ---- */

static void put_interrupt(struct table *t, const struct measures *m, const struct measure *row) {
    table_text(t, row->name);
    table_number(t, row->core);
    table_number(t, row->count);
    table_real(t, measure_rate(m, row));
    table_number(t, row->total_ns);
    table_number(t, row->self_ns);
    table_real(t, measure_percent(m, row));
    table_number(t, measure_mean_ns(row));
    table_number(t, measure_percentile(row, 99));
    table_number(t, row->most_ns);
    table_integer(t, row->most_at_ns);
    table_number(t, row->deepest);
    table_number(t, measure_usual(row));
    table_number(t, row->peak);
    table_integer(t, row->peak_at_ns);
}

static void print_storms(const struct measures *m, FILE *out) {
    for (uint32_t i = 0; i < m->count; i++) {
        const struct measure *row = &m->rows[i];
        if (row->of == MEASURE_INTERRUPT && measure_is_storm(row)) {
            fputs("storm of '", out);
            table_print_text(out, row->name, NAME_MOST);
            fprintf(out,
                    "': %" PRIu64 " entries in the 10 ms from %" PRId64 ".%02" PRId64
                    " s on, where it usually has %" PRIu64 "\n",
                    row->peak, row->peak_at_ns / 1000000000,
                    row->peak_at_ns / MEASURE_WINDOW_NS % 100, measure_usual(row));
        }
    }
}

static int write_interrupts(void *state, struct table_to *to) {
    static const struct table_column columns[] = {
        {"name", "interrupt", TABLE_NAME, 0, NAME_MOST, 0},
        {"core", "core", TABLE_COUNT, 0, 0, 0},
        {"count", "count", TABLE_COUNT, 9, 0, 0},
        {"rate_hz", "per second", TABLE_MEAN, 0, 0, 0},
        {"total_ns", "total", TABLE_TIME, 8, 0, 0},
        {"self_ns", "self", TABLE_TIME, 8, 0, 0},
        {"core_percent", "of core", TABLE_PERCENT, 8, 0, 0},
        {"mean_ns", "mean", TABLE_TIME, 8, 0, 0},
        {"p99_ns", "p99", TABLE_TIME, 8, 0, 0},
        {"max_ns", "max", TABLE_TIME, 8, 0, 0},
        {"max_at_ns", "max began at", TABLE_AT, 0, 0, 0},
        {"deepest", "nested", TABLE_COUNT, 0, 0, 0},
        {"usual", "in 10 ms", TABLE_COUNT, 0, 0, 0},
        {"peak", "most", TABLE_COUNT, 0, 0, 0},
        {"peak_at_ns", NULL, TABLE_AT, 0, 0, 0},
    };
    const struct shape shape = {1u << MEASURE_INTERRUPT, "interrupts",
                                "no interrupt was seen", columns,
                                COUNT_OF(columns),       put_interrupt};
    const int error = write(state, &shape, to);
    if (error == 0 && to->form == TABLE_TEXT) {
        print_storms(state, to->text);
    }
    return error;
}

VIEW(interrupts, MEASURE_INTERRUPT)

/* ---- locks ---- */

static void put_lock(struct table *t, const struct measures *m, const struct measure *hold) {
    const struct measure_rows waiting = measures_find(m, MEASURE_WAIT, hold->name);
    const struct measure *wait = waiting.count ? waiting.rows[0] : NULL;
    const uint64_t waits = wait ? wait->count : 0;
    table_text(t, hold->name);
    table_number(t, hold->count);
    table_number(t, waits);
    table_real(t, hold->count ? 100.0 * (double)waits / (double)hold->count : 0.0);
    table_number(t, wait ? wait->total_ns : 0);
    put_longest(t, wait);
    if (wait && wait->most_other) {
        table_text(t, wait->most_other->name);
    } else {
        table_nothing(t);
    }
    table_number(t, hold->total_ns);
    table_number(t, measure_mean_ns(hold));
    put_longest(t, hold);
    table_number(t, (uint64_t)hold->unended);
    if (hold->keeps) {
        table_text(t, hold->keeps->name);
        table_integer(t, hold->kept_ns);
    } else {
        table_nothing(t);
        table_nothing(t);
    }
}

static int write_locks(void *state, struct table_to *to) {
    static const struct table_column columns[] = {
        {"name", "lock", TABLE_NAME, 0, NAME_MOST, 0},
        {"holds", "holds", TABLE_COUNT, 7, 0, 0},
        {"waits", "waits", TABLE_COUNT, 7, 0, 0},
        {"contended_percent", "contended", TABLE_PERCENT, 8, 0, 0},
        {"wait_total_ns", "waited", TABLE_TIME, 8, 0, 0},
        {"wait_max_ns", "longest", TABLE_TIME, 8, 0, 0},
        {"wait_max_at_ns", "began at", TABLE_AT, 0, 0, 0},
        {"wait_max_on", "waiter", TABLE_NAME, 0, NAME_MOST, 0},
        {"wait_max_for", "held by", TABLE_NAME, 0, NAME_MOST, 0},
        {"hold_total_ns", "held", TABLE_TIME, 8, 0, 0},
        {"hold_mean_ns", "mean", TABLE_TIME, 8, 0, 0},
        {"hold_max_ns", "longest", TABLE_TIME, 8, 0, 0},
        {"hold_max_at_ns", "began at", TABLE_AT, 0, 0, 0},
        {"hold_max_on", "holder", TABLE_NAME, 0, NAME_MOST, 0},
        {"open", "open", TABLE_COUNT, 0, 0, 0},
        {"open_on", "held at end", TABLE_NAME, 0, NAME_MOST, 0},
        {"open_at_ns", NULL, TABLE_AT, 0, 0, 0},
    };
    const struct shape shape = {1u << MEASURE_HOLD,
                                "locks",
                                "no lock was seen: the firmware records them by KYMO_LOCK_OBTAIN()",
                                columns,
                                COUNT_OF(columns),
                                put_lock};
    return write(state, &shape, to);
}

VIEW(locks, MEASURE_HOLD)

/* ---- plots ---- */

static void put_plot(struct table *t, const struct measures *m, const struct measure *row) {
    (void)m;
    table_text(t, row->name);
    table_number(t, row->count);
    table_real(t, row->first);
    table_real(t, row->last);
    table_real(t, row->least);
    table_real(t, row->sum / (double)row->count);
    table_real(t, row->most);
    table_integer(t, row->most_at_ns);
}

static int write_plots(void *state, struct table_to *to) {
    static const struct table_column columns[] = {
        {"name", "plot", TABLE_NAME, 0, NAME_MOST, 0}, {"count", "count", TABLE_COUNT, 9, 0, 0},
        {"first", "first", TABLE_VALUE, 9, 0, 0},      {"last", "last", TABLE_VALUE, 9, 0, 0},
        {"min", "min", TABLE_VALUE, 9, 0, 0},          {"mean", "mean", TABLE_VALUE, 9, 0, 0},
        {"max", "max", TABLE_VALUE, 9, 0, 0},          {"max_at_ns", "max at", TABLE_AT, 0, 0, 0},
    };
    const struct shape shape = {1u << MEASURE_PLOT, "plots", "no plot was seen", columns,
                                COUNT_OF(columns),  put_plot};
    return write(state, &shape, to);
}

VIEW(plots, MEASURE_PLOT)

/* ---- flows and asynchronous zones ---- */

static void put_flow(struct table *t, const struct measures *m, const struct measure *row) {
    (void)m;
    table_text(t, row->name);
    table_text(t, row->of == MEASURE_FLOW ? "flow" : "zone");
    table_number(t, row->begun);
    table_number(t, row->count);
    table_number(t, measure_mean_ns(row));
    table_number(t, measure_percentile(row, 50));
    table_number(t, measure_percentile(row, 99));
    put_longest(t, row);
    table_number(t, row->unended > 0 ? (uint64_t)row->unended : 0);
    table_number(t, row->unstarted);
    table_number(t, row->bound_ns);
    table_number(t, row->shorter);
}

static int write_flows(void *state, struct table_to *to) {
    const struct measures *m = state;
    const bool clocks = m->boards || m->clocks;
    const struct table_column columns[] = {
        {"name", "flow", TABLE_NAME, 0, NAME_MOST, 0},
        {"is", "is", TABLE_NAME, 0, 0, 0},
        {"sent", "sent", TABLE_COUNT, 9, 0, 0},
        {"count", "received", TABLE_COUNT, 9, 0, 0},
        {"mean_ns", "mean", TABLE_TIME, 8, 0, 0},
        {"p50_ns", "p50", TABLE_TIME, 8, 0, 0},
        {"p99_ns", "p99", TABLE_TIME, 8, 0, 0},
        {"max_ns", "max", TABLE_TIME, 8, 0, 0},
        {"max_at_ns", "max began at", TABLE_AT, 0, 0, 0},
        {"max_on", "on", TABLE_NAME, 0, NAME_MOST, 0},
        {"lost", "lost", TABLE_COUNT, 0, 0, 0},
        {"not_sent", "not sent", TABLE_COUNT, 0, 0, 0},
        {"clock_error_ns", clocks ? "clock error" : NULL, TABLE_TIME, 8, 0, 0},
        {"shorter", clocks ? "shorter" : NULL, TABLE_COUNT, 0, 0, 0},
    };
    const struct shape shape = {
        1u << MEASURE_FLOW | 1u << MEASURE_ASYNC,
        "flows",
        "no flow was seen: the firmware records them by KYMO_FLOW_SEND() and KYMO_FLOW_RECEIVE()",
        columns,
        COUNT_OF(columns),
        put_flow};
    return write(state, &shape, to);
}

VIEW(flows, MEASURE_FLOW)
