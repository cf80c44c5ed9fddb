/* Statistics of zones as CSV, with the columns of Tracy's csvexport (csvexport/src/csvexport.cpp) and
 * their meaning: total with the zones inside, total_perc of the time of the last event, mean as an
 * integer, deviation of the sample. Different here: a field that holds a comma, a quote or a line end
 * is quoted (RFC 4180) where csvexport writes it bare; rows are sorted by total where csvexport has
 * the order of its source locations; a site whose zones all took 0 ns has its row.
 * More columns: "repaired" has what is not in the others: zones that hostlink had to close, and, in rows of
 * tracks, ends and attributes without an open zone, and interrupts that were not left; "self_ns" the time without the
 * zones inside, interrupts and other tasks. Where a zone had counters (KYMO_ZONE_COUNTERS()) three more: "counted"
 * zones, and the sums of "cycles" and "instructions" in these; and one for each event that was counted
 * (KYMO_ZONE_EVENTS()), by its name, with the sum, or nothing where no zone of the row counted it. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sink/csv_field.h"
#include "sink/outfile.h"
#include "sink/sink.h"
#include "sink/zonestats.h"

struct csv {
    struct outfile *out;
    struct zonestats *stats;
    bool counted; /* a zone had counters */
};

static int csv_event(void *state, const struct event *event) {
    struct csv *csv = state;
    int error = zonestats_event(csv->stats, event);
    return error ? outfile_fail(csv->out, error) : 0;
}

static void write_field(struct outfile *out, const char *text) {
    csv_field(out, text, strlen(text));
}

static uint64_t repaired_of(const struct zonestats_row *row) {
    uint64_t sum = row->too_deep;
    for (size_t why = 1; why < ZONE_REPAIRS; why++) {
        sum += row->repaired[why];
    }
    return sum;
}

static void write_heads(const struct csv *csv) {
    const char *name;
    outfile_printf(csv->out,
                   "name,src_file,src_line,total_ns,total_perc,counts,mean_ns,min_ns,"
                   "max_ns,std_ns,repaired,self_ns%s",
                   csv->counted ? ",counted,cycles,instructions" : "");
    for (uint32_t i = 0; (name = zonestats_counter(csv->stats, i)) != NULL; i++) {
        outfile_write(csv->out, ",", 1);
        write_field(csv->out, name);
    }
    outfile_write(csv->out, "\n", 1);
}

/* "row" is NULL for one that is no zone's. */
static void write_events(const struct csv *csv, const struct zonestats_row *row) {
    for (uint32_t i = 0; zonestats_counter(csv->stats, i) != NULL; i++) {
        outfile_write(csv->out, ",", 1);
        if (row && zonestats_count_of(row, i).zones != 0) {
            outfile_printf(csv->out, "%" PRIu64, zonestats_count_of(row, i).times);
        }
    }
    outfile_write(csv->out, "\n", 1);
}

static void write_row(const struct csv *csv, const struct zonestats_row *row, int64_t last_ns) {
    struct outfile *out = csv->out;
    double percent = last_ns > 0 ? 100.0 * (double)row->total_ns / (double)last_ns : 0.0;
    write_field(out, row->site->name);
    outfile_write(out, ",", 1);
    write_field(out, row->site->file);
    outfile_printf(out,
                   ",%" PRIu32 ",%" PRIu64 ",%f,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
                   ",%f,%" PRIu64 ",%" PRIu64,
                   row->site->line, row->total_ns, percent, row->count, row->mean_ns, row->min_ns,
                   row->max_ns, row->std_ns, repaired_of(row), row->self_ns);
    if (csv->counted) {
        outfile_printf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, row->counted, row->cycles,
                       row->instructions);
    }
    write_events(csv, row);
}

static void write_track(const struct csv *csv, const char *what, const struct track *track,
                        uint64_t times) {
    struct outfile *out = csv->out;
    char name[256];
    if (times != 0) {
        snprintf(name, sizeof name, "%s '%s'", what, track->name);
        write_field(out, name);
        outfile_printf(out, ",,0,0,%f,0,0,0,0,%f,%" PRIu64 ",0%s", 0.0, 0.0, times,
                       csv->counted ? ",0,0,0" : "");
        write_events(csv, NULL);
    }
}

static void write_tracks(struct csv *csv) {
    size_t count;
    const struct zonestats_track *tracks = zonestats_tracks(csv->stats, &count);
    for (size_t i = 0; i < count; i++) {
        write_track(csv, "no open zone on", tracks[i].track, tracks[i].ends + tracks[i].notes);
        write_track(csv, "not left:", tracks[i].track, tracks[i].not_left);
        write_track(csv, "not held by", tracks[i].track, tracks[i].gives);
    }
}

static void write_rows(struct csv *csv) {
    size_t count;
    struct zonestats_row *rows = zonestats_rows(csv->stats, &count);
    if (!rows && count > 0) {
        outfile_fail(csv->out, -ENOMEM);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        csv->counted = csv->counted || rows[i].counted != 0 || rows[i].count_of_counts != 0;
    }
    write_heads(csv);
    for (size_t i = 0; i < count; i++) {
        write_row(csv, &rows[i], zonestats_last_ns(csv->stats));
    }
    free(rows);
    write_tracks(csv);
}

static int csv_close(void *state) {
    struct csv *csv = state;
    write_rows(csv);
    int error = outfile_close(csv->out);
    zonestats_free(csv->stats);
    free(csv);
    return error;
}

static int csv_open(struct consumer *consumer, const char *path) {
    struct csv *csv = calloc(1, sizeof *csv);
    if (!csv) {
        return -ENOMEM;
    }
    csv->stats = zonestats_new();
    int error = csv->stats ? outfile_open(&csv->out, path) : -ENOMEM;
    if (error) {
        zonestats_free(csv->stats);
        free(csv);
        return error;
    }
    *consumer =
        (struct consumer){.name = "csv", .state = csv, .event = csv_event, .close = csv_close};
    return 0;
}

const struct sink sink_csv = {
    .name = "csv",
    .suffixes = ".csv",
    .help = "statistics of zones, with the columns of Tracy's csvexport",
    .open = csv_open,
};
