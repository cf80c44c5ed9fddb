/* SPDX-License-Identifier: MIT */
/* The table of zones, and in text the repairs. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sink/table.h"
#include "sink/zonestats.h"

#define NAME_WIDTH_MAX 32u
#define PLACE_BYTES 300u
#define BUSIEST 3u

/* A name that is cut ends with two points. */
static void print_name(FILE *out, const char *name) { table_print_text(out, name, NAME_WIDTH_MAX); }

static const char *place_of(const struct site *site, char place[PLACE_BYTES]) {
    const char *slash = strrchr(site->file, '/');
    place[0] = '\0';
    if (site->file[0] != '\0') {
        snprintf(place, PLACE_BYTES, "%s:%" PRIu32, slash ? slash + 1 : site->file, site->line);
    }
    return place;
}

static void print_place(FILE *out, const struct site *site) {
    char place[PLACE_BYTES];
    if (site->file[0] != '\0') {
        fputs("  ", out);
        table_print_text(out, place_of(site, place), SIZE_MAX);
    }
}

/* ---- zones ---- */

/* The columns of text, then those of CSV and JSON, which are those of Tracy's csvexport and more. */
static const struct table_column zone_columns[] = {
    {NULL, "zone", TABLE_NAME, 0, NAME_WIDTH_MAX, 0},
    {NULL, "count", TABLE_COUNT, 9, 0, 0},
    {NULL, "total", TABLE_TIME, 8, 0, 0},
    {NULL, "self", TABLE_TIME, 8, 0, 0},
    {NULL, "mean", TABLE_TIME, 8, 0, 0},
    {NULL, "min", TABLE_TIME, 8, 0, 0},
    {NULL, "p50", TABLE_TIME, 8, 0, 0},
    {NULL, "p99", TABLE_TIME, 8, 0, 0},
    {NULL, "max", TABLE_TIME, 8, 0, 0},
    {NULL, "where", TABLE_NAME, 0, 0, 0},
    {"name", NULL, TABLE_NAME, 0, 0, 0},
    {"src_file", NULL, TABLE_NAME, 0, 0, 0},
    {"src_line", NULL, TABLE_COUNT, 0, 0, 0},
    {"total_ns", NULL, TABLE_TIME, 0, 0, 0},
    {"total_perc", NULL, TABLE_REAL, 0, 0, 0},
    {"counts", NULL, TABLE_COUNT, 0, 0, 0},
    {"mean_ns", NULL, TABLE_TIME, 0, 0, 0},
    {"min_ns", NULL, TABLE_TIME, 0, 0, 0},
    {"p50_ns", NULL, TABLE_TIME, 0, 0, TABLE_JSON},
    {"p99_ns", NULL, TABLE_TIME, 0, 0, TABLE_JSON},
    {"max_ns", NULL, TABLE_TIME, 0, 0, 0},
    {"std_ns", NULL, TABLE_REAL, 0, 0, 0},
    {"repaired", NULL, TABLE_COUNT, 0, 0, 0},
    {"self_ns", NULL, TABLE_TIME, 0, 0, 0},
};
/* More of them where zones had counters. */
static const struct table_column counted_columns[] = {
    {"counted", NULL, TABLE_COUNT, 0, 0, 0},
    {"cycles", NULL, TABLE_COUNT, 0, 0, 0},
    {"instructions", NULL, TABLE_COUNT, 0, 0, 0},
};
#define COUNT_OF(list) (sizeof(list) / sizeof *(list))

static void put_for_people(struct table *t, const struct zonestats_row *row) {
    const uint64_t times[] = {row->total_ns, row->self_ns, row->mean_ns, row->min_ns,
                              row->p50_ns,   row->p99_ns,  row->max_ns};
    char place[PLACE_BYTES];
    table_text(t, row->site->name);
    table_number(t, row->count);
    for (size_t i = 0; i < COUNT_OF(times); i++) {
        table_number(t, times[i]);
    }
    table_text(t, place_of(row->site, place));
}

static uint64_t repaired_of(const struct zonestats_row *row) {
    uint64_t sum = row->too_deep;
    for (size_t why = 1; why < ZONE_REPAIRS; why++) {
        sum += row->repaired[why];
    }
    return sum;
}

static void put_for_programs(struct table *t, const struct zonestats_row *row, double span_ns) {
    table_text(t, row->site->name);
    table_text(t, row->site->file);
    table_number(t, row->site->line);
    table_number(t, row->total_ns);
    table_real(t, span_ns > 0.0 ? 100.0 * (double)row->total_ns / span_ns : 0.0);
    table_number(t, row->count);
    table_number(t, row->mean_ns);
    table_number(t, row->min_ns);
    table_number(t, row->p50_ns);
    table_number(t, row->p99_ns);
    table_number(t, row->max_ns);
    table_real(t, row->std_ns);
    table_number(t, repaired_of(row));
    table_number(t, row->self_ns);
}

