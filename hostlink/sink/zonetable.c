/* The table of zones for people. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "sink/zonestats.h"

#define NAME_WIDTH_MAX 32
#define TIME_COLUMNS 7

/* Three digits and a unit in 8 columns: " 999 ns", "1.23 us", "45.6 ms", "1234 s". */
static void print_time(FILE *out, uint64_t ns) {
    static const char *const units[] = {"us", "ms", "s"};
    if (ns < 1000) {
        fprintf(out, "  %5" PRIu64 " ns", ns);
        return;
    }
    /* Rounded in thousandths of the unit, so that 999 999 ns become 1.00 ms and not 1000 us. */
    double value = (double)ns / 1e3;
    size_t unit = 0;
    while (value >= 999.5 && unit < 2) {
        value /= 1e3;
        unit++;
    }
    int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    fprintf(out, "  %5.*f %-2s", decimals, value, units[unit]);
}

static size_t text_width(const char *text) {
    size_t width = 0;
    uint32_t character;
    for (size_t left = strlen(text); left > 0; width++) {
        size_t taken = utf8_next(text, left, &character);
        text += taken;
        left -= taken;
    }
    return width;
}

/* At most "columns" characters, those that would move a terminal's cursor replaced. */
static size_t print_text(FILE *out, const char *text, size_t columns) {
    size_t width = 0;
    uint32_t character;
    for (size_t left = strlen(text); left > 0 && width < columns; width++) {
        size_t taken = utf8_next(text, left, &character);
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

static void print_name(FILE *out, const char *name, size_t columns) {
    size_t width = 0;
    if (text_width(name) > columns) {
        width = print_text(out, name, columns - 2);
        width += (size_t)fprintf(out, "..");
    } else {
        width = print_text(out, name, columns);
    }
    fprintf(out, "%*s", (int)(columns - width), "");
}

static void print_place(FILE *out, const struct site *site) {
    if (site->file[0] != '\0') {
        const char *slash = strrchr(site->file, '/');
        fputs("  ", out);
        print_text(out, slash ? slash + 1 : site->file, SIZE_MAX);
        fprintf(out, ":%" PRIu32, site->line);
    }
}

static void print_row(FILE *out, const struct zonestats_row *row, size_t name_width) {
    const uint64_t times[TIME_COLUMNS] = {row->total_ns, row->self_ns, row->mean_ns, row->min_ns,
                                          row->p50_ns,   row->p99_ns,  row->max_ns};
    print_name(out, row->site->name, name_width);
    fprintf(out, "  %9" PRIu64, row->count);
    for (size_t i = 0; i < TIME_COLUMNS; i++) {
        print_time(out, times[i]);
    }
    print_place(out, row->site);
    fputc('\n', out);
}

static void print_head(FILE *out, size_t name_width) {
    static const char *const heads[TIME_COLUMNS] = {"total", "self", "mean", "min",
                                                    "p50",   "p99",  "max"};
    fprintf(out, "%-*s  %9s", (int)name_width, "zone", "count");
    for (size_t i = 0; i < TIME_COLUMNS; i++) {
        fprintf(out, "  %8s", heads[i]);
    }
    fputs("  where\n", out);
}

static size_t widest_name(const struct zonestats_row *rows, size_t count) {
    size_t widest = strlen("zone");
    for (size_t i = 0; i < count; i++) {
        size_t width = text_width(rows[i].site->name);
        widest = width > widest ? width : widest;
    }
    return widest < NAME_WIDTH_MAX ? widest : NAME_WIDTH_MAX;
}

void zonestats_table(const struct zonestats *stats, FILE *out) {
    size_t count;
    struct zonestats_row *rows = zonestats_rows(stats, &count);
    if (rows) {
        size_t name_width = widest_name(rows, count);
        print_head(out, name_width);
        for (size_t i = 0; i < count; i++) {
            print_row(out, &rows[i], name_width);
        }
        free(rows);
    } else {
        fputs(count == 0 ? "no zone was seen\n" : "not enough memory for the table of zones\n",
              out);
    }
    uint64_t repaired = zonestats_repaired(stats);
    if (repaired > 0) {
        fprintf(out, "not in the table: %" PRIu64 " %s whose end was not received\n", repaired,
                repaired == 1 ? "zone" : "zones");
    }
}
