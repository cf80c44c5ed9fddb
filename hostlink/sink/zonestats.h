/* SPDX-License-Identifier: MIT */
/* Statistics of zones, one row per place in the source. Memory grows with the number of sites and with how widely
 * their durations spread, never with the number of zones. */
#ifndef HOSTLINK_ZONESTATS_H
#define HOSTLINK_ZONESTATS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "model/event.h"

struct histogram;
struct table_to;
struct zonestats;

/* How often an event happened, and in how many zones that counted it. */
struct zonestats_count {
    uint64_t times, zones;
};

struct zonestats_row {
    const struct site *site;
    uint64_t count;
    uint64_t total_ns; /* with the zones inside; a zone inside itself counts twice */
    uint64_t self_ns;  /* without the zones inside, and without preemption */
    uint64_t mean_ns;  /* total / count, rounded down */
    uint64_t min_ns, max_ns;
    uint64_t p50_ns, p99_ns;           /* nearest rank, within 1/64 (1.6 %) of the exact value */
    const struct histogram *histogram; /* of these times; belongs to the stats */
    double std_ns;                     /* of the sample (n - 1), 0 for one zone */
    /* Zones that are not in the values above, as not both their ends are true. */
    uint64_t repaired[ZONE_REPAIRS];
    uint64_t too_deep; /* zones that were left out */
    uint64_t behind;   /* ends without an open zone, where this zone had ended last */
    uint32_t order;    /* of first appearance, from 0 */
    /* Zones with counters, and the sums of their counts; 0: no such zone, or the core does not count this. */
    uint64_t counted, cycles, instructions;
    /* Events that the firmware chose, by the number that zonestats_counter() has; the first ones. Belongs to the
     * stats. */
    const struct zonestats_count *counts;
    uint32_t count_of_counts;
};

/* NULL when memory is short. */
struct zonestats *zonestats_new(void);
/* Takes any event and counts the ends of zones. A zone whose end hostlink had to make up has no true
 * duration: it is counted apart, by the reason. 0 or -ENOMEM. */
int zonestats_event(struct zonestats *stats, const struct event *event);
/* The rows by falling total, then in the order of first appearance: an array for free(), its length
 * in *count. NULL when memory is short or there are no rows (*count tells which: SIZE_MAX or 0). A place of which
 * all zones were repaired has a row with a count of 0. */
struct zonestats_row *zonestats_rows(const struct zonestats *stats, size_t *count);

/* The name of a counted event; NULL after the last one. Numbers are from 0, in the order of appearance. */
const char *zonestats_counter(const struct zonestats *stats, uint32_t number);
/* The count of an event in a row; zero: no zone of the row counted it. */
static inline struct zonestats_count zonestats_count_of(const struct zonestats_row *row,
                                                        uint32_t number) {
    return number < row->count_of_counts ? row->counts[number] : (struct zonestats_count){0};
}
/* Counts that were left out, as there are too many names. */
uint64_t zonestats_uncounted(const struct zonestats *stats);

/* A track on which ends or attributes came while no zone was open, or an interrupt that was not left. */
struct zonestats_track {
    const struct track *track;
    uint64_t repairs[REPAIRS]; /* by enum repair */
};
/* All tracks with repairs, by their id; *count of them. The array belongs to "stats". */
const struct zonestats_track *zonestats_tracks(const struct zonestats *stats, size_t *count);
/* The time of the last event of any kind, 0 before the first. */
int64_t zonestats_last_ns(const struct zonestats *stats);
/* Sets the time that shares of zones refer to, in place of the time of the last event. */
void zonestats_span(struct zonestats *stats, double span_ns);
double zonestats_span_ns(const struct zonestats *stats);
/* The table; text has also the core's counts in zones, and the repairs. Returns 0 or -ENOMEM. */
int zonestats_table(const struct zonestats *stats, struct table_to *to);
/* A line with the zones that took most time themselves, and their share of the time in zones; nothing where there is
 * only one. */
void zonestats_busiest(const struct zonestats *stats, FILE *out);
/* Prints the repairs: places and tracks by name, how often, and how to fix them. Prints nothing without repairs. */
void zonestats_repairs(const struct zonestats *stats, FILE *out);
void zonestats_free(struct zonestats *stats);

#endif