/* "row" is NULL for one that is no zone's. */
static void put_counted(struct table *t, const struct zonestats *stats,
                        const struct zonestats_row *row) {
    table_number(t, row ? row->counted : 0);
    table_number(t, row ? row->cycles : 0);
    table_number(t, row ? row->instructions : 0);
    for (uint32_t i = 0; zonestats_counter(stats, i) != NULL; i++) {
        if (row && zonestats_count_of(row, i).zones != 0) {
            table_number(t, zonestats_count_of(row, i).times);
        } else {
            table_nothing(t);
        }
    }
}

/* A row of the CSV about events of no zone. */
static void put_track(struct table *t, const struct zonestats *stats, bool counted,
                      const char *what, const struct track *track, uint64_t times) {
    static const struct site none = {.name = "", .file = "", .function = ""};
    char name[256];
    if (times != 0) {
        struct zonestats_row row = {.site = &none, .too_deep = times};
        struct site site = none;
        snprintf(name, sizeof name, "%s '%s'", what, track->name);
        site.name = name;
        row.site = &site;
        table_row(t, TABLE_CSV);
        put_for_people(t, &row);
        put_for_programs(t, &row, 0.0);
        if (counted) {
            put_counted(t, stats, NULL);
        }
    }
}

static void put_tracks(struct table *t, const struct zonestats *stats, bool counted) {
    size_t count;
    const struct zonestats_track *tracks = zonestats_tracks(stats, &count);
    for (size_t i = 0; i < count; i++) {
        const uint64_t *repairs = tracks[i].repairs;
        put_track(t, stats, counted, "no open zone on", tracks[i].track,
                  repairs[REPAIR_END_WITHOUT_ZONE] + repairs[REPAIR_NOTE_WITHOUT_ZONE]);
        put_track(t, stats, counted, "not left:", tracks[i].track, repairs[REPAIR_NOT_LEFT]);
        put_track(t, stats, counted, "not held by", tracks[i].track,
                  repairs[REPAIR_GIVE_WITHOUT_HOLD]);
    }
}

/* Rows without values stand last, as their total is 0: but zones of no length have a total of 0 as well. */
static int64_t write_zones(const struct zonestats *stats, const struct zonestats_row *rows,
                           size_t count, struct table_to *to) {
    struct table t;
    const char *name;
    bool counted = false;
    for (size_t i = 0; i < count; i++) {
        counted = counted || rows[i].counted != 0 || rows[i].count_of_counts != 0;
    }
    table_begin(&t, to, "zones", NULL, 0);
    table_columns(&t, zone_columns, COUNT_OF(zone_columns));
    if (counted) {
        table_columns(&t, counted_columns, COUNT_OF(counted_columns));
        for (uint32_t i = 0; (name = zonestats_counter(stats, i)) != NULL; i++) {
            table_columns(&t, &(struct table_column){.key = name, .unit = TABLE_COUNT}, 1);
        }
    }
    for (size_t i = 0; i < count; i++) {
        table_row(&t, rows[i].count > 0 ? TABLE_ALL : TABLE_DATA);
        put_for_people(&t, &rows[i]);
        put_for_programs(&t, &rows[i], zonestats_span_ns(stats));
        if (counted) {
            put_counted(&t, stats, &rows[i]);
        }
    }
    put_tracks(&t, stats, counted);
    return table_end(&t);
}

/* ---- counters ---- */

#define COUNTER_WIDTH_MAX 24u

static void counter_columns(struct table *t, const struct zonestats *stats) {
    static const struct table_column columns[] = {
        {NULL, "zone", TABLE_NAME, NAME_WIDTH_MAX, NAME_WIDTH_MAX, 0},
        {NULL, "count", TABLE_COUNT, 9, 0, 0},
        {NULL, "cycles", TABLE_COUNT, 12, 0, 0},
        {NULL, "instructions", TABLE_COUNT, 12, 0, 0},
        {NULL, "IPC", TABLE_RATIO, 6, 0, 0},
    };
    const char *name;
    table_columns(t, columns, COUNT_OF(columns));
    for (uint32_t i = 0; (name = zonestats_counter(stats, i)) != NULL; i++) {
        const struct table_column pair[] = {
            {NULL, name, TABLE_MEAN, (uint8_t)strlen("per 1000"), COUNTER_WIDTH_MAX, 0},
            {NULL, "per 1000", TABLE_RATIO, 0, 0, 0},
        };
        table_columns(t, pair, COUNT_OF(pair));
    }
}

/* The cell stays empty if no zone of this row counted the event. */
static void put_event(struct table *t, const struct zonestats_row *row, uint32_t number) {
    const struct zonestats_count count = zonestats_count_of(row, number);
    const double mean = count.zones ? (double)count.times / (double)count.zones : 0.0;
    if (count.zones == 0) {
        table_nothing(t);
    } else {
        table_real(t, mean);
    }
    if (count.zones == 0 || row->instructions == 0) {
        table_nothing(t);
    } else {
        table_real(t, 1000.0 * mean * (double)row->counted / (double)row->instructions);
    }
}

