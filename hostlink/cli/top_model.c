/* SPDX-License-Identifier: MIT */
#include "cli/top_model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/host_clock.h"
#include "base/utf8.h"

#define LIVE_STEP_NS ((int64_t)(NS_PER_S / 2))
#define FIRST_STEP_NS INT64_C(1000)

int top_model_open(struct top_model *model, bool is_live) {
    *model =
        (struct top_model){.zones = zonestats_new(), .tracks = taskstats_new(), .is_live = is_live};
    return model->zones && model->tracks ? 0 : -ENOMEM;
}

void top_model_close(struct top_model *model) {
    if (model->zones) {
        zonestats_free(model->zones);
    }
    if (model->tracks) {
        taskstats_free(model->tracks);
    }
    keytable_free(&model->plot_names);
    free(model->plots);
    free(model->zones_seen);
    free(model->tracks_seen);
}

/* ---- plots ---- */

/* Two pieces become one, which has the later value. */
static void halve(struct top_history *history) {
    const int64_t odd = history->first & 1;
    uint32_t count = 0;
    for (uint32_t i = 0; i < history->count; i++) {
        const uint32_t at = (uint32_t)(((int64_t)i + odd) / 2);
        history->value[at] = history->value[i];
        count = at + 1;
    }
    history->count = count;
    history->first = (history->first - odd) / 2;
    history->step_ns *= 2;
}

static void scroll(struct top_history *history, int64_t by) {
    const uint32_t gone = by < (int64_t)history->count ? (uint32_t)by : history->count;
    memmove(history->value, history->value + gone,
            (history->count - gone) * sizeof *history->value);
    history->count -= gone;
    history->first += by;
}

static void keep(struct top_history *history, int64_t time_ns, double value) {
    int64_t piece = time_ns / history->step_ns;
    if (history->count == 0) {
        history->first = piece;
    }
    while (piece - history->first >= (int64_t)TOP_HISTORY) {
        if (history->scrolls) {
            scroll(history, piece - history->first - (int64_t)TOP_HISTORY + 1);
        } else {
            halve(history);
            piece = time_ns / history->step_ns;
        }
    }
    piece = piece < history->first ? history->first : piece;
    const uint32_t at = (uint32_t)(piece - history->first);
    const double before = history->count > 0 ? history->value[history->count - 1] : value;
    while (history->count <= at) {
        history->value[history->count++] = before; /* it kept its value meanwhile */
    }
    history->value[at] = value;
}

static struct top_plot *plot_of(struct top_model *model, const char *name) {
    const int64_t number = keytable_add(&model->plot_names, name, strlen(name) + 1);
    if (number < 0) {
        return NULL;
    }
    if (!grow_zeroed(&model->plots, &model->plot_capacity, (uint32_t)number,
                     sizeof *model->plots)) {
        return NULL;
    }
    return &model->plots[number];
}

static int take_plot(struct top_model *model, const struct event *event) {
    struct top_plot *plot = plot_of(model, event->site->name);
    const double value = event->u.plot.real;
    if (!plot) {
        return -ENOMEM;
    }
    if (plot->count == 0) {
        plot->name = event->site->name;
        plot->least = plot->most = value;
        plot->history.step_ns = model->is_live ? LIVE_STEP_NS : FIRST_STEP_NS;
        plot->history.scrolls = model->is_live;
    }
    plot->count++;
    plot->last = value;
    plot->least = value < plot->least ? value : plot->least;
    plot->most = value > plot->most ? value : plot->most;
    keep(&plot->history, event->time_ns, value);
    return 0;
}

/* ---- events ---- */

int top_model_event(void *context, const struct event *event) {
    struct top_model *model = context;
    if (!model->has_events) {
        model->first_ns = model->looked_ns = event->time_ns;
        model->has_events = true;
    }
    model->last_ns = event->time_ns > model->last_ns ? event->time_ns : model->last_ns;
    int error = zonestats_event(model->zones, event);
    error = error ? error : taskstats_event(model->tracks, event);
    const bool plots = event_role(event->kind) == KYMO_ROLE_SAMPLE && event->site;
    return error || !plots ? error : take_plot(model, event);
}

/* ---- rows ---- */

static struct top_row *add(struct top_rows *rows, const char *name) {
    struct top_row *row = &rows->list[rows->count++];
    *row = (struct top_row){0};
    utf8_clean(row->name, sizeof row->name, name, strlen(name));
    return row;
}

static int make_rows(struct top_rows *rows, size_t count) {
    rows->list = malloc((count + 1) * sizeof *rows->list);
    rows->count = 0;
    return rows->list ? 0 : -ENOMEM;
}

