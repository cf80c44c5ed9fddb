/* SPDX-License-Identifier: MIT */
/* The lines of the screen, for 80 columns and more. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "base/screen.h"
#include "base/utf8.h"
#include "cli/silence.h"
#include "cli/top.h"

#define LINE_BYTES SCREEN_LINE_BYTES
#define NAME_LEAST 12u
/* Columns of figures beside the name, with the spaces before them. */
#define FIGURES 54u
#define HEAD_ROWS 4u
#define SPARK_LEAST 8u

/* The row of the next line, and the first row that is not ours. */
struct pen {
    struct top *top;
    unsigned row, end;
};

static void put(struct pen *pen, enum screen_style style, const char *text) {
    if (pen->row < pen->end) {
        screen_line(pen->row++, style, text);
    }
}

static void putf(struct pen *pen, enum screen_style style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void putf(struct pen *pen, enum screen_style style, const char *format, ...) {
    char text[LINE_BYTES];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    put(pen, style, text);
}

/* "name" in exactly so many columns. */
static const char *padded(char *text, size_t size, const char *name, unsigned columns) {
    const size_t length = strlen(name);
    size_t used = 0;
    unsigned at = 0;
    for (uint32_t character; used < length && at < columns && used + 8 < size; at++) {
        const size_t bytes = utf8_next(name + used, length - used, &character);
        memcpy(text + used, name + used, bytes);
        used += bytes;
    }
    for (; at < columns && used + 1 < size; at++) {
        text[used++] = ' ';
    }
    text[used] = '\0';
    return text;
}

static unsigned name_columns(void) {
    const unsigned columns = screen_columns();
    return columns > FIGURES + NAME_LEAST ? columns - FIGURES : NAME_LEAST;
}

/* ---- the head ---- */

static void draw_flow(struct pen *pen) {
    const struct top *top = pen->top;
    char bytes[HUMAN_SIZE], events[HUMAN_SIZE], link[48] = "";
    const struct live *live = top->live;
    const uint64_t silence = live ? silence_ns(live) : 0;
    if (!live || top->ended) {
        putf(pen, SCREEN_PLAIN, " %s", !live ? "a capture" : live_end_text(live));
        return;
    }
    if (live->away || silence > 0) {
        putf(pen, SCREEN_BOLD, " %s",
             live->away ? "the source is gone: waiting for it to come back"
                        : "no data from the board");
        return;
    }
    if (live->source->serial) {
        (void)snprintf(link, sizeof link, ", %.0f %% of %" PRIu32 " baud",
                       1000.0 * top->bytes_per_s / live->baud, live->baud);
    }
    putf(pen, SCREEN_PLAIN, " link %s%s   %s", human_number(bytes, top->bytes_per_s, "B/s"), link,
         human_number(events, top->events_per_s, "ev/s"));
}

static void draw_counts(struct pen *pen) {
    const struct pipeline_totals *totals = &pen->top->totals;
    char events[HUMAN_SIZE], span[HUMAN_SIZE], ring[32] = "";
    const unsigned percent = board_info_ring_percent(&totals->info);
    const uint64_t lasted =
        totals->last_ns > totals->first_ns ? (uint64_t)(totals->last_ns - totals->first_ns) : 0;
    if (percent > 0) {
        (void)snprintf(ring, sizeof ring, "  ring peak %u %%",
                       totals->lost_ring > 0 ? 100 : percent);
    }
    putf(pen, totals->lost > totals->lost_before ? SCREEN_BOLD : SCREEN_PLAIN,
         " events %s  lost %" PRIu64 " (ring %" PRIu64 ", line %" PRIu64 ")%s  span %s",
         human_number(events, (double)totals->delivered, ""), totals->lost - totals->lost_before,
         totals->lost_ring, totals->lost_link - totals->lost_before, ring,
         human_time(span, lasted));
}

static void draw_head(struct pen *pen) {
    static const char *const views[] = {"[o]verview", "[z]ones",      "[r]ows", "[i]nterrupts",
                                        "[p]lots",    "para[m]eters", "[?]help"};
    static const char *const orders[] = {"self", "count", "mean", "max", "name"};
    struct top *top = pen->top;
    char name[128], text[LINE_BYTES] = "";
    size_t used = 0;
    utf8_clean(name, sizeof name, top->name, strlen(top->name));
    putf(pen, SCREEN_REVERSE, " hostlink top  %.40s  by %s%s%s%s%s%s", name, orders[top->order],
         top->reversed ? ", reversed" : "", top->filter[0] ? "  /" : "", top->filter,
         top->paused ? "  PAUSED" : "",
         top->live && !top->ended && !top->since_start ? "" : "  since the start");
    draw_flow(pen);
    draw_counts(pen);
    for (unsigned i = 0; i < sizeof views / sizeof *views; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 i == (unsigned)top->view ? " >%s" : "  %s", views[i]);
    }
    put(pen, SCREEN_PLAIN, text);
}

/* ---- rows ---- */