static void put_counters(struct table *t, const struct zonestats *stats,
                         const struct zonestats_row *row) {
    const uint64_t zones = row->counted != 0 ? row->counted : 1;
    table_row(t, TABLE_TEXT);
    table_text(t, row->site->name);
    table_number(t, row->counted);
    table_number(t, row->cycles / zones);
    if (row->instructions != 0) {
        table_number(t, row->instructions / zones);
        table_real(t, event_ipc(row->cycles, row->instructions));
    } else {
        table_nothing(t);
        table_nothing(t);
    }
    for (uint32_t i = 0; zonestats_counter(stats, i) != NULL; i++) {
        put_event(t, row, i);
    }
}

/* Averages over the zones with counters, and quotients. CSV and JSON have the sums beside the times. */
static int64_t print_counters(const struct zonestats *stats, const struct zonestats_row *rows,
                              size_t count, struct table_to *to) {
    struct table t;
    table_begin(&t, to, "counters",
                zonestats_counter(stats, 0) ? "counted by the core, for each zone on average, "
                                              "events also per 1000 instructions:"
                                            : "counted by the core, for each zone on average:",
                0);
    counter_columns(&t, stats);
    for (size_t i = 0; i < count; i++) {
        if (rows[i].counted != 0 || rows[i].count_of_counts != 0) {
            put_counters(&t, stats, &rows[i]);
        }
    }
    const int64_t shown = table_end(&t);
    if (zonestats_uncounted(stats) != 0) {
        fprintf(to->text, "  %" PRIu64 " counts of still more events are left out\n",
                zonestats_uncounted(stats));
    }
    return shown;
}

/* ---- repairs ---- */

/* Appends "2 ends missing" to the line of a place or track. */
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
        print_name(out, row->site->name);
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
        print_amount(out, &before, row->behind, "extra end after it", "extra ends after it");
        print_place(out, row->site);
        fputc('\n', out);
    }
}

/* In the order of printing. */
static const struct {
    enum repair repair;
    const char *one, *many;
} track_repairs[] = {
    {REPAIR_END_WITHOUT_ZONE, "end without an open zone", "ends without an open zone"},
    {REPAIR_NOTE_WITHOUT_ZONE, "attribute without an open zone", "attributes without an open zone"},
    {REPAIR_NOT_LEFT, "entry not left when the trace ended",
     "entries not left when the trace ended"},
    {REPAIR_GIVE_WITHOUT_HOLD, "release of what it did not hold",
     "releases of what it did not hold"},
    {REPAIR_FRAME_WITHOUT_START, "end of a frame that never started",
     "ends of frames that never started"},
    {REPAIR_ASYNC_WITHOUT_BEGIN, "end of an asynchronous zone that is not open",
     "ends of asynchronous zones that are not open"},
    {REPAIR_TIME_BACK, "record earlier than the one before",
     "records earlier than the ones before"},
    {REPAIR_CLOCK_ANEW, "start of its clock from an earlier time",
     "starts of its clock from an earlier time"},
};

static void print_tracks(FILE *out, const struct zonestats *stats, bool *ends, bool *not_left) {
    size_t count;
    const struct zonestats_track *tracks = zonestats_tracks(stats, &count);
    for (size_t i = 0; i < count; i++) {
        const char *before = ": ";
        const struct track *track = tracks[i].track;
        fputs("  on '", out);
        if (track->device != NULL) {
            print_name(out, track->device->name);
            fputs(": ", out);
        }
        print_name(out, track->name);
        fputs("'", out);
        for (size_t k = 0; k < sizeof track_repairs / sizeof track_repairs[0]; k++) {
            print_amount(out, &before, tracks[i].repairs[track_repairs[k].repair],
                         track_repairs[k].one, track_repairs[k].many);
        }
        fputc('\n', out);
        *ends = *ends || tracks[i].repairs[REPAIR_END_WITHOUT_ZONE] > 0;
        *not_left = *not_left || tracks[i].repairs[REPAIR_NOT_LEFT] > 0;
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
            print_name(out, rows[i].site->name);
            fprintf(out, " %.0f %%", 100.0 * (double)rows[i].self_ns / all_ns);
        }
        fputc('\n', out);
    }
    free(rows);
}

static int64_t print_people(const struct zonestats *stats, const struct zonestats_row *rows,
                            size_t count, struct table_to *to) {
    const int64_t shown = write_zones(stats, rows, count, to);
    if (shown == 0) {
        fputs(count == 0 ? "no zone was seen\n" : "no zone was seen whole\n", to->text);
    }
    return shown < 0 ? shown : print_counters(stats, rows, count, to);
}

int zonestats_table(const struct zonestats *stats, struct table_to *to) {
    size_t count;
    struct zonestats_row *rows = zonestats_rows(stats, &count);
    if (!rows && count > 0) {
        return -ENOMEM;
    }
    const int64_t shown = to->form == TABLE_TEXT ? print_people(stats, rows, count, to)
                                                 : write_zones(stats, rows, count, to);
    free(rows);
    if (to->form == TABLE_TEXT) {
        zonestats_repairs(stats, to->text);
    }
    return shown < 0 ? (int)shown : 0;
}
