/* SPDX-License-Identifier: MIT */
#include "sink/zonestats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/intmap.h"
#include "base/keytable.h"
#include "sink/count_label.h"
#include "sink/histogram.h"

struct zone_site {
    const struct site *site;
    uint64_t count, total_ns, self_ns, min_ns, max_ns;
    /* Running mean and sum of squared distances from it (Welford): sums of squares of ns would lose
     * all digits of a small deviation. */
    double mean, distance_squares;
    struct histogram histogram;
    uint64_t repaired[ZONE_REPAIRS], too_deep, behind;
    uint64_t cycles, instructions, counted;
    struct zonestats_count *counts;
    uint32_t count_of_counts;
    struct site *
        on_board; /* of several boards: the site as "site" points to, named "board/zone"; its name follows it */
};

/* A board chooses at most four at a time. */
#define COUNTER_NAMES 32u

/* Sites that ended last, by the low bits of their numbers. */
#define RECENT_SITES 256u
struct recent_site {
    const struct site *site;
    uint32_t row;
};

struct zonestats {
    struct recent_site recent[RECENT_SITES];
    struct intmap sites;    /* by the pointer to the site: its row + 1 */
    struct keytable places; /* key: see place_key() */
    struct zone_site *rows; /* by number of the place */
    uint32_t row_capacity;
    struct keytable track_ids;      /* key: the id */
    struct zonestats_track *tracks; /* by number of the id */
    uint32_t track_capacity;
    const char *counters[COUNTER_NAMES]; /* names of events, by their numbers */
    uint32_t counter_count;
    uint64_t uncounted;
    int64_t last_ns;
    double span_ns; /* 0: last_ns */
    int error;      /* 0 or -ENOMEM: nothing more is counted */
};

struct zonestats *zonestats_new(void) {
    return calloc(1, sizeof(struct zonestats));
}

void zonestats_free(struct zonestats *stats) {
    if (stats) {
        for (uint32_t i = 0; i < stats->places.count; i++) {
            histogram_free(&stats->rows[i].histogram);
            free(stats->rows[i].counts);
            free(stats->rows[i].on_board);
        }
        intmap_free(&stats->sites);
        keytable_free(&stats->places);
        keytable_free(&stats->track_ids);
        free(stats->tracks);
        free(stats->rows);
        free(stats);
    }
}

static int reserve(struct zonestats *stats) {
    if (!grow(&stats->rows, &stats->row_capacity, stats->places.count, sizeof *stats->rows)) {
        return -ENOMEM;
    }
    return 0;
}

/* Each session of the board has sites of its own, but the same place in the source is one row. A site
 * whose names have not arrived is a row by itself. */
static char *place_key(const struct site *site, const struct event_board *board, size_t *length) {
    const uint32_t numbers[] = {site->line, board ? board->number + 1 : 0};
    size_t name = strlen(site->name) + 1, file = strlen(site->file) + 1;
    char *key = malloc(name + file + sizeof numbers);
    if (key) {
        memcpy(key, site->name, name);
        memcpy(key + name, site->file, file);
        memcpy(key + name + file, numbers, sizeof numbers);
        *length = name + file + sizeof numbers;
    }
    return key;
}

static int64_t place_of(struct zonestats *stats, const struct site *site,
                        const struct event_board *board) {
    if (!site->known) {
        return keytable_add(&stats->places, &site, sizeof site);
    }
    size_t length;
    char *key = place_key(site, board, &length);
    int64_t number = key ? keytable_add(&stats->places, key, length) : -ENOMEM;
    free(key);
    return number;
}

/* A site with the name that it has among several boards: as their tracks have, and plots in outputs.
 * NULL: no memory. */
static struct site *name_on_board(const struct site *site, const struct event_board *board) {
    const size_t head = strlen(board->name), tail = strlen(site->name) + 1;
    struct site *copy = malloc(sizeof *copy + head + 1 + tail);
    if (copy) {
        char *name = (char *)(copy + 1);
        memcpy(name, board->name, head);
        name[head] = '/';
        memcpy(name + head + 1, site->name, tail);
        *copy = *site;
        copy->name = name;
    }
    return copy;
}

/* The number of the row of a site that appears for the first time, or -ENOMEM. */
static int64_t assign_row(struct zonestats *stats, const struct site *site,
                          const struct event_board *board) {
    uint32_t before = stats->places.count;
    int64_t number = reserve(stats) == 0 ? place_of(stats, site, board) : -ENOMEM;
    if (number >= 0 && stats->places.count > before) {
        struct site *copy = board && site->known ? name_on_board(site, board) : NULL;
        stats->rows[number] =
            (struct zone_site){.site = copy ? copy : site, .on_board = copy, .min_ns = UINT64_MAX};
    }
    int error = number >= 0 ? intmap_add(&stats->sites, (uintptr_t)site, (uint32_t)number + 1) : 0;
    return error ? error : number;
}

