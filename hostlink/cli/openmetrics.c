/* SPDX-License-Identifier: MIT */
#include "cli/openmetrics.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sink/view.h"

/* ---- the notation ---- */

static void put_label(FILE *out, const char *before, const char *name, const char *value) {
    fprintf(out, "%s%s=\"", before, name);
    for (; *value != '\0'; value++) {
        if (*value == '\n') {
            fputs("\\n", out);
        } else {
            fputs(strchr("\\\"", *value) ? "\\" : "", out);
            fputc(*value, out);
        }
    }
    fputc('"', out);
}

static void put_family(FILE *out, const char *name, const char *type, const char *unit,
                       const char *help) {
    fprintf(out, "# TYPE %s %s\n", name, type);
    if (unit) {
        fprintf(out, "# UNIT %s %s\n", name, unit);
    }
    fprintf(out, "# HELP %s %s\n", name, help);
}

static void put_seconds(FILE *out, uint64_t ns) {
    fprintf(out, " %" PRIu64 ".%09" PRIu64 "\n", ns / 1000000000, ns % 1000000000);
}

static void put_real(FILE *out, double value) {
    if (isfinite(value)) {
        fprintf(out, " %.17g\n", value);
    } else {
        fputs(isnan(value) ? " NaN\n" : value > 0 ? " +Inf\n" : " -Inf\n", out);
    }
}

/* ---- metrics without a name of the firmware's ---- */

static void put_counter(FILE *out, const char *name, const char *unit, const char *help,
                        uint64_t value) {
    put_family(out, name, "counter", unit, help);
    fprintf(out, "%s_total %" PRIu64 "\n", name, value);
}

void openmetrics_learn(struct openmetrics_images *images, const struct event *event) {
    if (event->kind == EVENT_SESSION) {
        const struct event_board *board = event->u.session.board;
        images->of[board != NULL ? board->number % EVENT_BOARDS_MAX : 0] = event->u.session.image;
    }
}

static void put_image(FILE *out, const char *image) {
    fputs("kymo_trace_info", out);
    put_label(out, "{", "image", image);
    put_label(out, ",", "hostlink", KYMO_VERSION);
    fputs("} 1\n", out);
}

static void put_images(FILE *out, const struct openmetrics_images *images) {
    bool any = false;
    put_family(out, "kymo_trace", "info", NULL, "Program of a board, version of hostlink.");
    for (size_t i = 0; i < EVENT_BOARDS_MAX; i++) {
        if (images->of[i] != NULL) {
            put_image(out, images->of[i]);
            any = true;
        }
    }
    if (!any) {
        put_image(out, "");
    }
}

static void put_totals(FILE *out, const struct pipeline_totals *totals) {
    put_family(out, "kymo_trace_seconds", "gauge", "seconds",
               "Time of the last event, since the start of the trace.");
    fputs("kymo_trace_seconds", out);
    put_seconds(out, totals->last_ns > 0 ? (uint64_t)totals->last_ns : 0);
    put_counter(out, "kymo_events_emitted", NULL, "Events that the board recorded.",
                totals->emitted);
    put_counter(out, "kymo_events_delivered", NULL, "Events that arrived.", totals->delivered);
    put_family(out, "kymo_events_lost", "counter", NULL,
               "Events that did not arrive: a ring was full, packets were lost on the link, or "
               "the board sent them before the capture began.");
    fprintf(out, "kymo_events_lost_total{cause=\"ring\"} %" PRIu64 "\n", totals->lost_ring);
    fprintf(out, "kymo_events_lost_total{cause=\"link\"} %" PRIu64 "\n",
            totals->lost_link - totals->lost_before);
    fprintf(out, "kymo_events_lost_total{cause=\"before\"} %" PRIu64 "\n", totals->lost_before);
    put_counter(out, "kymo_repairs", NULL, "Events that do not fit together.", totals->repairs);
    put_counter(out, "kymo_sessions", NULL, "Starts of the board.", totals->sessions);
    put_counter(out, "kymo_damaged_packets", NULL, "Packets that were no packet.",
                totals->bad_packets);
    put_counter(out, "kymo_link_bytes", "bytes", "All bytes that came.", totals->bytes);
    const unsigned percent = totals->lost_ring > 0 ? 100 : board_info_ring_percent(&totals->info);
    if (percent > 0) {
        put_family(out, "kymo_ring_fill_max_ratio", "gauge", "ratio",
                   "Most that a ring was filled so far; 1 if one was full.");
        fprintf(out, "kymo_ring_fill_max_ratio %u.%02u\n", percent / 100, percent % 100);
    }
}

