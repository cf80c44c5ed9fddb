/* The table of zones for people. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "sink/zonestats.h"

#define NAME_WIDTH_MAX 32
#define TIME_COLUMNS 7
#define BUSIEST 3u

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

/* What is cut ends with two points. */
static size_t print_cut(FILE *out, const char *name, size_t columns) {
    if (text_width(name) <= columns) {
        return print_text(out, name, columns);
    }
    const size_t width = print_text(out, name, columns - 2);
    return width + (size_t)fprintf(out, "..");
}

static void print_name(FILE *out, const char *name, size_t columns) {
    const size_t width = print_cut(out, name, columns);
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

/* Of the rows that have values. */
static size_t widest_name(const struct zonestats_row *rows, size_t count) {
    size_t widest = strlen("zone");
    for (size_t i = 0; i < count; i++) {
        size_t width = rows[i].count > 0 ? text_width(rows[i].site->name) : 0;
        widest = width > widest ? width : widest;
    }
    return widest < NAME_WIDTH_MAX ? widest : NAME_WIDTH_MAX;
}

/* Rows without values stand last, as their total is 0: but zones of no length have a total of 0 as well. */
static size_t print_rows(const struct zonestats_row *rows, size_t count, FILE *out) {
    size_t name_width = widest_name(rows, count), printed = 0;
    for (size_t i = 0; i < count; i++) {
        if (rows[i].count > 0) {
            if (printed++ == 0) {
                print_head(out, name_width);
            }
            print_row(out, &rows[i], name_width);
        }
    }
    return printed;
}

/* ---- counters ---- */

#define COUNTER_WIDTH_MAX 24u

static size_t counter_width(const char *name) {
    const size_t width = text_width(name), least = strlen("per 1000");
    return width < least ? least : width < COUNTER_WIDTH_MAX ? width : COUNTER_WIDTH_MAX;
}

static void print_counters_head(const struct zonestats *stats, FILE *out) {
    const char *name;
    fprintf(out, "counted by the core, for each zone on average%s:\n%-*s  %9s  %12s  %12s  %6s",
            zonestats_counter(stats, 0) ? ", events also per 1000 instructions" : "",
            (int)NAME_WIDTH_MAX, "zone", "count", "cycles", "instructions", "IPC");
    for (uint32_t i = 0; (name = zonestats_counter(stats, i)) != NULL; i++) {
        const size_t columns = counter_width(name), width = text_width(name);
        fprintf(out, "  %*s", (int)(width < columns ? columns - width : 0), "");
        print_text(out, name, columns);
        fprintf(out, "  per 1000");
    }
    fputc('\n', out);
}

/* What no zone of this row counted stays empty. */
static void print_event(const struct zonestats_row *row, uint32_t number, size_t width, FILE *out) {
    const struct zonestats_count count = zonestats_count_of(row, number);
    if (count.zones == 0) {
        fprintf(out, "  %*s  %8s", (int)width, "", "");
        return;
    }
    const double mean = (double)count.times / (double)count.zones;
    fprintf(out, "  %*.*f", (int)width, mean < 100.0 ? 1 : 0, mean);
    if (row->instructions != 0) {
        const double instructions = (double)row->instructions / (double)row->counted;
        fprintf(out, "  %8.3f", 1000.0 * mean / instructions);
    } else {
        fprintf(out, "  %8s", "");
    }
}

static void print_counters_row(const struct zonestats *stats, const struct zonestats_row *row,
                               FILE *out) {
    const uint64_t zones = row->counted != 0 ? row->counted : 1;
    const char *name;
    print_name(out, row->site->name, NAME_WIDTH_MAX);
    fprintf(out, "  %9" PRIu64 "  %12" PRIu64, row->counted, row->cycles / zones);
    if (row->instructions != 0) {
        fprintf(out, "  %12" PRIu64 "  %6.3f", row->instructions / zones,
                event_ipc(row->cycles, row->instructions));
    } else if (row->count_of_counts != 0) {
        fprintf(out, "  %12s  %6s", "", "");
    }
    for (uint32_t i = 0; i < row->count_of_counts && (name = zonestats_counter(stats, i)) != NULL;
         i++) {
        print_event(row, i, counter_width(name), out);
    }
    fputc('\n', out);
}

/* Of the zones that had them: for each on average, and quotients. */
static void print_counters(const struct zonestats *stats, const struct zonestats_row *rows,
                           size_t count, FILE *out) {
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        if (rows[i].counted != 0 || rows[i].count_of_counts != 0) {
            if (!any) {
                print_counters_head(stats, out);
                any = true;
            }
            print_counters_row(stats, &rows[i], out);
        }
    }
    if (zonestats_uncounted(stats) != 0) {
        fprintf(out, "  %" PRIu64 " counts of still more events are left out\n",
                zonestats_uncounted(stats));
    }
}

/* ---- repairs ---- */

/* Says "2 ends missing" behind what was said of the same place or track. */
static void print_amount(FILE *out, const char **before, uint64_t amount, const char *one,
                         const char *many) {
    if (amount > 0) {
        fprintf(out, "%s%" PRIu64 " %s", *before, amount, amount == 1 ? one : many);
        *before = ", ";
    }
}

