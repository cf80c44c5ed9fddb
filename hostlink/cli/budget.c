/* SPDX-License-Identifier: MIT */
#include "cli/budget.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/nearest.h"
#include "base/say.h"
#include "base/whole_file.h"
#include "cli/cmd.h"

#define TIMES(kind, of, before)                                                                    \
    {kind, before "max", of, BUDGET_MOST, BUDGET_TIME},                                            \
        {kind, before "p99", of, BUDGET_P99, BUDGET_TIME},                                         \
        {kind, before "mean", of, BUDGET_MEAN, BUDGET_TIME}, {                                     \
        kind, before "count", of, BUDGET_HOW_MANY, BUDGET_COUNT                                    \
    }

const struct budget_word budget_words[] = {
    TIMES("zone", MEASURE_ZONE, ""),
    {"zone", "share", MEASURE_ZONE, BUDGET_SHARE, BUDGET_PERCENT},
    TIMES("frame", MEASURE_FRAME, ""),
    TIMES("interrupt", MEASURE_INTERRUPT, ""),
    {"interrupt", "share", MEASURE_INTERRUPT, BUDGET_SHARE, BUDGET_PERCENT},
    TIMES("task", MEASURE_RUN, "run-"),
    {"task", "share", MEASURE_RUN, BUDGET_SHARE, BUDGET_PERCENT},
    TIMES("task", MEASURE_READY, "ready-"),
    TIMES("lock", MEASURE_WAIT, "wait-"),
    TIMES("lock", MEASURE_HOLD, "hold-"),
    TIMES("flow", MEASURE_FLOW, ""),
    TIMES("async", MEASURE_ASYNC, ""),
    {"plot", "max", MEASURE_PLOT, BUDGET_MOST, BUDGET_VALUE},
    {"plot", "min", MEASURE_PLOT, BUDGET_LEAST, BUDGET_VALUE},
    {"plot", "mean", MEASURE_PLOT, BUDGET_MEAN, BUDGET_VALUE},
    {"plot", "count", MEASURE_PLOT, BUDGET_HOW_MANY, BUDGET_COUNT},
    {"loss", "count", BUDGET_LOSS, BUDGET_HOW_MANY, BUDGET_COUNT},
    {"ring", "max", BUDGET_RING, BUDGET_MOST, BUDGET_PERCENT},
    {0},
};

