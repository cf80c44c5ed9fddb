/* SPDX-License-Identifier: MIT */
/* Statistics of zones as CSV, with the columns of Tracy's csvexport (csvexport/src/csvexport.cpp) and
 * their meaning: total with the zones inside, total_perc of the time of the last event, mean as an
 * integer, deviation of the sample. Different here: a field that holds a comma, a quote or a line end
 * is quoted (RFC 4180) where csvexport writes it bare; rows are sorted by total where csvexport has
 * the order of its source locations; a site whose zones all took 0 ns has its row.
 * More columns: "repaired" counts events outside the other columns: zones that hostlink had to close, and, in rows of
 * tracks, ends and attributes without an open zone, and interrupts that were not left; "self_ns" is the time without
 * the zones inside, interrupts and other tasks. Where a zone had counters (KYMO_ZONE_COUNTERS()) three more: "counted"
 * zones, and the sums of "cycles" and "instructions" in these; and one for each event that was counted
 * (KYMO_ZONE_EVENTS()), by its name, with the sum, or nothing where no zone of the row counted it. */
#include <errno.h>

#include "sink/outfile.h"
#include "sink/sink.h"
#include "sink/table.h"
#include "sink/zonestats.h"

struct csv {
    struct outfile *out;
    struct zonestats *stats;
};

static int csv_event(void *state, const struct event *event) {
    struct csv *csv = state;
    int error = zonestats_event(csv->stats, event);
    return error ? outfile_fail(csv->out, error) : 0;
}

static int csv_end(void *state) {
    struct csv *csv = state;
    struct table_to to = {.form = TABLE_CSV, .out = csv->out};
    const int error = zonestats_table(csv->stats, &to);
    zonestats_free(csv->stats);
    return error;
}

static int csv_begin(void *state) {
    struct csv *csv = state;
    csv->stats = zonestats_new();
    return csv->stats ? 0 : -ENOMEM;
}

const struct sink sink_csv = {
    .name = "csv",
    .suffixes = ".csv",
    .help = "statistics of zones, with the columns of Tracy's csvexport",
    .size = sizeof(struct csv),
    .begin = csv_begin,
    .event = csv_event,
    .end = csv_end,
};