/* The last values, by the greatest and the least of them. */
static void spark(const struct top *top, const struct top_history *history, unsigned columns,
                  char *text, size_t size) {
    static const char *const blocks[] = {"\u2581", "\u2582", "\u2583", "\u2584",
                                         "\u2585", "\u2586", "\u2587", "\u2588"};
    static const char *const letters[] = {"_", ".", ":", "-", "=", "+", "*", "#"};
    const uint32_t from = history->count > columns ? history->count - columns : 0;
    double least = HUGE_VAL, most = -HUGE_VAL;
    size_t used = 0;
    for (uint32_t i = from; i < history->count; i++) {
        least = fmin(least, history->value[i]);
        most = fmax(most, history->value[i]);
    }
    for (uint32_t i = from; i < history->count && used + 8 < size; i++) {
        const double part = most > least ? (history->value[i] - least) / (most - least) : 0.0;
        const unsigned level = part >= 0.0 && part <= 1.0 ? (unsigned)(part * 7.0 + 0.5) : 0;
        used += (size_t)snprintf(text + used, size - used, "%s",
                                 top->utf8 ? blocks[level] : letters[level]);
    }
    text[used] = '\0';
}

static void draw_plot(struct pen *pen, const struct top_row *row) {
    char name[LINE_BYTES], line[LINE_BYTES];
    const unsigned columns = screen_columns();
    const unsigned width = columns > 64 ? columns - 20 - 33 : SPARK_LEAST;
    spark(pen->top, row->history, width, line, sizeof line);
    putf(pen, SCREEN_PLAIN, " %s%10.6g%10.6g%10.6g  %s", padded(name, sizeof name, row->name, 20),
         row->last, row->least, row->most, line);
}

static void draw_zone(struct pen *pen, const struct top_row *row) {
    char name[LINE_BYTES], self[HUMAN_SIZE], rate[HUMAN_SIZE], mean[HUMAN_SIZE], most[HUMAN_SIZE];
    putf(pen, SCREEN_PLAIN, " %s%7.2f%%%10s%9s%8" PRIu64 "%9s%9s",
         padded(name, sizeof name, row->name, name_columns()), row->share,
         human_time(self, row->self_ns), human_number(rate, row->rate, ""), row->count,
         human_time(mean, row->count > 0 ? row->total_ns / row->count : 0),
         human_time(most, row->max_ns));
}

static void draw_track(struct pen *pen, const struct top_row *row) {
    char name[LINE_BYTES], self[HUMAN_SIZE], rate[HUMAN_SIZE], mean[HUMAN_SIZE];
    putf(pen, SCREEN_PLAIN, " %s%7.2f%%%10s%9s%8" PRIu64 "%9s",
         padded(name, sizeof name, row->name, name_columns()), row->share,
         human_time(self, row->self_ns), human_number(rate, row->rate, ""), row->count,
         human_time(mean, row->count > 0 ? row->self_ns / row->count : 0));
}

static void draw_column_heads(struct pen *pen, enum top_part part, size_t count) {
    static const char *const titles[] = {[TOP_ZONES] = "zones",
                                         [TOP_TRACKS] = "rows",
                                         [TOP_INTERRUPTS] = "interrupts",
                                         [TOP_PLOTS] = "plots"};
    char name[LINE_BYTES], title[48];
    (void)snprintf(title, sizeof title, "%s (%zu)", titles[part], count);
    if (part == TOP_PLOTS) {
        putf(pen, SCREEN_BOLD, " %s%10s%10s%10s", padded(name, sizeof name, title, 20), "last",
             "min", "max");
        return;
    }
    putf(pen, SCREEN_BOLD, " %s%8s%10s%9s%8s%9s%9s",
         padded(name, sizeof name, title, name_columns()), part == TOP_TRACKS ? "cpu" : "of core",
         part == TOP_TRACKS ? "run" : "self", "per s", part == TOP_TRACKS ? "runs" : "count",
         part == TOP_ZONES ? "mean" : "each", part == TOP_ZONES ? "max" : "");
}

static void draw_part(struct pen *pen, enum top_part part, unsigned rows, size_t from) {
    struct top *top = pen->top;
    const size_t all = top->rows[part].count;
    const struct top_row **list = malloc((all + 1) * sizeof *list);
    if (!list || rows == 0) {
        free(list);
        return;
    }
    const size_t count = top_select(top, part, list, all);
    from = from < count ? from : count > 0 ? count - 1 : 0;
    draw_column_heads(pen, part, count);
    for (size_t i = from; i < count && i - from + 1 < rows; i++) {
        if (part == TOP_PLOTS) {
            draw_plot(pen, list[i]);
        } else if (part == TOP_ZONES) {
            draw_zone(pen, list[i]);
        } else {
            draw_track(pen, list[i]);
        }
    }
    free(list);
}