static const struct {
    const char *name;
    double ns;
} times[] = {{"ns", 1.0}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
#define TIME_UNITS (sizeof times / sizeof *times)

/* ---- reading ---- */

/* A line, as far as it is read. */
struct line {
    struct budget *budget;
    unsigned number;
    char *at;
};

static int wrong(const struct line *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static int wrong(const struct line *line, const char *format, ...) {
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    say("%s:%u: %s", line->budget->path, line->number, text);
    return EXIT_USAGE;
}

static int wrong_word(const struct line *line, const char *what, const struct nearest *nearest,
                      const char *known) {
    return nearest->word ? wrong(line, "'%s' is no %s, did you mean '%s'?", nearest->typed, what,
                                 nearest->word)
                         : wrong(line, "'%s' is no %s; there are %s", nearest->typed, what, known);
}

/* The next word. Quotes may hold blanks; a backslash precedes a character that must not end the word or match as a
 * pattern. NULL: end of the line. */
static char *next_word(struct line *line, bool *open) {
    char *at = line->at + strspn(line->at, " \t\r");
    if (*at == '\0' || *at == '#') {
        return NULL;
    }
    const bool quoted = *at == '"';
    char *start = at + (quoted ? 1 : 0);
    for (at = start; *at != '\0' && (quoted ? *at != '"' : !strchr(" \t\r", *at)); at++) {
        at += *at == '\\' && at[1] != '\0' ? 1 : 0;
    }
    *open = quoted && *at == '\0';
    line->at = *at != '\0' ? at + 1 : at;
    *at = '\0';
    return start;
}

static const struct budget_word *find_kind(const char *kind) {
    const struct budget_word *word = budget_words;
    while (word->kind && strcmp(word->kind, kind) != 0) {
        word++;
    }
    return word->kind ? word : NULL;
}

static int unknown_kind(const struct line *line, const char *kind) {
    struct nearest nearest = {.typed = kind};
    for (const struct budget_word *word = budget_words; word->kind; word++) {
        nearest_try(&nearest, word->kind);
    }
    return wrong_word(line, "kind", &nearest,
                      "zone, frame, interrupt, task, lock, flow, async, plot, loss and ring");
}

static int unknown_limit(const struct line *line, const char *kind, const char *limit) {
    struct nearest nearest = {.typed = limit};
    char known[200] = "", what[40];
    size_t used = 0;
    for (const struct budget_word *word = budget_words; word->kind; word++) {
        if (strcmp(word->kind, kind) == 0) {
            nearest_try(&nearest, word->word);
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "",
                                     word->word);
        }
    }
    snprintf(what, sizeof what, "limit of a %s", kind);
    return wrong_word(line, what, &nearest, known);
}

/* The letters at "at", with those of them that are left of the line. */
static size_t unit_length(const char *at) { return strcspn(at, " \t\r#0123456789"); }

static int read_time_unit(struct line *line, double *value) {
    const size_t length = unit_length(line->at);
    size_t i = 0;
    while (i < TIME_UNITS &&
           (strlen(times[i].name) != length || strncmp(line->at, times[i].name, length) != 0)) {
        i++;
    }
    if (i == TIME_UNITS) {
        return wrong(line, "a time needs a unit, ns, us, ms or s, not '%.*s'",
                     (int)(length < 40 ? length : 40), line->at);
    }
    *value *= times[i].ns;
    line->at += length;
    return EXIT_OK;
}

/* "2 ms", "2ms", "80 %", "12". */
static int read_value(struct line *line, const struct budget_word *word, double *value) {
    char *start = line->at + strspn(line->at, " \t");
    *value = strtod(start, &line->at);
    if (line->at == start || !isfinite(*value * 1e9)) { /* in ns too */
        return wrong(line, "'%s' needs a number%s", word->word,
                     word->unit == BUDGET_TIME ? " with ns, us, ms or s" : "");
    }
    char *behind = line->at + strspn(line->at, " \t");
    if (word->unit == BUDGET_TIME) {
        line->at = behind;
        return read_time_unit(line, value);
    }
    line->at = word->unit == BUDGET_PERCENT && *behind == '%' ? behind + 1 : line->at;
    const size_t length = unit_length(line->at);
    return length == 0 ? EXIT_OK
                       : wrong(line, "'%.*s' is no unit of '%s'", (int)(length < 40 ? length : 40),
                               line->at, word->word);
}

static int add(struct line *line, const struct budget_word *word, const char *name, double value) {
    struct budget *budget = line->budget;
    if (!grow(&budget->limits, &budget->capacity, budget->count, sizeof *budget->limits)) {
        return EXIT_OUTPUT;
    }
    char *copy = name ? strdup(name) : NULL;
    if (name && !copy) {
        return EXIT_OUTPUT;
    }
    budget->limits[budget->count++] = (struct budget_limit){word, copy, line->number, value};
    return EXIT_OK;
}

static int read_limits(struct line *line, const char *kind, const char *name) {
    bool open = false;
    const char *limit = next_word(line, &open);
    if (!limit) {
        return wrong(line, "no limit after the %s", name ? "name" : "kind");
    }
    for (; limit; limit = next_word(line, &open)) {
        const struct budget_word *word = budget_words;
        double value = 0.0;
        while (word->kind && (strcmp(word->kind, kind) != 0 || strcmp(word->word, limit) != 0)) {
            word++;
        }
        int code = word->kind ? read_value(line, word, &value) : unknown_limit(line, kind, limit);
        code = code == EXIT_OK ? add(line, word, name, value) : code;
        if (code != EXIT_OK) {
            return code;
        }
    }
    return EXIT_OK;
}

static int read_line(struct line *line) {
    bool open = false;
    const char *kind = next_word(line, &open), *name = NULL;
    if (!kind) {
        return EXIT_OK;
    }
    const struct budget_word *found = find_kind(kind);
    if (!found) {
        return unknown_kind(line, kind);
    }
    if (found->of < BUDGET_LOSS) {
        name = next_word(line, &open);
        if (!name || open) {
            return wrong(line, !name ? "no name after '%s'" : "the name of the %s has no end: \"",
                         kind);
        }
    }
    return read_limits(line, kind, name);
}

static int read_lines(struct budget *budget, char *text) {
    int code = EXIT_OK;
    struct line line = {.budget = budget};
    for (char *next = text; next && code == EXIT_OK;) {
        line.at = next;
        line.number++;
        next = strchr(next, '\n');
        if (next) {
            *next++ = '\0';
        }
        code = read_line(&line);
    }
    if (code == EXIT_OUTPUT) {
        say(SAY_NO_MEMORY);
    } else if (code == EXIT_OK && budget->count == 0) {
        say("%s: has no limit", budget->path);
        code = EXIT_USAGE;
    }
    return code;
}

/* An editor on Windows may put this before the first line. */
#define BYTE_ORDER_MARK "\xef\xbb\xbf"

/* A zero byte would end the limits early, unnoticed. */
static int read_text(struct budget *budget, char *text, size_t length) {
    const bool marked = strncmp(text, BYTE_ORDER_MARK, 3) == 0;
    if (strlen(text) < length) {
        say("%s: is no text, it has zero bytes: write it as UTF-8", budget->path);
        return EXIT_USAGE;
    }
    return read_lines(budget, marked ? text + 3 : text);
}

int budget_read(struct budget *budget, const char *path) {
    uint8_t *bytes;
    size_t length;
    budget->path = path;
    const int error = whole_file_read(path, &bytes, &length);
    if (error) {
        say("%s: cannot be read: %s", path, strerror(-error));
        return EXIT_SOURCE;
    }
    char *text = malloc(length + 1);
    int code = EXIT_OUTPUT;
    if (text) {
        memcpy(text, bytes, length);
        text[length] = '\0';
        code = read_text(budget, text, length);
    } else {
        say(SAY_NO_MEMORY);
    }
    free(text);
    free(bytes);
    return code;
}

void budget_free(struct budget *budget) {
    for (size_t i = 0; i < budget->count; i++) {
        free(budget->limits[i].name);
    }
    free(budget->limits);
    *budget = (struct budget){0};
}

/* ---- values ---- */

static double measured_row(enum budget_value value, const struct measures *m,
                           const struct measure *row) {
    const bool plot = row->of == MEASURE_PLOT;
    switch (value) {
    case BUDGET_MOST:
        return plot ? row->most : (double)row->most_ns;
    case BUDGET_LEAST:
        return row->least;
    case BUDGET_P99:
        return (double)measure_percentile(row, 99);
    case BUDGET_MEAN:
        return plot ? row->sum / (double)row->count : (double)measure_mean_ns(row);
    case BUDGET_SHARE:
        return measure_percent(m, row);
    default:
        return (double)row->count;
    }
}

double budget_measured(const struct budget_word *word, const struct measures *measures,
                       const struct measure *row, const struct pipeline_totals *totals) {
    return word->of == BUDGET_LOSS ? (double)totals->lost
           : word->of == BUDGET_RING
               ? totals->lost_ring > 0 ? 100.0 : (double)board_info_ring_percent(&totals->info)
               : measured_row(word->value, measures, row);
}

/* In the largest unit that leaves a whole number in front. */
char *budget_text(char text[BUDGET_TEXT_BYTES], enum budget_unit unit, double value) {
    size_t i = 0;
    if (unit != BUDGET_TIME) {
        snprintf(text, BUDGET_TEXT_BYTES, unit == BUDGET_COUNT ? "%.0f" : "%.6g%s", value,
                 unit == BUDGET_PERCENT ? " %" : "");
        return text;
    }
    while (i + 1 < TIME_UNITS && fabs(value) >= times[i + 1].ns) {
        i++;
    }
    snprintf(text, BUDGET_TEXT_BYTES, "%.6g %s", value / times[i].ns, times[i].name);
    return text;
}

/* ---- a first budget ---- */

/* A fifth more, in two digits, rounded up. */
static double with_room(double value) {
    value *= 1.2;
    if (value <= 0.0) {
        return 0.0;
    }
    const double step = pow(10.0, floor(log10(value)) - 1.0);
    return ceil(value / step - 1e-9) * step;
}

/* Writes a pattern that matches only this name; a character that a line cannot hold is replaced by a wildcard. */
static void write_name(const char *name, FILE *out) {
    fputs(" \"", out);
    for (; *name != '\0'; name++) {
        const bool control = (unsigned char)*name < 0x20u;
        fputs(strchr("\"\\*?[", *name) ? "\\" : "", out);
        fputc(control ? '?' : *name, out);
    }
    fputc('"', out);
}

static const struct budget_word ring_word = {.of = BUDGET_RING};
#define RING_PERCENT 90.0

static bool is_first_limit(const struct budget_word *word) {
    return word->value == BUDGET_MOST || word->value == BUDGET_MEAN;
}

void budget_write(const struct measures *measures, const struct pipeline_totals *totals,
                  FILE *out) {
    char text[BUDGET_TEXT_BYTES];
    fputs("# KIND NAME LIMIT VALUE ...: the measured value, and a fifth more.\n", out);
    for (uint32_t i = 0; i < measures->count; i++) {
        const struct measure *row = &measures->rows[i];
        bool first = true;
        if (row->count == 0 || row->of == MEASURE_PLOT) {
            continue;
        }
        for (const struct budget_word *word = budget_words; word->kind; word++) {
            if (word->of == (int)row->of && is_first_limit(word)) {
                const double value = budget_measured(word, measures, row, totals);
                if (first) {
                    fputs(word->kind, out);
                    write_name(row->name, out);
                }
                first = false;
                fprintf(out, "  %s %s", word->word,
                        budget_text(text, word->unit, with_room(value)));
            }
        }
        fputc('\n', out);
    }
    fprintf(out, "loss  count %" PRIu64 "\n", totals->lost);
    /* A ring that is nearly full loses events in the next run. */
    const double ring = budget_measured(&ring_word, measures, NULL, totals);
    fprintf(out, "ring  max %.0f %%\n", ring > RING_PERCENT ? ring : RING_PERCENT);
}
