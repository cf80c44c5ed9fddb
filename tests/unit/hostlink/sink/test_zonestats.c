/* SPDX-License-Identifier: MIT */
#include "sink/zonestats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "heap.h"
#include "platform/memory_stream.h"
#include "sink/table.h"

static const struct track track = {.id = 1, .name = "core 0"};

static struct site site(const char *name, uint32_t line) {
    return (struct site){
        .known = true, .name = name, .function = "f", .file = "dir/file.c", .line = line};
}

static void zone(struct zonestats *stats, const struct site *where, int64_t start_ns,
                 int64_t end_ns, int64_t self_ns, bool repaired) {
    struct event event = {
        .kind = EVENT_ZONE_END, .time_ns = end_ns, .track = &track, .site = where};
    event.u.zone.start_ns = start_ns;
    event.u.zone.self_ns = self_ns;
    event.u.zone.repaired = repaired ? ZONE_END_LOST : ZONE_ENDED;
    assert_int_equal(zonestats_event(stats, &event), 0);
}

CASE(values_of_a_site) {
    struct zonestats *stats = zonestats_new();
    struct site a = site("a", 1);
    zone(stats, &a, 100, 110, 4, false);
    zone(stats, &a, 200, 220, 5, false);
    zone(stats, &a, 300, 331, 6, false);
    size_t count;
    struct zonestats_row *rows = zonestats_rows(stats, &count);
    assert_int_equal(count, 1);
    assert_ptr_equal(rows[0].site, &a);
    assert_int_equal(rows[0].count, 3);
    assert_int_equal(rows[0].total_ns, 61);
    assert_int_equal(rows[0].self_ns, 15);
    assert_int_equal(rows[0].mean_ns, 20);
    assert_int_equal(rows[0].min_ns, 10);
    assert_int_equal(rows[0].max_ns, 31);
    assert_int_equal(rows[0].p50_ns, 20);
    assert_int_equal(rows[0].p99_ns, 31);
    /* Sum of squared distances from 61/3: 220.666..., over n - 1 = 2. */
    assert_true(rows[0].std_ns > 10.50396 && rows[0].std_ns < 10.50397);
    assert_int_equal(zonestats_last_ns(stats), 331);
    free(rows);
    zonestats_free(stats);
}

/* Durations of an hour that differ by 1 ns: sums of squares in doubles would give 0 or NaN. */
CASE(deviation_keeps_its_digits) {
    struct zonestats *stats = zonestats_new();
    struct site a = site("a", 1);
    int64_t hour_ns = INT64_C(3600000000000);
    zone(stats, &a, 0, hour_ns, 0, false);
    zone(stats, &a, 0, hour_ns + 2, 0, false);
    size_t count;
    struct zonestats_row *rows = zonestats_rows(stats, &count);
    assert_true(rows[0].std_ns > 1.41 && rows[0].std_ns < 1.42);
    assert_true(rows[0].p50_ns >= (uint64_t)hour_ns && rows[0].p99_ns <= (uint64_t)hour_ns + 2);
    free(rows);
    zonestats_free(stats);
}

CASE(rows_by_total_then_appearance) {
    struct zonestats *stats = zonestats_new();
    struct site sites[4] = {site("a", 1), site("b", 2), site("c", 3), site("d", 4)};
    static const int64_t totals[4] = {5, 9, 5, 7};
    for (size_t i = 0; i < 4; i++) {
        zone(stats, &sites[i], 0, totals[i], 0, false);
    }
    size_t count;
    struct zonestats_row *rows = zonestats_rows(stats, &count);
    assert_int_equal(count, 4);
    assert_string_equal(rows[0].site->name, "b");
    assert_string_equal(rows[1].site->name, "d");
    assert_string_equal(rows[2].site->name, "a");
    assert_string_equal(rows[3].site->name, "c");
    free(rows);
    zonestats_free(stats);
}