static struct zone_site *find_row(struct zonestats *stats, const struct event *event) {
    const struct site *site = event->site;
    const struct event_board *board = event->track ? event->track->board : NULL;
    uint32_t row = intmap_get(&stats->sites, (uintptr_t)site);
    int64_t number = row != 0 ? (int64_t)row - 1 : assign_row(stats, site, board);
    if (number < 0) {
        return NULL;
    }
    stats->recent[site->id % RECENT_SITES] = (struct recent_site){site, (uint32_t)number};
    return &stats->rows[number];
}

static inline struct zone_site *row_of(struct zonestats *stats, const struct event *event) {
    const struct recent_site *recent = &stats->recent[event->site->id % RECENT_SITES];
    return recent->site == event->site ? &stats->rows[recent->row] : find_row(stats, event);
}

static inline uint64_t add_clamped(uint64_t a, uint64_t b) {
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static inline uint64_t not_negative(int64_t ns) { return ns > 0 ? (uint64_t)ns : 0; }

static inline int add_zone(struct zone_site *row, uint64_t duration_ns, uint64_t self_ns) {
    row->count++;
    row->total_ns = add_clamped(row->total_ns, duration_ns);
    row->self_ns = add_clamped(row->self_ns, self_ns);
    row->min_ns = duration_ns < row->min_ns ? duration_ns : row->min_ns;
    row->max_ns = duration_ns > row->max_ns ? duration_ns : row->max_ns;
    /* Both are below 2^63, and a signed number becomes a double in one instruction. */
    const double duration = (double)(int64_t)duration_ns, distance = duration - row->mean;
    row->mean += distance / (double)(int64_t)row->count;
    row->distance_squares += distance * (duration - row->mean);
    return histogram_add(&row->histogram, duration_ns);
}

static inline int end_of_zone(struct zone_site *row, const struct event *event) {
    if (event->u.zone.repaired != ZONE_ENDED) {
        uint32_t why = (uint32_t)event->u.zone.repaired;
        row->repaired[why < ZONE_REPAIRS ? why : ZONE_END_LOST]++;
        return 0;
    }
    int64_t duration_ns;
    if (__builtin_sub_overflow(event->time_ns, event->u.zone.start_ns, &duration_ns)) {
        duration_ns = INT64_MAX;
    }
    return add_zone(row, not_negative(duration_ns), not_negative(event->u.zone.self_ns));
}

static struct zonestats_track *track_of(struct zonestats *stats, const struct track *track) {
    if (!grow(&stats->tracks, &stats->track_capacity, stats->track_ids.count,
              sizeof *stats->tracks)) {
        return NULL;
    }
    uint32_t before = stats->track_ids.count;
    int64_t number = keytable_add(&stats->track_ids, &track->id, sizeof track->id);
    if (number < 0) {
        return NULL;
    }
    if (stats->track_ids.count > before) {
        stats->tracks[number] = (struct zonestats_track){.track = track};
    }
    return &stats->tracks[number];
}

/* Counts a mistake of the firmware on its track, as no open zone explains it. */
static int count_on_track(struct zonestats *stats, const struct event *event) {
    struct zonestats_track *track = track_of(stats, event->track);
    if (!track) {
        return -ENOMEM;
    }
    const uint32_t why = (uint32_t)event->u.repair;
    track->repairs[why < REPAIRS ? why : REPAIR_END_WITHOUT_ZONE]++;
    return 0;
}

static int count_on_zone(struct zonestats *stats, const struct event *event) {
    struct zone_site *row = row_of(stats, event);
    if (!row) {
        return -ENOMEM;
    }
    row->too_deep += event->u.repair == REPAIR_TOO_DEEP;
    row->behind += event->u.repair == REPAIR_END_WITHOUT_ZONE;
    return 0;
}

static __attribute__((noinline)) int count_repair(struct zonestats *stats,
                                                  const struct event *event) {
    const bool on_track = event->u.repair != REPAIR_TOO_DEEP && event->track;
    const int error = on_track ? count_on_track(stats, event) : 0;
    stats->error = error == 0 && event->site ? count_on_zone(stats, event) : error;
    return stats->error;
}

static __attribute__((noinline)) int count_end(struct zonestats *stats, const struct event *event) {
    struct zone_site *row = row_of(stats, event);
    stats->error = row ? end_of_zone(row, event) : -ENOMEM;
    return stats->error;
}

/* Whether the zone ends well is not known yet: nearly all do. */
static __attribute__((noinline)) int count_counters(struct zonestats *stats,
                                                    const struct event *event) {
    struct zone_site *row = row_of(stats, event);
    if (row) {
        row->cycles = add_clamped(row->cycles, event->u.counters.cycles);
        row->instructions = add_clamped(row->instructions, event->u.counters.instructions);
        row->counted++;
    }
    stats->error = row ? 0 : -ENOMEM;
    return stats->error;
}

static uint32_t counter_number(struct zonestats *stats, const char *name) {
    uint32_t number = 0;
    while (number < stats->counter_count && strcmp(stats->counters[number], name) != 0) {
        number++;
    }
    if (number == stats->counter_count && number < COUNTER_NAMES) {
        stats->counters[stats->counter_count++] = name;
    }
    return number;
}

static __attribute__((noinline)) int count_event(struct zonestats *stats,
                                                 const struct event *event) {
    struct zone_site *row = row_of(stats, event);
    const uint32_t number = counter_number(stats, count_label(event->u.count.of->name));
    if (row && number == COUNTER_NAMES) {
        stats->uncounted++;
        return 0;
    }
    if (row && number >= row->count_of_counts) {
        struct zonestats_count *grown = realloc(row->counts, (number + 1) * sizeof *grown);
        if (grown) {
            const size_t more = number + 1 - row->count_of_counts;
            memset(grown + row->count_of_counts, 0, more * sizeof *grown);
            row->counts = grown;
            row->count_of_counts = number + 1;
        }
    }
    stats->error = row && number < row->count_of_counts ? 0 : -ENOMEM;
    if (stats->error == 0) {
        row->counts[number].times = add_clamped(row->counts[number].times, event->u.count.times);
        row->counts[number].zones++;
    }
    return stats->error;
}

const char *zonestats_counter(const struct zonestats *stats, uint32_t number) {
    return number < stats->counter_count ? stats->counters[number] : NULL;
}

uint64_t zonestats_uncounted(const struct zonestats *stats) { return stats->uncounted; }

int zonestats_event(struct zonestats *stats, const struct event *event) {
    stats->last_ns = event->time_ns > stats->last_ns ? event->time_ns : stats->last_ns;
    if (stats->error != 0) {
        return stats->error;
    }
    return event->kind == EVENT_ZONE_END        ? count_end(stats, event)
           : event->kind == EVENT_REPAIR        ? count_repair(stats, event)
           : event->kind == EVENT_ZONE_COUNTERS ? count_counters(stats, event)
           : event->kind == EVENT_ZONE_COUNT    ? count_event(stats, event)
                                                : 0;
}

const struct zonestats_track *zonestats_tracks(const struct zonestats *stats, size_t *count) {
    *count = stats->track_ids.count;
    return stats->tracks;
}

void zonestats_span(struct zonestats *stats, double span_ns) { stats->span_ns = span_ns; }

double zonestats_span_ns(const struct zonestats *stats) {
    return stats->span_ns > 0.0 ? stats->span_ns : (double)stats->last_ns;
}

int64_t zonestats_last_ns(const struct zonestats *stats) { return stats->last_ns; }

/* The middle of a histogram's step may lie outside the measured range. */
static uint64_t percentile(const struct zone_site *row, unsigned percent) {
    uint64_t value = histogram_percentile(&row->histogram, percent);
    if (value < row->min_ns) {
        return row->min_ns;
    }
    return value > row->max_ns ? row->max_ns : value;
}

static struct zonestats_row summary(const struct zone_site *row) {
    struct zonestats_row result = {.site = row->site,
                                   .histogram = &row->histogram,
                                   .too_deep = row->too_deep,
                                   .behind = row->behind,
                                   .cycles = row->cycles,
                                   .instructions = row->instructions,
                                   .counted = row->counted,
                                   .counts = row->counts,
                                   .count_of_counts = row->count_of_counts};
    memcpy(result.repaired, row->repaired, sizeof result.repaired);
    if (row->count == 0) {
        return result;
    }
    result.count = row->count;
    result.total_ns = row->total_ns;
    result.self_ns = row->self_ns;
    result.mean_ns = row->total_ns / row->count;
    result.min_ns = row->min_ns;
    result.max_ns = row->max_ns;
    result.p50_ns = percentile(row, 50);
    result.p99_ns = percentile(row, 99);
    result.std_ns = row->count > 1 ? sqrt(row->distance_squares / (double)(row->count - 1)) : 0.0;
    return result;
}

static int by_total(const void *a, const void *b) {
    const struct zonestats_row *left = a, *right = b;
    if (left->total_ns != right->total_ns) {
        return left->total_ns < right->total_ns ? 1 : -1;
    }
    return left->order < right->order ? -1 : 1;
}

struct zonestats_row *zonestats_rows(const struct zonestats *stats, size_t *count) {
    *count = stats->places.count;
    if (*count == 0) {
        return NULL;
    }
    struct zonestats_row *rows = malloc(*count * sizeof *rows);
    if (!rows) {
        *count = SIZE_MAX;
        return NULL;
    }
    for (size_t i = 0; i < *count; i++) {
        rows[i] = summary(&stats->rows[i]);
        rows[i].order = (uint32_t)i;
    }
    qsort(rows, *count, sizeof *rows, by_total);
    return rows;
}