/* ---- metrics by name ---- */

struct series_kind {
    enum measure_of of;
    const char *label;
    const char *name; /* of the metric, with its unit where it is a time */
    const char *most;
    const char *self; /* NULL: it has none */
    const char *help;
};

static void put_row(FILE *out, const struct series_kind *kind, const char *metric,
                    const char *suffix, const struct measure *row, const char *quantile) {
    fprintf(out, "%s%s", metric, suffix);
    put_label(out, "{", kind->label, row->name);
    if (row->of == MEASURE_INTERRUPT) {
        fprintf(out, ",core=\"%" PRIu32 "\"", row->core);
    }
    fprintf(out, quantile ? ",quantile=\"%s\"}" : "}", quantile);
}

/* The next row of the kind that has values, from number *at on; NULL: no more. */
static const struct measure *next_row(const struct measures *measures,
                                      const struct series_kind *kind, uint32_t *at) {
    for (; *at < measures->count; (*at)++) {
        const struct measure *row = &measures->rows[*at];
        if (row->of == kind->of && row->count > 0) {
            (*at)++;
            return row;
        }
    }
    return NULL;
}

static void put_summary(FILE *out, const struct series_kind *kind,
                        const struct measures *measures) {
    const struct measure *row;
    put_family(out, kind->name, "summary", "seconds", kind->help);
    for (uint32_t at = 0; (row = next_row(measures, kind, &at)) != NULL;) {
        put_row(out, kind, kind->name, "", row, "0.5");
        put_seconds(out, measure_percentile(row, 50));
        put_row(out, kind, kind->name, "", row, "0.99");
        put_seconds(out, measure_percentile(row, 99));
        put_row(out, kind, kind->name, "_count", row, NULL);
        fprintf(out, " %" PRIu64 "\n", row->count);
        put_row(out, kind, kind->name, "_sum", row, NULL);
        put_seconds(out, row->total_ns);
    }
}

static void put_times(FILE *out, const struct series_kind *kind, const struct measures *measures) {
    const struct measure *row;
    put_summary(out, kind, measures);
    put_family(out, kind->most, "gauge", "seconds", "The longest of them.");
    for (uint32_t at = 0; (row = next_row(measures, kind, &at)) != NULL;) {
        put_row(out, kind, kind->most, "", row, NULL);
        put_seconds(out, row->most_ns);
    }
    if (kind->self) {
        put_family(out, kind->self, "counter", "seconds",
                   "Time of their own, without what ran inside them.");
        for (uint32_t at = 0; (row = next_row(measures, kind, &at)) != NULL;) {
            put_row(out, kind, kind->self, "_total", row, NULL);
            put_seconds(out, row->self_ns);
        }
    }
}

