/* SPDX-License-Identifier: MIT */
#include "cli/top.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/screen.h"

struct params *top_params(const struct top *top) {
    return top->live && top->live->commands && top->live->source->two_way
               ? &top->live->dialogue.params
               : NULL;
}

/* ---- numbers ---- */

static double per_s(uint64_t amount, uint64_t time_ns) {
    return time_ns > 0 ? (double)amount * 1e9 / (double)time_ns : 0.0;
}

void top_look(struct top *top, uint64_t now_ns) {
    if (top->paused) {
        return;
    }
    for (unsigned i = 0; i < TOP_PARTS; i++) {
        free(top->rows[i].list);
        top->rows[i] = (struct top_rows){0};
    }
    const bool is_total = top->since_start || !top->live || top->ended;
    top->error = top_model_look(&top->model, is_total, top->rows);
    if (top->looked_ns > 0 && now_ns > top->looked_ns) {
        top->bytes_per_s = per_s(top->totals.bytes - top->shown_bytes, now_ns - top->looked_ns);
        top->events_per_s =
            per_s(top->totals.delivered - top->shown_events, now_ns - top->looked_ns);
    }
    top->looked_ns = now_ns;
    top->shown_bytes = top->totals.bytes;
    top->shown_events = top->totals.delivered;
}

/* ---- which rows, in which order ---- */

static struct {
    enum top_order order;
    bool reversed, is_plot;
} sorting; /* qsort() has no context */

static uint64_t mean_of(const struct top_row *row) {
    return row->count > 0 ? row->total_ns / row->count : 0;
}

static int compare(uint64_t a, uint64_t b) { return a > b ? -1 : a < b; }

static int by_key(const struct top_row *a, const struct top_row *b) {
    switch (sorting.order) {
    case TOP_BY_COUNT:
        return compare(a->count, b->count);
    case TOP_BY_MEAN:
        return compare(mean_of(a), mean_of(b));
    case TOP_BY_MAX:
        return sorting.is_plot ? (a->most > b->most ? -1 : a->most < b->most)
                               : compare(a->max_ns, b->max_ns);
    case TOP_BY_NAME:
        return strcmp(a->name, b->name);
    case TOP_BY_SELF:
    default:
        return sorting.is_plot ? compare(a->count, b->count) : compare(a->self_ns, b->self_ns);
    }
}

static int by_order(const void *left, const void *right) {
    const struct top_row *a = *(const struct top_row *const *)left;
    const struct top_row *b = *(const struct top_row *const *)right;
    const int result = by_key(a, b);
    return result != 0 ? (sorting.reversed ? -result : result) : strcmp(a->name, b->name);
}

/* An ASCII letter matches in either case. */
static bool matches(const char *name, const char *filter) {
    const size_t length = strlen(filter);
    for (; *name != '\0'; name++) {
        if (strncasecmp(name, filter, length) == 0) {
            return true;
        }
    }
    return length == 0;
}

size_t top_select(const struct top *top, enum top_part part, const struct top_row **rows,
                  size_t most) {
    size_t count = 0;
    for (size_t i = 0; i < top->rows[part].count && count < most; i++) {
        if (matches(top->rows[part].list[i].name, top->filter)) {
            rows[count++] = &top->rows[part].list[i];
        }
    }
    sorting.order = top->order;
    sorting.reversed = top->reversed;
    sorting.is_plot = part == TOP_PLOTS;
    qsort(rows, count, sizeof *rows, by_order);
    return count;
}

/* ---- keys ---- */

static void ask_value(struct top *top, const struct param *param) {
    top->input = TOP_INPUT_VALUE;
    top->typed[0] = '\0';
    (void)snprintf(top->asked, sizeof top->asked, "%s", param->name);
}

