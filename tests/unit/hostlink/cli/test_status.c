/* SPDX-License-Identifier: MIT */
/* Numbers for people, and the line made of them. */
#include "cli/status.h"

#include <stdio.h>
#include <string.h>

#include "base/host_clock.h"
#include "base/human.h"
#include "cases.h"

CASE(numbers) {
    static const struct {
        double value;
        const char *unit, *text;
    } rows[] = {
        {0, "B", "0 B"},           {999, "B", "999 B"},     {999.4, "", "999"},
        {999.5, "", "1.00 k"},     {1234, "B", "1.23 kB"},  {12345, "B/s", "12.3 kB/s"},
        {123456, "B", "123 kB"},   {999499, "B", "999 kB"}, {999500, "B", "1.00 MB"},
        {9.995e6, "B", "10.0 MB"}, {99.95e9, "", "100 G"},  {5e15, "B", "5000 TB"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[HUMAN_SIZE];
        assert_string_equal(human_number(text, rows[i].value, rows[i].unit), rows[i].text);
    }
}

CASE(times) {
    static const struct {
        uint64_t time_ns;
        const char *text;
    } rows[] = {
        {0, "0 ns"},
        {999, "999 ns"},
        {1000, "1.00 us"},
        {1500000, "1.50 ms"},
        {99900000000, "99.9 s"},
        {100000000000, "1 min 40 s"},
        {5999000000000, "99 min 59 s"},
        {6000000000000, "1 h 40 min"},
        {UINT64_MAX, "5124095 h 34 min"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[HUMAN_SIZE];
        assert_string_equal(human_time(text, rows[i].time_ns), rows[i].text);
    }
}

CASE(counts) {
    static const struct {
        uint64_t amount;
        const char *text;
    } rows[] = {{0, "0 packets"},
                {1, "1 packet"},
                {2, "2 packets"},
                {UINT64_MAX, "18446744073709551615 packets"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[HUMAN_COUNT_SIZE];
        assert_string_equal(human_count(text, rows[i].amount, "packet", "packets"), rows[i].text);
    }
}

CASE(line) {
    char text[256];
    struct pipeline_totals totals = {.delivered = 1000000,
                                     .lost = 3,
                                     .junk_bytes = 12,
                                     .event_bytes = 2710000,
                                     .first_ns = 500,
                                     .last_ns = 1500000500};
    struct status_now now = {
        .running_ns = 75000000000u, .bytes_per_s = 94200, .events_per_s = 34100};
    status_format(text, sizeof text, &totals, &now);
    assert_string_equal(text, "01:15  94.2 kB/s  34.1 kev/s  events 1.00 M  lost 3  junk 12 B  "
                              "span 1.50 s  2.71 B/event");
    now.silence_ns = 12000000000u;
    status_format(text, sizeof text, &totals, &now);
    assert_string_equal(text, "01:15  no data for 12.0 s, last event at 1.50 s  events 1.00 M  "
                              "lost 3  junk 12 B  span 1.50 s  2.71 B/event");
    totals.info.number[KYMO_INFO_RING_BYTES][0] = 4096;
    totals.info.most_bytes[0] = 100;
    totals.info.most_bytes[3] = 2500; /* 61.04 % */
    now.silence_ns = 0;
    status_format(text, sizeof text, &totals, &now);
    assert_string_equal(text,
                        "01:15  94.2 kB/s  34.1 kev/s  events 1.00 M  lost 3  ring peak 62 %  "
                        "junk 12 B  span 1.50 s  2.71 B/event");
    totals.info.most_bytes[3] = 5000; /* no ring can hold that */
    status_format(text, sizeof text, &totals, &now);
    assert_non_null(strstr(text, "ring peak 100 %"));
    totals = (struct pipeline_totals){0};
    now = (struct status_now){0};
    status_format(text, sizeof text, &totals, &now);
    assert_string_equal(text, "00:00  0 B/s  0 ev/s  events 0  lost 0  junk 0 B  span 0 ns  "
                              "0.00 B/event");
}

/* Only times in which events are lost count, whatever the line carries at others. */
CASE(load_of_the_line) {
    struct line_load load = {0};
    struct pipeline_totals totals = {0};
    uint64_t now_ns = NS_PER_S;
    line_load_look(&load, &totals, now_ns);
    totals.bytes = 1000000;
    line_load_look(&load, &totals, now_ns += NS_PER_S);
    assert_int_equal(line_load_percent(&load, 115200), 0);
    for (int i = 0; i < 100; i++) { /* 3456 bytes a second, whatever is looked at in between */
        totals.bytes += 3456 / 4;
        totals.lost_ring++;
        line_load_look(&load, &totals, now_ns + NS_PER_S / 8);
        line_load_look(&load, &totals, now_ns += NS_PER_S / 4);
    }
    assert_int_equal(line_load_percent(&load, 115200), 30);
    assert_int_equal(line_load_percent(&load, 0), 0);
    assert_int_equal(line_load_percent(&load, 9600), 100);
    assert_int_equal(line_load_percent(&load, 100000000), 1);
}
