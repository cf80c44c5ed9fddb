/* SPDX-License-Identifier: MIT */
#include "sink/table.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/human.h"
#include "base/utf8.h"
#include "platform/terminal.h"
#include "sink/csv_field.h"
#include "sink/json_text.h"

#define CELL_BYTES 64u

/* ---- text of any origin ---- */

static size_t text_width(const char *text) {
    size_t width = 0;
    uint32_t character;
    for (size_t left = strlen(text); left > 0; width++) {
        const size_t taken = utf8_next(text, left, &character);
        text += taken;
        left -= taken;
    }
    return width;
}

static size_t print_characters(FILE *out, const char *text, size_t columns) {
    size_t width = 0;
    uint32_t character;
    for (size_t left = strlen(text); left > 0 && width < columns; width++) {
        const size_t taken = utf8_next(text, left, &character);
        if (character == UTF8_REPLACEMENT || utf8_is_control(character)) {
            fputc('?', out);
        } else {
            fwrite(text, 1, taken, out);
        }
        text += taken;
        left -= taken;
    }
    return width;
}

size_t table_print_text(FILE *out, const char *text, size_t columns) {
    if (columns <= 2 || text_width(text) <= columns) {
        return print_characters(out, text, columns);
    }
    return print_characters(out, text, columns - 2) + (size_t)fprintf(out, "..");
}

/* ---- numbers for people ---- */

/* Three digits and a unit in 8 columns: " 999 ns", "1.23 us", "45.6 ms", "1234 s". */
static void put_time(char *at, uint64_t ns) {
    static const char *const units[] = {"us", "ms", "s"};
    if (ns < 1000) {
        snprintf(at, CELL_BYTES, "%5" PRIu64 " ns", ns);
        return;
    }
    /* Rounded in thousandths of the unit, so that 999 999 ns become 1.00 ms and not 1000 us. */
    double value = (double)ns / 1e3;
    size_t unit = 0;
    while (value >= 999.5 && unit < 2) {
        value /= 1e3;
        unit++;
    }
    const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    snprintf(at, CELL_BYTES, "%5.*f %-2s", decimals, value, units[unit]);
}

static double cell_real(const struct table_cell *cell) {
    return cell->is == TABLE_UNSIGNED ? (double)cell->u.number
           : cell->is == TABLE_SIGNED ? (double)cell->u.integer
                                      : cell->u.real;
}

static uint64_t cell_number(const struct table_cell *cell) {
    return cell->is == TABLE_SIGNED ? (cell->u.integer > 0 ? (uint64_t)cell->u.integer : 0)
                                    : cell->u.number;
}

static void put_at(char *at, const struct table_cell *cell) {
    const uint64_t ns = cell_number(cell);
    snprintf(at, CELL_BYTES, "%" PRIu64 ".%09" PRIu64 " s", ns / 1000000000u, ns % 1000000000u);
}

/* A number as text for CSV and JSON. */
static void put_plain(char *at, const struct table_cell *cell, enum table_unit unit) {
    if (cell->is == TABLE_UNSIGNED) {
        snprintf(at, CELL_BYTES, "%" PRIu64, cell->u.number);
    } else if (cell->is == TABLE_SIGNED) {
        snprintf(at, CELL_BYTES, "%" PRId64, cell->u.integer);
    } else if (unit == TABLE_VALUE) {
        snprintf(at, CELL_BYTES, "%.17g", cell->u.real);
    } else {
        /* No double has more than 309 digits before its point, and no such one is in a table. */
        snprintf(at, CELL_BYTES, unit == TABLE_PERCENT ? "%.4f" : "%f", cell->u.real);
    }
}

static void put_for_people(char *at, const struct table_cell *cell, enum table_unit unit) {
    const double real = cell->is == TABLE_NOTHING ? 0.0 : cell_real(cell);
    switch (unit) {
    case TABLE_TIME:
        put_time(at, cell_number(cell));
        break;
    case TABLE_AT:
        put_at(at, cell);
        break;
    case TABLE_BYTES:
        human_number(at, real, "B");
        break;
    case TABLE_PERCENT:
        snprintf(at, CELL_BYTES, "%6.2f %%", real);
        break;
    case TABLE_MEAN:
        snprintf(at, CELL_BYTES, "%.*f", real < 100.0 ? 1 : 0, real);
        break;
    case TABLE_RATIO:
        snprintf(at, CELL_BYTES, "%.3f", real);
        break;
    case TABLE_VALUE:
        snprintf(at, CELL_BYTES, "%.6g", real);
        break;
    default:
        put_plain(at, cell, unit);
        break;
    }
}