static void print_repaired(FILE *out, const struct zonestats_row *row) {
    const char *before = "': ";
    uint64_t sum = row->too_deep + row->behind;
    for (size_t i = 0; i < ZONE_REPAIRS; i++) {
        sum += row->repaired[i];
    }
    if (sum > 0) {
        fputs("  '", out);
        print_cut(out, row->site->name, NAME_WIDTH_MAX);
        print_amount(out, &before, row->repaired[ZONE_END_MISSING], "end missing", "ends missing");
        print_amount(out, &before, row->repaired[ZONE_END_UNSURE], "end unsure", "ends unsure");
        print_amount(out, &before, row->repaired[ZONE_END_LOST], "closed where events were lost",
                     "closed where events were lost");
        print_amount(out, &before, row->repaired[ZONE_END_OPEN], "open when the trace ended",
                     "open when the trace ended");
        print_amount(out, &before, row->repaired[ZONE_END_TASK], "closed where its task ended",
                     "closed where their tasks ended");
        print_amount(out, &before, row->repaired[ZONE_END_LEFT], "left by a jump", "left by jumps");
        print_amount(out, &before, row->too_deep, "nested too deeply", "nested too deeply");
        print_amount(out, &before, row->behind, "end too many behind it",
                     "ends too many behind it");
        print_place(out, row->site);
        fputc('\n', out);
    }
}

static void print_tracks(FILE *out, const struct zonestats *stats, bool *ends, bool *not_left) {
    size_t count;
    const struct zonestats_track *tracks = zonestats_tracks(stats, &count);
    for (size_t i = 0; i < count; i++) {
        const char *before = ": ";
        fputs("  on '", out);
        print_cut(out, tracks[i].track->name, NAME_WIDTH_MAX);
        fputs("'", out);
        print_amount(out, &before, tracks[i].ends, "end without an open zone",
                     "ends without an open zone");
        print_amount(out, &before, tracks[i].notes, "attribute without an open zone",
                     "attributes without an open zone");
        print_amount(out, &before, tracks[i].not_left, "entry not left when the trace ended",
                     "entries not left when the trace ended");
        print_amount(out, &before, tracks[i].gives, "release of what it did not hold",
                     "releases of what it did not hold");
        fputc('\n', out);
        *ends = *ends || tracks[i].ends > 0;
        *not_left = *not_left || tracks[i].not_left > 0;
    }
}

static void print_cures(FILE *out, bool missing, bool deep, bool ends, bool not_left) {
    if (missing) {
        fputs("  An end is missing where code leaves a zone without ending it: the zone that is "
              "named, or "
              "one inside\n  it that took its end. End zones on every return, or use KYMO_ZONE and "
              "KYMO_FUNCTION.\n",
              out);
    }
    if (deep) {
        fputs("  Zones nest too deeply where ends are missing, or in deep recursion.\n", out);
    }
    if (ends) {
        fputs(
            "  An end finds no open zone when a zone is ended twice, or in another context than it "
            "began in: the\n  zone before that end, or one inside it.\n",
            out);
    }
    if (not_left) {
        fputs("  An interrupt needs kymo_interrupt_leave() on every return, or KYMO_INTERRUPT, "
              "unless "
              "the trace was\n  cut while it ran.\n",
              out);
    }
}

void zonestats_repairs(const struct zonestats *stats, FILE *out) {
    size_t count, tracks;
    bool missing = false, deep = false, ends = false, not_left = false, any = false;
    struct zonestats_row *rows = zonestats_rows(stats, &count);
    (void)zonestats_tracks(stats, &tracks);
    for (size_t i = 0; rows && i < count; i++) {
        any = any || rows[i].too_deep > 0;
        for (size_t why = 1; why < ZONE_REPAIRS; why++) {
            any = any || rows[i].repaired[why] > 0;
        }
    }
    if (any || tracks > 0) {
        fputs("repaired, not in the times of the table:\n", out);
        for (size_t i = 0; rows && i < count; i++) {
            print_repaired(out, &rows[i]);
            missing = missing || rows[i].repaired[ZONE_END_MISSING] > 0;
            deep = deep || rows[i].too_deep > 0;
        }
        print_tracks(out, stats, &ends, &not_left);
        print_cures(out, missing, deep, ends, not_left);
    }
    free(rows);
}

static int by_self(const void *left, const void *right) {
    const struct zonestats_row *a = left, *b = right;
    if (a->self_ns != b->self_ns) {
        return a->self_ns > b->self_ns ? -1 : 1;
    }
    return a->order < b->order ? -1 : a->order > b->order;
}

void zonestats_busiest(const struct zonestats *stats, FILE *out) {
    size_t count;
    double all_ns = 0.0;
    struct zonestats_row *rows = zonestats_rows(stats, &count);
    for (size_t i = 0; rows && i < count; i++) {
        all_ns += (double)rows[i].self_ns;
    }
    if (rows && count > 1 && all_ns > 0.0) {
        qsort(rows, count, sizeof *rows, by_self);
        fputs("most time of its own:", out);
        for (size_t i = 0; i < count && i < BUSIEST && rows[i].self_ns > 0; i++) {
            fputs(i > 0 ? ", " : " ", out);
            print_cut(out, rows[i].site->name, NAME_WIDTH_MAX);
            fprintf(out, " %.0f %%", 100.0 * (double)rows[i].self_ns / all_ns);
        }
        fputc('\n', out);
    }
    free(rows);
}

void zonestats_table(const struct zonestats *stats, FILE *out) {
    size_t count;
    struct zonestats_row *rows = zonestats_rows(stats, &count);
    if (!rows && count > 0) {
        fputs("not enough memory for the table of zones\n", out);
        return;
    }
    if (print_rows(rows, count, out) == 0) {
        fputs(count == 0 ? "no zone was seen\n" : "no zone was seen whole\n", out);
    }
    print_counters(stats, rows, count, out);
    free(rows);
    zonestats_repairs(stats, out);
}