CASE(one_row_for_a_place_over_sessions) {
    struct zonestats *stats = zonestats_new();
    struct site before = site("a", 1), after = site("a", 1), other_line = site("a", 2);
    struct site unknown = site("site 7", 0), unknown_too = site("site 7", 0);
    unknown.known = unknown_too.known = false;
    zone(stats, &before, 0, 10, 0, false);
    zone(stats, &after, 0, 20, 0, false);
    zone(stats, &after, 0, 30, 0, false);
    zone(stats, &other_line, 0, 5, 0, false);
    zone(stats, &unknown, 0, 2, 0, false);
    zone(stats, &unknown_too, 0, 1, 0, false); /* nothing says that it is the same */
    size_t count;
    struct zonestats_row *rows = zonestats_rows(stats, &count);
    assert_int_equal(count, 4);
    assert_int_equal(rows[0].count, 3);
    assert_int_equal(rows[0].total_ns, 60);
    assert_int_equal(rows[1].count, 1);
    free(rows);
    zonestats_free(stats);
}

CASE(ends_that_the_board_did_not_send) {
    struct zonestats *stats = zonestats_new();
    struct site a = site("a", 1);
    zone(stats, &a, 0, 1000, 0, true);
    size_t count;
    struct zonestats_row *rows = zonestats_rows(stats, &count);
    assert_int_equal(count, 1);
    assert_int_equal(rows[0].count, 0);
    assert_int_equal(rows[0].total_ns, 0);
    assert_int_equal(rows[0].repaired[ZONE_END_LOST], 1);
    free(rows);
    assert_int_equal(zonestats_last_ns(stats), 1000);
    zonestats_free(stats);
}

CASE(absurd_times) {
    struct zonestats *stats = zonestats_new();
    struct site a = site("a", 1);
    zone(stats, &a, INT64_MIN, INT64_MAX, INT64_MIN, false);
    zone(stats, &a, INT64_MIN, INT64_MAX, INT64_MAX, false);
    zone(stats, &a, INT64_MIN, INT64_MAX, INT64_MAX, false);
    zone(stats, &a, 10, 5, 0, false); /* ends before it starts */
    size_t count;
    struct zonestats_row *rows = zonestats_rows(stats, &count);
    assert_true(rows[0].total_ns == UINT64_MAX); /* held, not wrapped */
    assert_int_equal(rows[0].min_ns, 0);
    assert_true(rows[0].max_ns == (uint64_t)INT64_MAX);
    assert_true(rows[0].self_ns == (uint64_t)INT64_MAX * 2);
    free(rows);
    zonestats_free(stats);
}

CASE(memory_does_not_grow_with_zones) {
    struct zonestats *stats = zonestats_new();
    struct site a = site("a", 1);
    for (int64_t i = 1; i <= 1000; i++) {
        zone(stats, &a, 0, i, 0, false);
    }
    size_t before = heap_bytes();
    for (int64_t i = 0; i < 200000; i++) {
        zone(stats, &a, 0, i % 1000 + 1, 0, false);
    }
    assert_int_equal(heap_bytes(), before);
    zonestats_free(stats);
}

static char *table_of(const struct zonestats *stats) {
    char *text = NULL;
    size_t length;
    FILE *out = memory_stream_open(&text, &length);
    assert_int_equal(zonestats_table(stats, &(struct table_to){.form = TABLE_TEXT, .text = out}),
                     0);
    assert_int_equal(memory_stream_close(out), 0);
    return text;
}

CASE(table) {
    struct zonestats *stats = zonestats_new();
    struct site slow = site("gr\xc3\xbc\xc3\x9f", 7), fast = site("evil\x1b[2J\tname", 8);
    zone(stats, &slow, 0, INT64_C(2000000000), 1500, false);
    zone(stats, &fast, 0, 999, 999, false);
    zone(stats, &slow, 0, 1, 0, true);
    char *text = table_of(stats);
    assert_string_equal(
        text,
        "zone               count     total      self      mean       min       p50       p99      "
        " "
        "max  where\n"
        "gr\xc3\xbc\xc3\x9f                   1   2.00 s    1.50 us   2.00 s    2.00 s    2.00 s   "
        " 2.00 s "
        "   2.00 s   file.c:7\n"
        "evil?[2J?name          1    999 ns    999 ns    999 ns    999 ns    999 ns    999 ns    "
        "999 ns  file.c:8\n"
        "repaired, not in the times of the table:\n"
        "  'gr\xc3\xbc\xc3\x9f': 1 closed where events were lost  file.c:7\n");
    free(text);
    zonestats_free(stats);
}