/* A cell as text: its own text, or a number that is written to "buffer". */
static const char *for_people(const struct table *t, const struct table_cell *cell,
                              enum table_unit unit, char buffer[CELL_BYTES]) {
    buffer[0] = '\0';
    if (cell->is == TABLE_WORDS) {
        return t->texts + cell->u.text;
    }
    if (cell->is != TABLE_NOTHING) {
        put_for_people(buffer, cell, unit);
    }
    return buffer;
}

/* ---- the forms ---- */

static bool has_column(const struct table *t, const struct table_column *column) {
    const enum table_form form = t->to->form;
    return (column->forms == 0 || (column->forms & form) != 0) &&
           (form == TABLE_TEXT ? column->head : column->key) != NULL;
}

static void write_csv_head(struct table *t) {
    const char *before = "";
    for (uint32_t i = 0; i < t->column_count; i++) {
        if (has_column(t, &t->columns[i])) {
            outfile_printf(t->to->out, "%s", before);
            csv_field(t->to->out, t->columns[i].key, strlen(t->columns[i].key));
            before = ",";
        }
    }
    outfile_write(t->to->out, "\n", 1);
}

static void write_csv_row(struct table *t, const struct table_cell *cells) {
    char plain[CELL_BYTES];
    bool first = true;
    for (uint32_t i = 0; i < t->column_count; i++) {
        if (!has_column(t, &t->columns[i])) {
            continue;
        }
        outfile_write(t->to->out, ",", first ? 0 : 1);
        first = false;
        if (cells[i].is == TABLE_WORDS) {
            csv_field(t->to->out, t->texts + cells[i].u.text, strlen(t->texts + cells[i].u.text));
        } else if (cells[i].is != TABLE_NOTHING) {
            put_plain(plain, &cells[i], t->columns[i].unit);
            outfile_write(t->to->out, plain, strlen(plain));
        }
    }
    outfile_write(t->to->out, "\n", 1);
}

static void write_json_row(struct table *t, const struct table_cell *cells) {
    struct outfile *out = t->to->out;
    char plain[CELL_BYTES];
    const char *before = t->is_open ? ",\n{" : "\n{";
    for (uint32_t i = 0; i < t->column_count; i++) {
        const struct table_cell *cell = &cells[i];
        if (!has_column(t, &t->columns[i])) {
            continue;
        }
        outfile_write(out, before, strlen(before));
        before = ",";
        json_text(out, t->columns[i].key, strlen(t->columns[i].key));
        outfile_write(out, ":", 1);
        if (cell->is == TABLE_WORDS) {
            json_text(out, t->texts + cell->u.text, strlen(t->texts + cell->u.text));
        } else if (cell->is == TABLE_NOTHING ||
                   (cell->is == TABLE_DOUBLE && !isfinite(cell->u.real))) {
            outfile_write(out, "null", 4);
        } else {
            put_plain(plain, cell, t->columns[i].unit);
            outfile_write(out, plain, strlen(plain));
        }
    }
    outfile_write(out, "}", 1);
}

static void write_row(struct table *t, const struct table_cell *cells) {
    if (t->to->form == TABLE_CSV) {
        write_csv_row(t, cells);
    } else {
        write_json_row(t, cells);
    }
    t->is_open = true;
}

/* ---- text ---- */

static bool has_colour(FILE *out) {
    const char *no = getenv("NO_COLOR");
    return (no == NULL || no[0] == '\0') && terminal_takes_sequences(fileno(out));
}

/* Blanks wait until something follows them. */
static void print_cell(FILE *out, const char *text, size_t width, bool left, size_t *blanks) {
    const size_t own = text_width(text), pad = own < width ? width - own : 0;
    *blanks += left ? 0 : pad;
    if (text[0] != '\0') {
        fprintf(out, "%*s", (int)*blanks, "");
        table_print_text(out, text, own > width ? width : own);
        *blanks = 0;
    }
    *blanks += left ? pad : 0;
}

/* The head where "cells" is NULL. */
static void print_line(const struct table *t, const struct table_cell *cells,
                       const size_t *widths) {
    char buffer[CELL_BYTES];
    size_t blanks = 0;
    bool first = true;
    for (uint32_t i = 0; i < t->column_count; i++) {
        const struct table_column *column = &t->columns[i];
        if (has_column(t, column)) {
            blanks += first ? 0 : 2;
            first = false;
            print_cell(t->to->text,
                       cells ? for_people(t, &cells[i], column->unit, buffer) : column->head,
                       widths[i], column->unit == TABLE_NAME, &blanks);
        }
    }
    fputc('\n', t->to->text);
}