static void set_value(struct top *top) {
    struct params *params = top_params(top);
    const struct param *param = params ? params_find(params, top->asked, strlen(top->asked)) : NULL;
    char *end = NULL;
    errno = 0;
    const long value = strtol(top->typed, &end, 0);
    if (!param) {
        (void)snprintf(top->notice, sizeof top->notice, "the board has no '%s' now", top->asked);
    } else if (end == top->typed || *end != '\0' || errno != 0 || value < param->minimum ||
               value > param->maximum) {
        (void)snprintf(top->notice, sizeof top->notice, "'%s' is no whole number from %ld to %ld",
                       top->typed, (long)param->minimum, (long)param->maximum);
    } else {
        (void)params_ask(params, param->index, (int32_t)value);
        (void)snprintf(top->notice, sizeof top->notice, "%s=%ld is sent until the board has it",
                       param->name, value);
    }
}

static void take_typed(struct top *top, int key) {
    size_t length = strlen(top->typed);
    if (key == '\r' || key == '\n') {
        if (top->input == TOP_INPUT_FILTER) {
            memcpy(top->filter, top->typed, sizeof top->filter);
        } else {
            set_value(top);
        }
        top->input = TOP_INPUT_NONE;
        top->scroll = 0;
    } else if (key == SCREEN_ESCAPE) {
        top->input = TOP_INPUT_NONE;
    } else if (key == SCREEN_BACKSPACE) {
        while (length > 0 && ((unsigned char)top->typed[--length] & 0xc0) == 0x80) {}
        top->typed[length] = '\0';
    } else if (key >= ' ' && key < 0x100 && length + 1 < sizeof top->typed) {
        top->typed[length] = (char)key;
        top->typed[length + 1] = '\0';
    }
}

static void move(struct top *top, long by) {
    size_t *at = top->view == TOP_VIEW_PARAMS ? &top->params_at : &top->scroll;
    *at = by < 0 && (size_t)-by > *at ? 0 : *at + (size_t)by;
}

static void set_chosen(struct top *top) {
    const struct params *params = top_params(top);
    if (params && top->params_at < params->count) {
        ask_value(top, &params->list[top->params_at]);
    } else {
        (void)snprintf(top->notice, sizeof top->notice, "%s",
                       params ? "the board has reported no parameter"
                              : "nothing can be sent to this source");
    }
}

static void set_sample_rate(struct top *top) {
    static const char name[] = "kymo.sample_hz";
    const struct params *params = top_params(top);
    const struct param *param = params ? params_find(params, name, sizeof name - 1) : NULL;
    if (param) {
        ask_value(top, param);
    } else {
        (void)snprintf(top->notice, sizeof top->notice,
                       "this board takes no samples, or does not say so");
    }
}

static bool choose_view(struct top *top, int key) {
    static const char keys[] = "ozripm?";
    const char *at = key > 0 && key < 0x80 ? strchr(keys, key) : NULL;
    if (at) {
        top->view = (enum top_view)(at - keys);
        top->scroll = 0;
    }
    return at != NULL;
}

static void command(struct top *top, int key) {
    switch (key) {
    case 'q':
    case SCREEN_GONE:
        top->wants_end = true;
        break;
    case ' ':
        top->paused = !top->paused;
        break;
    case 's':
        top->order = (enum top_order)((top->order + 1) % TOP_ORDERS);
        break;
    case 'R':
        top->reversed = !top->reversed;
        break;
    case 'a':
        top->since_start = !top->since_start;
        break;
    case '/':
        top->input = TOP_INPUT_FILTER;
        memcpy(top->typed, top->filter, sizeof top->typed);
        break;
    case SCREEN_ESCAPE:
        top->filter[0] = '\0';
        break;
    case 'S':
        set_sample_rate(top);
        break;
    default:
        break;
    }
}

void top_key(struct top *top, int key) {
    top->notice[0] = '\0';
    if (key == SCREEN_GONE || top->input == TOP_INPUT_NONE) {
        const long page = (long)screen_rows() / 2;
        const long by = key == SCREEN_UP || key == 'k'     ? -1
                        : key == SCREEN_DOWN || key == 'j' ? 1
                        : key == SCREEN_PAGE_UP            ? -page
                        : key == SCREEN_PAGE_DOWN          ? page
                                                           : 0;
        if (by != 0) {
            move(top, by);
        } else if (top->view == TOP_VIEW_PARAMS && (key == '\r' || key == '=')) {
            set_chosen(top);
        } else if (!choose_view(top, key)) {
            command(top, key);
        }
    } else {
        take_typed(top, key);
    }
}