static int grow_seen(struct top_seen **seen, size_t *known, size_t count) {
    if (count > *known) {
        struct top_seen *grown = realloc(*seen, count * sizeof *grown);
        if (!grown) {
            return -ENOMEM;
        }
        memset(grown + *known, 0, (count - *known) * sizeof *grown);
        *seen = grown;
        *known = count;
    }
    return 0;
}

/* Subtracts the counts of the last look. */
static void fill(struct top_row *row, const struct top_seen *now, struct top_seen *seen,
                 bool since_start, double span_ns) {
    const struct top_seen from = since_start ? (struct top_seen){0} : *seen;
    row->count = now->count - from.count;
    row->total_ns = now->total_ns - from.total_ns;
    row->self_ns = now->self_ns - from.self_ns;
    row->share = span_ns > 0 ? 100.0 * (double)row->self_ns / span_ns : 0.0;
    row->rate = span_ns > 0 ? (double)row->count * 1e9 / span_ns : 0.0;
    *seen = *now;
}

static int look_at_zones(struct top_model *model, bool since_start, double span_ns,
                         struct top_rows *rows) {
    size_t count = 0;
    struct zonestats_row *all = zonestats_rows(model->zones, &count);
    if (count == SIZE_MAX || make_rows(rows, count) != 0 ||
        grow_seen(&model->zones_seen, &model->zones_known, count) != 0) {
        free(all);
        return -ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        struct top_row *row = add(rows, all[i].site->name);
        const struct top_seen now = {all[i].count, all[i].total_ns, all[i].self_ns};
        fill(row, &now, &model->zones_seen[all[i].order], since_start, span_ns);
        row->max_ns = all[i].max_ns;
    }
    free(all);
    return 0;
}

static int look_at_tracks(struct top_model *model, bool since_start, double span_ns,
                          struct top_rows *tracks, struct top_rows *interrupts) {
    uint32_t count = 0;
    while (taskstats_row(model->tracks, count) != NULL) {
        count++;
    }
    if (make_rows(tracks, count) != 0 || make_rows(interrupts, count) != 0 ||
        grow_seen(&model->tracks_seen, &model->tracks_known, count) != 0) {
        return -ENOMEM;
    }
    const uint64_t observed = taskstats_observed_ns(model->tracks);
    const double observed_ns = (double)(observed - (since_start ? 0 : model->observed_ns));
    model->observed_ns = observed;
    for (uint32_t i = 0; i < count; i++) {
        const struct taskstats_row *of = taskstats_row(model->tracks, i);
        if (of->track == NULL) {
            continue;
        }
        const bool interrupt = of->track->kind == KYMO_CONTEXT_INTERRUPT;
        struct top_row *row = add(interrupt ? interrupts : tracks, of->track->name);
        const struct top_seen now = {of->runs, of->run_ns, of->run_ns};
        fill(row, &now, &model->tracks_seen[i], since_start, span_ns);
        if (!interrupt) { /* as in the table of tasks: of the observed time of all cores */
            row->share = observed_ns > 0 ? 100.0 * (double)row->self_ns / observed_ns : 0.0;
        }
    }
    return 0;
}

static int look_at_plots(struct top_model *model, bool since_start, double span_ns,
                         struct top_rows *rows) {
    if (make_rows(rows, model->plot_names.count) != 0) {
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < model->plot_names.count && model->plots; i++) {
        struct top_plot *plot = &model->plots[i];
        struct top_row *row = add(rows, plot->name);
        row->count = plot->count - (since_start ? 0 : plot->seen);
        row->rate = span_ns > 0 ? (double)row->count * 1e9 / span_ns : 0.0;
        row->last = plot->last;
        row->least = plot->least;
        row->most = plot->most;
        row->history = &plot->history;
        plot->seen = plot->count;
    }
    return 0;
}

int top_model_look(struct top_model *model, bool since_start, struct top_rows rows[TOP_PARTS]) {
    const int64_t from_ns = since_start ? 0 : model->looked_ns;
    const double span_ns = (double)(model->last_ns - from_ns);
    if (model->is_live) {
        taskstats_reach(model->tracks, model->last_ns);
    }
    int error = look_at_zones(model, since_start, span_ns, &rows[TOP_ZONES]);
    error = error ? error
                  : look_at_tracks(model, since_start, span_ns, &rows[TOP_TRACKS],
                                   &rows[TOP_INTERRUPTS]);
    error = error ? error : look_at_plots(model, since_start, span_ns, &rows[TOP_PLOTS]);
    model->looked_ns = model->last_ns;
    return error;
}