/* Each part gets the rows it needs, and zones the rest; if that is too little, each gets a share. */
static void draw_overview(struct pen *pen) {
    static const enum top_part order[] = {TOP_TRACKS, TOP_ZONES, TOP_INTERRUPTS, TOP_PLOTS};
    const unsigned room = pen->end - pen->row;
    unsigned wanted[TOP_PARTS], others = 0;
    for (unsigned i = 0; i < TOP_PARTS; i++) {
        const unsigned most = i == TOP_TRACKS ? room / 4 : room / 5;
        const size_t count = pen->top->rows[i].count;
        wanted[i] = count == 0 ? 0 : count + 1 < most ? (unsigned)count + 1 : most;
        others += i != TOP_ZONES ? wanted[i] : 0;
    }
    wanted[TOP_ZONES] = others < room ? room - others : 0;
    for (unsigned i = 0; i < TOP_PARTS; i++) {
        const enum top_part part = order[i];
        const size_t needs = pen->top->rows[part].count + 1;
        draw_part(pen, part, wanted[part] < needs ? wanted[part] : (unsigned)needs, 0);
    }
}

/* ---- parameters and help ---- */

static void draw_params(struct pen *pen) {
    struct top *top = pen->top;
    const struct params *params = top_params(top);
    char name[LINE_BYTES], clean[PARAM_NAME_BYTES];
    if (!params || params->count == 0) {
        put(pen, SCREEN_PLAIN,
            params ? " the board has reported no parameter"
                   : " nothing can be sent to this source");
        return;
    }
    top->params_at = top->params_at < params->count ? top->params_at : params->count - 1;
    putf(pen, SCREEN_BOLD, " %s%12s%12s%12s", padded(name, sizeof name, "parameter", 30), "value",
         "from", "to");
    const unsigned room = pen->end - pen->row;
    const size_t from = top->params_at >= room && room > 0 ? top->params_at - room + 1 : 0;
    for (size_t i = from; i < params->count; i++) {
        const struct param *param = &params->list[i];
        utf8_clean(clean, sizeof clean, param->name, strlen(param->name));
        putf(pen, i == top->params_at ? SCREEN_REVERSE : SCREEN_PLAIN,
             " %s%12" PRId32 "%12" PRId32 "%12" PRId32 "%s", padded(name, sizeof name, clean, 30),
             param->has, param->minimum, param->maximum,
             param->wish == PARAM_ASKED      ? "  asked"
             : param->wish == PARAM_GIVEN_UP ? "  not obeyed"
                                             : "");
    }
}

static void draw_help(struct pen *pen) {
    static const char *const lines[] = {
        " o z r i p m   overview, zones, rows, interrupts, plots, parameters",
        " s R           sort by the next column; the other way round",
        " / Esc         show names that contain a text; all names",
        " a             numbers since the start of the trace, or since the last second",
        " space         pause and go on",
        " up down       scroll, or choose a parameter; also k j and the page keys",
        " Enter =       set the chosen parameter",
        " S             set the sample rate (parameter kymo.sample_hz)",
        " q             end",
        "",
        " of core, self, per s, count, mean, each: of the last second; max: since the start.",
        " rows: main code of cores, tasks; cpu: of all time that cores were seen to run."};
    for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++) {
        put(pen, SCREEN_PLAIN, lines[i]);
    }
}

static void draw_view(struct pen *pen) {
    const struct top *top = pen->top;
    static const enum top_part parts[] = {[TOP_VIEW_ZONES] = TOP_ZONES,
                                          [TOP_VIEW_TRACKS] = TOP_TRACKS,
                                          [TOP_VIEW_INTERRUPTS] = TOP_INTERRUPTS,
                                          [TOP_VIEW_PLOTS] = TOP_PLOTS};
    switch (top->view) {
    case TOP_VIEW_ALL:
        draw_overview(pen);
        break;
    case TOP_VIEW_PARAMS:
        draw_params(pen);
        break;
    case TOP_VIEW_HELP:
        draw_help(pen);
        break;
    default:
        draw_part(pen, parts[top->view], pen->end - pen->row, top->scroll);
        break;
    }
}

/* ---- the last line ---- */

static void draw_bottom(const struct top *top, unsigned row) {
    char text[LINE_BYTES], clean[LINE_BYTES];
    if (top->input == TOP_INPUT_FILTER) {
        (void)snprintf(text, sizeof text, "show names with: %s_", top->typed);
    } else if (top->input == TOP_INPUT_VALUE) {
        (void)snprintf(text, sizeof text, "%s = %s_", top->asked, top->typed);
    } else {
        (void)snprintf(text, sizeof text, "%s", top->notice);
    }
    utf8_clean(clean, sizeof clean, text, strlen(text));
    screen_line(row, top->input != TOP_INPUT_NONE ? SCREEN_BOLD : SCREEN_PLAIN, clean);
}

void top_draw(struct top *top) {
    const unsigned rows = screen_rows();
    struct pen pen = {.top = top, .end = rows > 0 ? rows - 1 : 0};
    draw_head(&pen);
    draw_view(&pen);
    draw_bottom(top, pen.end);
    screen_show();
}