static void put_plots(FILE *out, const struct measures *measures) {
    static const struct series_kind kind = {.of = MEASURE_PLOT, .label = "plot"};
    static const struct {
        const char *name, *help;
        size_t at;
    } values[] = {
        {"kymo_plot", "The last value of each plot.", offsetof(struct measure, last)},
        {"kymo_plot_min", "The least value.", offsetof(struct measure, least)},
        {"kymo_plot_max", "The greatest value.", offsetof(struct measure, most)},
    };
    const struct measure *row;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        put_family(out, values[i].name, "gauge", NULL, values[i].help);
        for (uint32_t at = 0; (row = next_row(measures, &kind, &at)) != NULL;) {
            double value;
            memcpy(&value, (const char *)row + values[i].at, sizeof value);
            put_row(out, &kind, values[i].name, "", row, NULL);
            put_real(out, value);
        }
    }
    put_family(out, "kymo_plot_values", "counter", NULL, "Values of each plot.");
    for (uint32_t at = 0; (row = next_row(measures, &kind, &at)) != NULL;) {
        put_row(out, &kind, "kymo_plot_values", "_total", row, NULL);
        fprintf(out, " %" PRIu64 "\n", row->count);
    }
}

void openmetrics_write(FILE *out, const struct measures *measures,
                       const struct pipeline_totals *totals,
                       const struct openmetrics_images *images) {
    static const struct series_kind kinds[] = {
        {MEASURE_ZONE, "zone", "kymo_zone_seconds", "kymo_zone_max_seconds",
         "kymo_zone_self_seconds", "Zones, from begin to end; quantiles within 1.6 percent."},
        {MEASURE_FRAME, "set", "kymo_frame_seconds", "kymo_frame_max_seconds", NULL,
         "Frames, from mark to mark or from start to end."},
        {MEASURE_INTERRUPT, "interrupt", "kymo_interrupt_seconds", "kymo_interrupt_max_seconds",
         "kymo_interrupt_self_seconds", "Interrupts, from entry to return."},
        {MEASURE_RUN, "task", "kymo_task_run_seconds", "kymo_task_run_max_seconds", NULL,
         "Runs of tasks, from the switch to the task until that to another, without interrupts."},
        {MEASURE_READY, "task", "kymo_task_ready_seconds", "kymo_task_ready_max_seconds", NULL,
         "Tasks from their wake-up until they ran."},
        {MEASURE_WAIT, "lock", "kymo_lock_wait_seconds", "kymo_lock_wait_max_seconds", NULL,
         "Waits for locks."},
        {MEASURE_HOLD, "lock", "kymo_lock_hold_seconds", "kymo_lock_hold_max_seconds", NULL,
         "Holds of locks."},
        {MEASURE_FLOW, "flow", "kymo_flow_seconds", "kymo_flow_max_seconds", NULL,
         "Flows, from send to receive."},
        {MEASURE_ASYNC, "zone", "kymo_async_seconds", "kymo_async_max_seconds", NULL,
         "Asynchronous zones, from begin to end."},
    };
    put_images(out, images);
    put_totals(out, totals);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        put_times(out, &kinds[i], measures);
    }
    put_plots(out, measures);
    fputs("# EOF\n", out);
}

/* ---- a capture's ---- */

struct exposed {
    struct measures measures;
    struct openmetrics_images images;
    const struct view_options *options;
};

static void *make(const struct view_options *options) {
    struct exposed *exposed = calloc(1, sizeof *exposed);
    if (exposed) {
        exposed->options = options;
        exposed->measures.wanted = (1u << MEASURES) - 1u;
        exposed->measures.selection = options->selection;
    }
    return exposed;
}

static int take(void *state, const struct event *event) {
    struct exposed *exposed = state;
    openmetrics_learn(&exposed->images, event);
    return measures_event(&exposed->measures, event);
}

static int write(void *state, struct table_to *to) {
    struct exposed *exposed = state;
    const int error = measures_settle(&exposed->measures);
    if (error == 0) {
        openmetrics_write(to->text, &exposed->measures, exposed->options->totals, &exposed->images);
    }
    return error;
}

static void drop(void *state) {
    measures_free(&((struct exposed *)state)->measures);
    free(state);
}

const struct view view_openmetrics = {
    .option = "openmetrics", .make = make, .event = take, .write = write, .free = drop};