static size_t width_of(const struct table *t, uint32_t i, uint32_t rows, const uint32_t *order) {
    const struct table_column *column = &t->columns[i];
    char buffer[CELL_BYTES];
    size_t widest = column->least;
    if (column->head && text_width(column->head) > widest) {
        widest = text_width(column->head);
    }
    for (uint32_t row = 0; row < rows; row++) {
        const struct table_cell *cell = &t->cells[(size_t)order[row] * t->column_count + i];
        const size_t width = text_width(for_people(t, cell, column->unit, buffer));
        widest = width > widest ? width : widest;
    }
    return column->most != 0 && widest > column->most ? column->most : widest;
}

static void print_rows(struct table *t, const uint32_t *order, uint32_t shown) {
    FILE *out = t->to->text;
    const bool colour = has_colour(out);
    size_t *widths = calloc(t->column_count + 1, sizeof *widths);
    if (!widths) {
        t->error = -ENOMEM;
        return;
    }
    for (uint32_t i = 0; i < t->column_count; i++) {
        widths[i] = has_column(t, &t->columns[i]) ? width_of(t, i, shown, order) : 0;
    }
    if (t->title) {
        fprintf(out, "%s\n", t->title);
    }
    fputs(colour ? "\033[1m" : "", out);
    print_line(t, NULL, widths);
    fputs(colour ? "\033[0m" : "", out);
    for (uint32_t row = 0; row < shown; row++) {
        print_line(t, t->cells + (size_t)order[row] * t->column_count, widths);
    }
    free(widths);
    if (t->rows > shown) {
        fprintf(out, "and %" PRIu32 " more, which --csv has\n", t->rows - shown);
    }
}

/* ---- rows that wait ---- */

struct ranked {
    double key;
    const char *text; /* NULL: a number */
    uint32_t row;
};

/* Numbers fall, names rise; empty cells are last. */
static int by_key(const void *left, const void *right) {
    const struct ranked *a = left, *b = right;
    int order = a->text && b->text ? strcmp(a->text, b->text) : 0;
    if (order == 0 && a->key != b->key) {
        order = a->key > b->key ? -1 : 1;
    }
    return order != 0 ? order : a->row < b->row ? -1 : a->row > b->row;
}

/* The rows that wait, in the order in which they are shown. NULL: no memory. */
static uint32_t *order_of(const struct table *t, uint32_t rows) {
    uint32_t *order = malloc(((size_t)rows + 1) * sizeof *order);
    struct ranked *ranked = malloc(((size_t)rows + 1) * sizeof *ranked);
    for (uint32_t i = 0; order && ranked && i < rows; i++) {
        const struct table_cell *cell =
            t->sort >= 0 ? &t->cells[(size_t)i * t->column_count + (size_t)t->sort] : NULL;
        const bool words = cell && cell->is == TABLE_WORDS;
        ranked[i] = (struct ranked){.key = !cell || words              ? 0.0
                                           : cell->is == TABLE_NOTHING ? (double)-INFINITY
                                                                       : cell_real(cell),
                                    .text = words ? t->texts + cell->u.text : NULL,
                                    .row = i};
    }
    if (order && ranked) {
        qsort(ranked, rows, sizeof *ranked, by_key);
        for (uint32_t i = 0; i < rows; i++) {
            order[i] = ranked[i].row;
        }
    } else {
        free(order);
        order = NULL;
    }
    free(ranked);
    return order;
}

static void write_waiting(struct table *t) {
    const uint32_t waiting = t->column_count ? (uint32_t)(t->cell_count / t->column_count) : 0;
    const uint32_t shown = t->limit != 0 && t->limit < waiting ? t->limit : waiting;
    uint32_t *order = order_of(t, waiting);
    if (!order) {
        t->error = -ENOMEM;
        return;
    }
    if (t->to->form == TABLE_TEXT) {
        print_rows(t, order, shown);
    } else {
        for (uint32_t i = 0; i < shown; i++) {
            write_row(t, t->cells + (size_t)order[i] * t->column_count);
        }
    }
    free(order);
}

/* ---- putting ---- */

void table_begin(struct table *t, struct table_to *to, const char *name, const char *title,
                 uint32_t limit) {
    *t = (struct table){.to = to, .title = title, .sort = -1};
    t->limit = to->top != 0 ? to->top : to->form == TABLE_TEXT ? limit : 0;
    if (to->form == TABLE_JSON) {
        table_document_key(to, name);
        outfile_write(to->out, "[", 1);
    } else if (to->form == TABLE_CSV && to->tables > 0) {
        outfile_write(to->out, "\n", 1);
    }
    to->tables++;
}

