/* SPDX-License-Identifier: MIT */
#include "sink/sink.h"

#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "files.h"

static const struct track track = {.id = 1, .name = "core 0"};

static void zone(const struct consumer *sink, const struct site *site, int64_t start_ns,
                 int64_t end_ns) {
    struct event event = {.kind = EVENT_ZONE_END, .time_ns = end_ns, .track = &track, .site = site};
    event.u.zone.start_ns = start_ns;
    event.u.zone.self_ns = end_ns - start_ns;
    assert_int_equal(sink->event(sink->state, &event), 0);
}

CASE(columns_of_csvexport) {
    static const struct site plain = {
        .known = true, .name = "work", .function = "f", .file = "src/a.c", .line = 12};
    static const struct site awkward = {.known = true,
                                        .name = "a,\"b\"\r\nc",
                                        .function = "f",
                                        .file = "d,e.c",
                                        .line = 4294967295};
    struct consumer sink;
    assert_int_equal(sink_open(sink_for_path("x.csv"), &sink, file_path("a.csv")), 0);
    zone(&sink, &plain, 0, 10);
    zone(&sink, &plain, 20, 41);
    zone(&sink, &awkward, 0, 80);
    assert_int_equal(sink.close(sink.state), 0);
    char *text = file_read(file_path("a.csv"), NULL);
    /* Percent of the last event's time, 80 ns; deviation of 10 and 21: sqrt(2 * 5.5^2). */
    assert_string_equal(text, "name,src_file,src_line,total_ns,total_perc,counts,mean_ns,min_ns,"
                              "max_ns,std_ns,repaired,self_ns\n"
                              "\"a,\"\"b\"\"\r\nc\",\"d,e.c\",4294967295,80,100.000000,1,80,80,80,"
                              "0.000000,0,80\n"
                              "work,src/a.c,12,31,38.750000,2,15,10,21,7.778175,0,31\n");
    free(text);
}

/* An end or attribute without a zone has a row of its track, after the sites. */
CASE(ends_and_attributes_without_a_zone) {
    const enum repair repairs[] = {REPAIR_END_WITHOUT_ZONE, REPAIR_NOTE_WITHOUT_ZONE,
                                   REPAIR_END_WITHOUT_ZONE, REPAIR_NOTE_WITHOUT_ZONE,
                                   REPAIR_NOTE_WITHOUT_ZONE};
    struct consumer sink;
    assert_int_equal(sink_open(sink_for_path("x.csv"), &sink, file_path("c.csv")), 0);
    for (size_t i = 0; i < 5; i++) {
        struct event event = {.kind = EVENT_REPAIR, .time_ns = (int64_t)i, .track = &track};
        event.u.repair = repairs[i];
        assert_int_equal(sink.event(sink.state, &event), 0);
    }
    assert_int_equal(sink.close(sink.state), 0);
    char *text = file_read(file_path("c.csv"), NULL);
    assert_string_equal(text, "name,src_file,src_line,total_ns,total_perc,counts,mean_ns,min_ns,"
                              "max_ns,std_ns,repaired,self_ns\n"
                              "no open zone on 'core 0',,0,0,0.000000,0,0,0,0,0.000000,5,0\n");
    free(text);
}

/* Also of a zone whose end was lost: the counters say how far it came. */
CASE(counters_have_columns_where_there_are_any) {
    const struct site a = {.known = true, .name = "a", .function = "", .file = "f.c", .line = 1};
    struct consumer sink;
    assert_int_equal(sink_open(sink_for_path("x.csv"), &sink, file_path("d.csv")), 0);
    struct event event = {.kind = EVENT_ZONE_COUNTERS, .time_ns = 1, .track = &track, .site = &a};
    event.u.counters.cycles = 0xffffffffu;
    event.u.counters.instructions = 800;
    assert_int_equal(sink.event(sink.state, &event), 0);
    event.u.counters.cycles = 1;
    assert_int_equal(sink.event(sink.state, &event), 0);
    assert_int_equal(sink.close(sink.state), 0);
    char *text = file_read(file_path("d.csv"), NULL);
    assert_string_equal(text, "name,src_file,src_line,total_ns,total_perc,counts,mean_ns,min_ns,"
                              "max_ns,std_ns,repaired,self_ns,counted,cycles,instructions\n"
                              "a,f.c,1,0,0.000000,0,0,0,0,0.000000,0,0,2,4294967296,1600\n");
    free(text);
}

/* A reader by columns' names would take the event's sum for the zone's cycles. */
CASE(an_event_takes_no_name_of_a_column) {
    static const char *const names[] = {"cycles", "total_ns", "misses"};
    struct site a = {.known = true, .name = "a", .function = "", .file = "f.c", .line = 1};
    struct site named[3];
    struct consumer sink;
    assert_int_equal(sink_open(sink_for_path("x.csv"), &sink, file_path("e.csv")), 0);
    for (uint32_t i = 0; i < 3; i++) {
        named[i] = (struct site){.known = true, .name = names[i], .function = "", .file = ""};
        struct event event = {.kind = EVENT_ZONE_COUNT, .time_ns = 1, .track = &track, .site = &a};
        event.u.count.of = &named[i];
        event.u.count.times = i + 5u;
        assert_int_equal(sink.event(sink.state, &event), 0);
    }
    assert_int_equal(sink.close(sink.state), 0);
    char *text = file_read(file_path("e.csv"), NULL);
    assert_non_null(strstr(
        text, "self_ns,counted,cycles,instructions,cycles (event),total_ns (event),misses\n"));
    assert_non_null(strstr(text, ",0,0,0,5,6,7\n"));
    free(text);
}

CASE(no_zones) {
    struct consumer sink;
    assert_int_equal(sink_open(sink_for_path("x.csv"), &sink, file_path("b.csv")), 0);
    assert_int_equal(sink.close(sink.state), 0);
    char *text = file_read(file_path("b.csv"), NULL);
    assert_string_equal(text, "name,src_file,src_line,total_ns,total_perc,counts,mean_ns,min_ns,"
                              "max_ns,std_ns,repaired,self_ns\n");
    free(text);
}

CASES_BETWEEN(files_setup, files_teardown);