CASE(each_repair_on_a_track_is_named) {
    static const struct track row = {.id = 1, .name = "core 0"};
    static const struct object lock = {.name = "bus"};
    struct zonestats *stats = zonestats_new();
    struct event event = {.kind = EVENT_REPAIR, .track = &row, .object = &lock};
    event.u.repair = REPAIR_GIVE_WITHOUT_HOLD;
    assert_int_equal(zonestats_event(stats, &event), 0);
    char *text = table_of(stats);
    assert_non_null(strstr(text, "  on 'core 0': 1 release of what it did not hold\n"));
    free(text);
    zonestats_free(stats);
}

CASE(units_change_where_they_round) {
    static const struct {
        int64_t ns;
        const char *shown;
    } cases[] = {{0, "  0 ns"},
                 {1000, " 1.00 us"},
                 {9994, " 9.99 us"},
                 {9996, " 10.0 us"},
                 {99960, "  100 us"},
                 {999400, "  999 us"},
                 {999600, " 1.00 ms"},
                 {999600000, " 1.00 s"},
                 {INT64_C(59960000000), " 60.0 s"},
                 {INT64_C(86400000000000), "86400 s"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct zonestats *stats = zonestats_new();
        struct site a = site("a", 1);
        zone(stats, &a, 0, cases[i].ns, 0, false);
        char *text = table_of(stats);
        assert_non_null(strstr(text, cases[i].shown));
        assert_null(strstr(text, "repaired")); /* none was */
        free(text);
        zonestats_free(stats);
    }
}

/* Each name of an event has its sum; beyond 32 names counts are left out, and the table says how many. */
CASE(events_by_name) {
    static struct site named[34];
    static char names[34][8];
    struct zonestats *stats = zonestats_new();
    struct site a = site("a", 1);
    zone(stats, &a, 100, 110, 4, false);
    for (uint32_t i = 0; i < 68; i++) {
        (void)snprintf(names[i % 34], sizeof names[0], "e%u", (unsigned)(i % 34));
        named[i % 34].name = names[i % 34];
        struct event event = {.kind = EVENT_ZONE_COUNT, .track = &track, .site = &a};
        event.u.count.of = &named[i % 34];
        event.u.count.times = 100 + i;
        assert_int_equal(zonestats_event(stats, &event), 0);
    }
    size_t count;
    struct zonestats_row *rows = zonestats_rows(stats, &count);
    assert_int_equal(count, 1);
    assert_string_equal(zonestats_counter(stats, 31), "e31");
    assert_null(zonestats_counter(stats, 32));
    assert_int_equal(zonestats_count_of(&rows[0], 31).times, 131 + 165);
    assert_int_equal(zonestats_count_of(&rows[0], 31).zones, 2);
    assert_int_equal(zonestats_count_of(&rows[0], 32).zones, 0);
    assert_int_equal(zonestats_uncounted(stats), 4);
    char *text = table_of(stats);
    assert_non_null(strstr(text, "4 counts of still more events are left out"));
    free(text);
    free(rows);
    zonestats_free(stats);
}

CASE(empty_table) {
    struct zonestats *stats = zonestats_new();
    char *text = table_of(stats);
    assert_string_equal(text, "no zone was seen\n");
    free(text);
    zonestats_free(stats);
}

CASE(a_name_that_is_cut_says_so) {
    struct zonestats *stats = zonestats_new();
    struct site longer = site("a_name_of_more_than_32_characters_in_all", 1), other = site("b", 2);
    zone(stats, &longer, 0, 100, 90, false);
    zone(stats, &other, 200, 210, 10, false);
    char *text = NULL;
    size_t length;
    FILE *out = memory_stream_open(&text, &length);
    assert_non_null(out);
    zonestats_busiest(stats, out);
    assert_int_equal(memory_stream_close(out), 0);
    assert_string_equal(text,
                        "most time of its own: a_name_of_more_than_32_charact.. 90 %, b 10 %\n");
    free(text);
    zonestats_free(stats);
}