static bool is_called(const struct table_column *column, const char *name) {
    return (column->key && strcmp(column->key, name) == 0) ||
           (column->head && strcmp(column->head, name) == 0);
}

void table_columns(struct table *t, const struct table_column *columns, size_t count) {
    if (!grow(&t->columns, &t->column_capacity, t->column_count + count, sizeof *columns)) {
        t->error = -ENOMEM;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const char *const names[] = {columns[i].key, columns[i].head};
        for (size_t n = 0; t->to->nearest && n < 2; n++) {
            nearest_try(t->to->nearest, names[n] ? names[n] : "");
        }
        if (t->to->sort && t->sort < 0 && is_called(&columns[i], t->to->sort)) {
            t->sort = (int32_t)t->column_count;
            t->to->sorted = true;
        }
        t->columns[t->column_count++] = columns[i];
    }
}

/* Whether a row must wait for those after it, or for the end. */
static bool waits(const struct table *t) { return t->to->form == TABLE_TEXT || t->sort >= 0; }

/* The row that was being put is whole. */
static void end_row(struct table *t) {
    if (t->error != 0 || (t->forms & t->to->form) == 0) {
        return;
    }
    t->forms = 0;
    t->rows++;
    const uint32_t start = t->cell_count - t->column_count;
    const bool beyond = t->limit != 0 && t->rows > t->limit && t->sort < 0;
    if (!waits(t) && !beyond) {
        write_row(t, t->cells + start);
    }
    if (!waits(t) || beyond) {
        t->cell_count = start;
        t->texts_used = t->row_texts;
    }
}

void table_row(struct table *t, unsigned forms) {
    end_row(t);
    if (!t->is_open && t->rows == 0 && t->to->form == TABLE_CSV) {
        write_csv_head(t);
        t->is_open = true;
    }
    t->forms = (uint8_t)forms;
    t->row_texts = t->texts_used;
}

static void put(struct table *t, struct table_cell cell) {
    if (t->error != 0 || (t->forms & t->to->form) == 0) {
        return;
    }
    if (!grow(&t->cells, &t->cell_capacity, t->cell_count, sizeof cell)) {
        t->error = -ENOMEM;
        return;
    }
    t->cells[t->cell_count++] = cell;
}

void table_text(struct table *t, const char *text) {
    const size_t length = strlen(text) + 1;
    if (t->error != 0 || (t->forms & t->to->form) == 0) {
        return;
    }
    if (!grow(&t->texts, &t->texts_size, t->texts_used + length, 1)) {
        t->error = -ENOMEM;
        return;
    }
    memcpy(t->texts + t->texts_used, text, length);
    put(t, (struct table_cell){.is = TABLE_WORDS, .u.text = t->texts_used});
    t->texts_used += (uint32_t)length;
}

void table_number(struct table *t, uint64_t number) {
    put(t, (struct table_cell){.is = TABLE_UNSIGNED, .u.number = number});
}

void table_integer(struct table *t, int64_t integer) {
    put(t, (struct table_cell){.is = TABLE_SIGNED, .u.integer = integer});
}

void table_real(struct table *t, double real) {
    put(t, (struct table_cell){.is = TABLE_DOUBLE, .u.real = real});
}

void table_nothing(struct table *t) { put(t, (struct table_cell){.is = TABLE_NOTHING}); }

int64_t table_end(struct table *t) {
    table_row(t, 0);
    if (t->error == 0 && waits(t) && t->rows > 0) {
        write_waiting(t);
    }
    if (t->to->form == TABLE_JSON) {
        outfile_write(t->to->out, "]", 1);
    }
    const int64_t result = t->error != 0 ? t->error : (int64_t)t->rows;
    free(t->columns);
    free(t->cells);
    free(t->texts);
    return result;
}

int table_end_or(struct table *table, const char *nothing) {
    const struct table_to *to = table->to;
    const int64_t shown = table_end(table);
    if (shown == 0 && to->form == TABLE_TEXT) {
        fprintf(to->text, "%s\n", nothing);
    }
    return shown < 0 ? (int)shown : 0;
}

/* ---- the document ---- */

void table_document(struct table_to *to) {
    if (to->form == TABLE_JSON) {
        outfile_printf(to->out, "{\"version\":1");
    }
}

void table_document_key(struct table_to *to, const char *key) {
    outfile_write(to->out, ",\n", 2);
    json_text(to->out, key, strlen(key));
    outfile_write(to->out, ":", 1);
}

void table_document_end(struct table_to *to) {
    if (to->form == TABLE_JSON) {
        outfile_printf(to->out, "}\n");
    }
}
