/* SPDX-License-Identifier: MIT */
/* Events that go in come out at a viewer, in every protocol; events that no viewer would take
 * are mended. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "kymo/wire.h"
#include "synthetic_events.h"
#include "tracy_run.h"

#define KNOWN(kind_, name_)                                                                        \
    { .kind = (kind_), .known = true, .name = (name_), .function = "f", .file = "f.c" }

static const struct track core0 = {1, 0, 0, KYMO_CONTEXT_MAIN, "core 0", NULL, NULL, 0};
static const struct track core1 = {2, 1, 0, KYMO_CONTEXT_MAIN, "core 1", NULL, NULL, 0};
static const struct site zone_a = KNOWN(KYMO_SITE_ZONE, "a");
static const struct site zone_b = KNOWN(KYMO_SITE_ZONE, "b");
static const struct site mark = KNOWN(KYMO_SITE_FRAME, "Frame");
static const struct site span_start = KNOWN(KYMO_SITE_FRAME, "span");
static const struct site span_end = KNOWN(KYMO_SITE_FRAME, "span");
static const struct site heap = KNOWN(KYMO_SITE_POOL, "heap");
static const struct site load_plot = KNOWN(KYMO_SITE_PLOT, "load");

static void check_accepted(const struct tracy_run *run) {
    assert_string_equal(run->peer->failure, "");
    assert_false(run->broken);
    assert_int_equal(run->terminates, 1);
}

static void give(struct tracy_run *run, enum event_kind kind, int64_t time_ns,
                 const struct track *track, const struct site *site) {
    struct event event = {.kind = kind, .time_ns = time_ns, .track = track, .site = site};
    assert_int_equal(tracy_run_event(run, &event), 0);
}

static void give_memory(struct tracy_run *run, enum event_kind kind, int64_t time_ns,
                        const struct track *track, uint64_t address, uint64_t bytes) {
    struct event event = {.kind = kind, .time_ns = time_ns, .track = track, .site = &heap};
    event.u.memory.address = address;
    event.u.memory.bytes = bytes;
    assert_int_equal(tracy_run_event(run, &event), 0);
}

static struct tracy_run *start(uint32_t protocol) {
    struct tracy_run *run = tracy_run_new();
    tracy_run_connect(run, protocol);
    return run;
}

static uint64_t mended(const struct tracy_run *run, enum tracy_repair repair) {
    return run->encode->repairs.count[repair];
}

/* ---- everything, in every protocol ---- */

static void check_synthetic(uint32_t protocol) {
    const unsigned rounds = 500;
    struct synthetic_counts in;
    struct tracy_run *run = start(protocol);
    assert_int_equal(synthetic_events(tracy_run_event, run, rounds, &in), 0);
    tracy_run_end(run);
    const struct peer_counts *out = &run->peer->counts;
    check_accepted(run);
    assert_int_equal(out->zones, in.zones + in.repaired + in.gaps);
    assert_int_equal(out->plots, in.plots - in.not_finite);
    assert_int_equal(mended(run, TRACY_REPAIR_PLOT_VALUE), in.not_finite);
    assert_int_equal(out->frames, in.frames);
    assert_int_equal(out->app_infos, in.app_infos);
    assert_int_equal(out->allocs, in.allocs);
    assert_int_equal(out->samples, in.sampled);
    assert_int_equal(tracy_peer_place(run->peer, "inner")->count, rounds);
    assert_int_equal(tracy_peer_place(run->peer, "events lost")->count, in.gaps);
    assert_non_null(tracy_peer_place(run->peer, "a, \"quoted\"\nname \xe2\x82\xac"));
    assert_string_equal(tracy_peer_text(run->peer, TRACY_QUERY_THREAD_STRING, 2), "timer");
    tracy_run_free(run);
}

CASE(every_protocol_takes_all_events) {
    for (size_t i = 0; tracy_proto_known(i) != 0; i++) {
        check_synthetic(tracy_proto_known(i));
    }
}

CASE(totals_are_exact) {
    for (size_t i = 0; tracy_proto_known(i) != 0; i++) {
        /* Around the ends of the packed forms of 0.14. */
        static const int64_t lengths[] = {0,     1,          65535,      65536,
                                          65537, 4295032831, 4295032832, 7000000000};
        struct tracy_run *run = start(tracy_proto_known(i));
        int64_t now = 0, total = 0;
        for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {
            give(run, EVENT_ZONE_BEGIN, now, &core0, &zone_a);
            now += lengths[k];
            total += lengths[k];
            give(run, EVENT_ZONE_END, now, &core0, &zone_a);
            now += lengths[k];
        }
        tracy_run_end(run);
        check_accepted(run);
        assert_int_equal(tracy_peer_place(run->peer, "a")->count, 8);
        assert_int_equal(tracy_peer_place(run->peer, "a")->total_ns, total);
        tracy_run_free(run);
    }
}

/* ---- texts ---- */

static void give_text(struct tracy_run *run, enum event_kind kind, const char *text,
                      size_t length) {
    struct event event = {.kind = kind, .time_ns = 5, .track = &core0, .site = &zone_a};
    event.u.text.bytes = text;
    event.u.text.length = length;
    assert_int_equal(tracy_run_event(run, &event), 0);
}

CASE(strings_of_every_length) {
    static const size_t lengths[] = {0, 1, 255, 256, 257, 65534, 65535, 65536, 100000};
    char *text = malloc(100001);
    assert_non_null(text);
    memset(text, 'x', 100000);
    text[100000] = '\0';
    memcpy(text + 65534, "\xc3\xbc", 2); /* a character across the longest length */
    for (size_t i = 0; tracy_proto_known(i) != 0; i++) {
        struct tracy_run *run = start(tracy_proto_known(i));
        give(run, EVENT_ZONE_BEGIN, 1, &core0, &zone_a);
        for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {
            give_text(run, k % 2 == 0 ? EVENT_ZONE_TEXT : EVENT_MESSAGE, text, lengths[k]);
            tracy_run_pump(run);
            assert_int_equal(run->peer->string_length, lengths[k] <= 65535 ? lengths[k] : 65534);
        }
        give(run, EVENT_ZONE_END, 6, &core0, &zone_a);
        tracy_run_end(run);
        check_accepted(run);
        tracy_run_free(run);
    }
    free(text);
}

CASE(levels_and_colors) {
    static const struct site error_site = {.kind = KYMO_SITE_MESSAGE,
                                           .level = KYMO_LEVEL_ERROR,
                                           .known = true,
                                           .name = "",
                                           .function = "",
                                           .file = ""};
    for (size_t i = 0; tracy_proto_known(i) != 0; i++) {
        struct tracy_run *run = start(tracy_proto_known(i));
        struct event event = {
            .kind = EVENT_MESSAGE, .time_ns = 1, .track = &core0, .site = &error_site};
        event.u.text.bytes = "bad";
        event.u.text.length = 3;
        assert_int_equal(tracy_run_event(run, &event), 0);
        tracy_run_end(run);
        check_accepted(run);
        assert_int_equal(run->peer->counts.messages, 1);
        assert_int_equal(run->peer->counts.levels[4], run->peer->proto.message_metadata ? 1 : 0);
        tracy_run_free(run);
    }
}

/* The zones that were open then stay open; those of the next run do not. */
CASE(a_crash_is_shown_by_itself) {
    static const struct site crash_site = {.kind = KYMO_SITE_MESSAGE,
                                           .level = KYMO_LEVEL_CRASH,
                                           .known = true,
                                           .name = "",
                                           .function = "",
                                           .file = ""};
    for (size_t i = 0; tracy_proto_known(i) != 0; i++) {
        struct tracy_run *run = start(tracy_proto_known(i));
        struct event event = {
            .kind = EVENT_MESSAGE, .time_ns = 2, .track = &core1, .site = &crash_site};
        struct event end = {.kind = EVENT_ZONE_END, .time_ns = 3, .track = &core0, .site = &zone_a};
        event.u.text.bytes = "hard fault";
        event.u.text.length = strlen(event.u.text.bytes);
        end.u.zone.repaired = ZONE_END_OPEN;
        give(run, EVENT_ZONE_BEGIN, 1, &core0, &zone_a);
        assert_int_equal(tracy_run_event(run, &event), 0);
        assert_int_equal(tracy_run_event(run, &event), 0); /* the second one is a message */
        assert_int_equal(tracy_run_event(run, &end), 0);
        tracy_run_end(run);
        check_accepted(run);
        assert_string_equal(tracy_peer_text(run->peer, TRACY_QUERY_STRING, run->peer->crash),
                            "hard fault");
        assert_int_equal(run->peer->crash_thread, core1.id);
        assert_true(run->peer->crashed);
        assert_int_equal(run->peer->counts.messages, 3); /* and that a zone was open at the end */
        assert_int_equal(run->peer->counts.levels[5], run->peer->proto.message_metadata ? 2 : 0);
        assert_int_equal(run->peer->counts.zones, 0);
        tracy_run_free(run);
    }
}

/* The protocol has three bytes for a color; an event's value has eight. */
CASE(a_zone_has_the_color_it_was_given) {
    for (size_t i = 0; tracy_proto_known(i) != 0; i++) {
        struct tracy_run *run = start(tracy_proto_known(i));
        struct event event = {.kind = EVENT_ZONE_COLOR, .time_ns = 2, .track = &core0};
        event.u.value = UINT64_C(0x87654321a9123456);
        give(run, EVENT_ZONE_BEGIN, 1, &core0, &zone_a);
        assert_int_equal(tracy_run_event(run, &event), 0);
        give(run, EVENT_ZONE_END, 3, &core0, &zone_a);
        tracy_run_end(run);
        check_accepted(run);
        assert_int_equal(run->peer->counts.colors, 1);
        assert_int_equal(run->peer->zone_color, 0x123456);
        tracy_run_free(run);
    }
}

/* ---- joining later ---- */

CASE(a_later_viewer_sees_open_zones) {
    struct tracy_run *run = tracy_run_new();
    give(run, EVENT_ZONE_BEGIN, 100, &core0, &zone_a);
    give(run, EVENT_ZONE_BEGIN, 200, &core0, &zone_b);
    tracy_run_connect(run, 76);
    give(run, EVENT_ZONE_END, 300, &core0, &zone_b);
    tracy_run_connect(run, 82); /* another one, after the first */
    give(run, EVENT_ZONE_END, 400, &core0, &zone_a);
    tracy_run_end(run);
    check_accepted(run);
    assert_int_equal(tracy_peer_place(run->peer, "a")->total_ns, 300);
    assert_null(tracy_peer_place(run->peer, "b"));
    tracy_run_free(run);
}

CASE(a_very_late_viewer_has_its_own_time_zero) {
    const int64_t late = INT64_C(1) << 48; /* 78 hours; a viewer holds 39 */
    struct tracy_run *run = tracy_run_new();
    give(run, EVENT_ZONE_BEGIN, 100, &core0, &zone_a);
    give(run, EVENT_ZONE_BEGIN, late, &core0, &zone_b);
    tracy_run_connect(run, 82);
    give(run, EVENT_ZONE_END, late + 5, &core0, &zone_b);
    tracy_run_end(run);
    check_accepted(run);
    assert_int_equal(tracy_peer_place(run->peer, "b")->total_ns, 5);
    tracy_run_free(run);
}

/* ---- repair ---- */

static void give_repair(struct tracy_run *run, int64_t time_ns, enum repair repair) {
    struct event event = {.kind = EVENT_REPAIR, .time_ns = time_ns, .track = &core0};
    event.u.repair = repair;
    assert_int_equal(tracy_run_event(run, &event), 0);
}

CASE(what_the_timeline_left_out) {
    struct tracy_run *run = start(76);
    give_repair(run, 1, REPAIR_END_WITHOUT_ZONE);
    give_repair(run, 1, REPAIR_NOTE_WITHOUT_ZONE);
    give(run, EVENT_ZONE_BEGIN, 2, &core0, &zone_a);
    give(run, EVENT_ZONE_BEGIN, 3, &core0, &zone_b);
    tracy_run_end(run);
    check_accepted(run);
    assert_int_equal(run->peer->counts.zones, 2);
    assert_int_equal(mended(run, TRACY_REPAIR_END_WITHOUT_BEGIN), 1);
    assert_int_equal(mended(run, TRACY_REPAIR_NO_ZONE), 1);
    assert_int_equal(run->peer->counts.messages, 2); /* each repair is shown */
    tracy_run_free(run);
}

CASE(a_closed_zone_is_counted_by_its_reason) {
    static const struct {
        enum zone_repair why;
        enum tracy_repair counted;
        const char *text;
    } cases[] = {
        {ZONE_END_LOST, TRACY_REPAIR_ZONE_LOST, "events were lost"},
        {ZONE_END_OPEN, TRACY_REPAIR_ZONE_OPEN, "the trace ended"},
        {ZONE_END_MISSING, TRACY_REPAIR_ZONE_MISSING, "the firmware did not end it"},
        {ZONE_END_UNSURE, TRACY_REPAIR_ZONE_UNSURE, "may be the end of a zone around it"},
        {ZONE_END_TASK, TRACY_REPAIR_ZONE_TASK, "its task ended"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tracy_run *run = start(82);
        struct event end = {.kind = EVENT_ZONE_END, .time_ns = 2, .track = &core0, .site = &zone_a};
        end.u.zone.repaired = cases[i].why;
        give(run, EVENT_ZONE_BEGIN, 1, &core0, &zone_a);
        assert_int_equal(tracy_run_event(run, &end), 0);
        tracy_run_end(run);
        check_accepted(run);
        assert_int_equal(mended(run, cases[i].counted), 1);
        assert_int_equal(run->encode->repairs.total, 1);
        assert_non_null(strstr(run->peer->string, cases[i].text));
        tracy_run_free(run);
    }
}

/* A row's name has no place in the order of its events. */
CASE(a_name_is_ahead_of_its_events) {
    struct tracy_run *run = start(82);
    give(run, EVENT_TRACK, 2000, &core0, NULL);
    give(run, EVENT_ZONE_BEGIN, 1000, &core0, &zone_b);
    give(run, EVENT_ZONE_END, 1010, &core0, &zone_b);
    tracy_run_end(run);
    check_accepted(run);
    assert_int_equal(run->encode->repairs.total, 0);
    assert_int_equal(tracy_peer_place(run->peer, "b")->total_ns, 10);
    tracy_run_free(run);
}

CASE(too_deep) {
    struct tracy_run *run = start(82);
    for (unsigned i = 0; i < TRACY_DEPTH_MAX + 10; i++) {
        give(run, EVENT_ZONE_BEGIN, i, &core0, &zone_a);
    }
    for (unsigned i = 0; i < TRACY_DEPTH_MAX + 10; i++) {
        give(run, EVENT_ZONE_END, 5000 + i, &core0, &zone_a);
    }
    tracy_run_end(run);
    check_accepted(run);
    assert_int_equal(mended(run, TRACY_REPAIR_TOO_DEEP), 10);
    assert_int_equal(run->peer->counts.zones, TRACY_DEPTH_MAX);
    tracy_run_free(run);
}

CASE(memory_that_cannot_be) {
    struct tracy_run *run = start(76);
    give_memory(run, EVENT_FREE, 1, &core0, 0x1000, 0); /* nobody has seen its allocation */
    give_memory(run, EVENT_FREE, 1, &core0, 0x1000,
                8); /* allocated before the viewer came: no fault */
    give_memory(run, EVENT_ALLOC, 2, &core0, 0x1000, 16);
    give_memory(run, EVENT_ALLOC, 2, &core0, 0x1000, 16); /* twice, at the same time */
    give_memory(run, EVENT_FREE, 2, &core0, 0x1000, 16);
    give_memory(run, EVENT_ALLOC, 3, &core0, UINT64_C(0xff00000000001000), UINT64_MAX);
    tracy_run_end(run);
    check_accepted(run);
    assert_int_equal(mended(run, TRACY_REPAIR_UNKNOWN_FREE), 1);
    assert_int_equal(mended(run, TRACY_REPAIR_ALLOC_TWICE), 1);
    assert_int_equal(mended(run, TRACY_REPAIR_ALLOC_SIZE), 1);
    assert_int_equal(run->peer->counts.allocs, 3);
    assert_int_equal(run->peer->counts.frees, 2);
    tracy_run_free(run);
}

/* The pipeline brings the cores' events into order, but does not wait for ever: in each batch of
 * the second core all but the last lie before the first core's events. */
CASE(memory_that_is_told_late) {
    struct tracy_run *run = start(76);
    give(run, EVENT_SWITCH, 0, &core0, NULL);
    give(run, EVENT_SWITCH, 0, &core1, NULL);
    for (int64_t batch = 0; batch < 50; batch++) {
        for (int64_t i = 0; i < 20; i++) {
            give_memory(run, EVENT_ALLOC, batch * 1000 + i * 50, &core0, (uint64_t)(batch * 40 + i),
                        1);
        }
        for (int64_t i = 20; i < 40; i++) {
            give_memory(run, EVENT_ALLOC, batch * 1000 + (i - 20) * 50 + 7, &core1,
                        (uint64_t)(batch * 40 + i), 1);
        }
    }
    tracy_run_end(run);
    check_accepted(run);
    assert_int_equal(run->peer->counts.allocs, 2000);
    assert_int_equal(mended(run, TRACY_REPAIR_TIME_BACK), 50 * 19);
    assert_int_equal(run->encode->repairs.total, 50 * 19);
    tracy_run_free(run);
}

CASE(memory_is_free_after_a_reset) {
    struct tracy_run *run = start(76);
    give_memory(run, EVENT_ALLOC, 5, &core0, 0x1000, 16);
    struct event reset = {.kind = EVENT_SESSION, .time_ns = 9};
    reset.u.session.image = "demo";
    reset.u.session.session = reset.u.session.resets = 1;
    assert_int_equal(tracy_run_event(run, &reset), 0);
    give_memory(run, EVENT_ALLOC, 10, &core0, 0x1000, 16);
    tracy_run_end(run);
    check_accepted(run);
    assert_int_equal(run->peer->counts.frees, 1);
    assert_int_equal(run->encode->repairs.total, 0);
    tracy_run_free(run);
}

CASE(frames_that_cannot_be) {
    struct tracy_run *run = start(66);
    give(run, EVENT_FRAME, 10, &core0, &mark);
    give(run, EVENT_FRAME_END, 11, &core0, &span_end); /* started before the viewer came */
    give(run, EVENT_FRAME_START, 12, &core0, &span_start);
    give(run, EVENT_FRAME_START, 13, &core0, &span_start); /* twice */
    give(run, EVENT_FRAME_END, 14, &core0, &span_end);
    give(run, EVENT_FRAME, 15, &core0, &span_end); /* a mark in a set of spans */
    tracy_run_end(run);
    check_accepted(run);
    assert_int_equal(run->peer->counts.frames, 1);
    assert_int_equal(run->peer->counts.frame_starts, 2);
    assert_int_equal(run->peer->counts.frame_ends, 2);
    assert_int_equal(run->encode->repairs.total, 2);
    tracy_run_free(run);
}

CASE(plots_that_are_no_numbers) {
    const double values[] = {1.0, (double)NAN, (double)INFINITY, -(double)INFINITY, 2.0};
    struct tracy_run *run = start(82);
    for (int i = 0; i < 5; i++) {
        struct event event = {
            .kind = EVENT_PLOT_INT, .time_ns = i, .track = &core0, .site = &load_plot};
        event.u.plot.type = PLOT_DOUBLE;
        event.u.plot.real = values[i];
        assert_int_equal(tracy_run_event(run, &event), 0);
    }
    give(run, EVENT_ZONE_BEGIN, 100, &core0, &zone_a); /* its time is counted from the last plot */
    give(run, EVENT_ZONE_END, 101, &core0, &zone_a);
    tracy_run_end(run);
    check_accepted(run);
    assert_int_equal(run->peer->counts.plots, 2);
    assert_int_equal(mended(run, TRACY_REPAIR_PLOT_VALUE), 3);
    tracy_run_free(run);
}

/* A plot for each object, and one for the stack of each task. */
CASE(levels_and_stacks_are_plots) {
    static const struct object queue = {.name = "rx", .of = KYMO_OBJECT_QUEUE};
    static const struct object timer = {.name = "beat", .of = KYMO_OBJECT_TIMER};
    struct tracy_run *run = start(82);
    for (uint32_t i = 0; i < 6; i++) {
        struct event event = {.kind = i % 2 == 0 ? EVENT_OBJECT_PUT : EVENT_OBJECT_GET,
                              .time_ns = i,
                              .track = &core0,
                              .object = i < 4 ? &queue : &timer};
        event.u.level = i;
        assert_int_equal(tracy_run_event(run, &event), 0);
    }
    struct event stack = {.kind = EVENT_TASK_STACK, .time_ns = 7, .track = &core1};
    stack.u.stack.unused = 420;
    assert_int_equal(tracy_run_event(run, &stack), 0);
    give(run, EVENT_ZONE_BEGIN, 100, &core0, &zone_a); /* its time is counted from the last plot */
    give(run, EVENT_ZONE_END, 101, &core0, &zone_a);
    tracy_run_end(run);
    check_accepted(run);
    assert_int_equal(run->peer->counts.plots, 5);
    tracy_run_free(run);
}

CASE(many_repairs_are_told_as_a_sum) {
    struct tracy_run *run = start(82);
    for (int i = 0; i < 1000; i++) {
        give_repair(run, i, REPAIR_END_WITHOUT_ZONE);
    }
    tracy_run_end(run);
    check_accepted(run);
    assert_int_equal(run->encode->repairs.total, 1000);
    assert_int_equal(run->peer->counts.messages, TRACY_REPAIRS_SHOWN + 1);
    assert_string_equal(run->peer->string,
                        "hostlink: 900 more times: end without an open zone: left out");
    tracy_run_free(run);
}

/* ---- places ---- */

/* A zone of an inline function in C++ is a site in each file that includes it. */
CASE(sites_that_say_the_same_are_one_place) {
    struct site same[3], other = zone_a;
    same[0] = same[1] = same[2] = zone_a;
    other.line = 7;
    struct tracy_run *run = start(82);
    for (int64_t i = 0; i < 3; i++) {
        give(run, EVENT_ZONE_BEGIN, 2 * i, &core0, &same[i]);
        give(run, EVENT_ZONE_END, 2 * i + 1, &core0, &same[i]);
    }
    give(run, EVENT_ZONE_BEGIN, 10, &core0, &other);
    give(run, EVENT_ZONE_END, 11, &core0, &other);
    tracy_run_end(run);
    check_accepted(run);
    assert_int_equal(run->peer->counts.zones, 4);
    assert_int_equal(run->peer->place_count, 2);
    tracy_run_free(run);
}

/* ---- names that come late ---- */

CASE(answers_wait_for_names) {
    struct site late = KNOWN(KYMO_SITE_ZONE, "site 7");
    struct tracy_run *run = start(82);
    run->encode->names_complete = false;
    late.known = false;
    give(run, EVENT_ZONE_BEGIN, 1, &core0, &late);
    give(run, EVENT_ZONE_END, 2, &core0, &late);
    tracy_run_pump(run);
    assert_null(tracy_peer_place(run->peer, "site 7"));
    late.known = true;
    late.name = "after all";
    assert_true(tracy_answer_waiting(run->answers, 100, false));
    tracy_run_pump(run);
    assert_non_null(tracy_peer_place(run->peer, "after all"));
    assert_true(tracy_answer_waiting(run->answers, TRACY_THREAD_PATIENCE_MS, false));
    tracy_run_end(run);
    check_accepted(run);
    tracy_run_free(run);
}

CASE(unknown_queries_are_refused) {
    struct tracy_run *run = start(82);
    assert_true(tracy_answer(run->answers, TRACY_QUERY_COUNT, 1, 0, 0) < 0);
    /* Keys that were never given out get an answer all the same. */
    for (int query = TRACY_QUERY_STRING; query < TRACY_QUERY_COUNT; query++) {
        if (query != TRACY_QUERY_DISCONNECT) {
            assert_int_equal(
                tracy_answer(run->answers, (enum tracy_query)query, UINT64_MAX, UINT32_MAX, 0), 0);
        }
    }
    assert_true(run->encode->stream.used > 100);
    tracy_run_free(run);
}

/* The viewer numbers threads with 16 bits. */
CASE(more_rows_than_a_viewer_has) {
    struct tracy_run *run = start(76);
    static struct track last = {
        TRACY_TRACKS_MAX - 1, 0, 0, KYMO_CONTEXT_TASK, "last", NULL, NULL, 0};
    static struct track beyond = {TRACY_TRACKS_MAX, 0,    0,    KYMO_CONTEXT_TASK,
                                  "beyond",         NULL, NULL, 0};
    give(run, EVENT_ZONE_BEGIN, 10, &last, &zone_a);
    give(run, EVENT_ZONE_BEGIN, 11, &beyond, &zone_b);
    give(run, EVENT_ZONE_END, 12, &beyond, &zone_b);
    give(run, EVENT_ZONE_END, 20, &last, &zone_a);
    tracy_run_end(run);
    check_accepted(run);
    assert_int_equal(run->peer->counts.zones, 1);
    assert_int_equal(mended(run, TRACY_REPAIR_TOO_MANY_ROWS), 2);
    assert_int_equal(run->encode->repairs.total, 2);
    tracy_run_free(run);
}

/* ---- engines that tell afterwards ---- */

#define ENGINES (TRACY_GPUS_MAX + 2u)
static struct device engine_of[ENGINES];
static struct track engine_rows[ENGINES];

static const struct track *engine(uint32_t i) {
    engine_of[i] = (struct device){.number = i, .name = "dma", .core = "channel", .engine = true};
    engine_rows[i] = (struct track){
        .id = 10u + i, .kind = KYMO_CONTEXT_TASK, .name = "3,4 channel", .device = &engine_of[i]};
    return &engine_rows[i];
}

static void submit(struct tracy_run *run, const struct track *row, int64_t submitted,
                   int64_t begin) {
    engine_of[row->id - 10u].submitted = submitted >= 0;
    engine_of[row->id - 10u].submitted_ns = submitted;
    give(run, EVENT_ZONE_BEGIN, begin, row, &zone_a);
}

/* In every protocol: each waits while the one before runs, over three seconds, so that it is calibrated. */
CASE(an_engine_is_a_gpu) {
    const int64_t step = 300000000;
    for (size_t i = 0; tracy_proto_known(i) != 0; i++) {
        struct tracy_run *run = start(tracy_proto_known(i));
        const struct track *row = engine(0);
        for (int64_t k = 0; k < 10; k++) {
            submit(run, row, k * step, k * step + step / 2);
            give(run, EVENT_ZONE_TEXT, k * step + step / 2, row, &zone_a);
            give(run, EVENT_ZONE_BEGIN, k * step + step / 2, &core0, &zone_b);
            give(run, EVENT_ZONE_END, k * step + step, row, &zone_a);
            give(run, EVENT_ZONE_END, k * step + step, &core0, &zone_b);
        }
        submit(run, row, -1, 11 * step);
        tracy_run_end(run);
        check_accepted(run);
        const struct peer_gpu *gpu = &run->peer->gpus[0];
        assert_string_equal(gpu->name, "dma: 3,4 channel");
        assert_int_equal(gpu->count, 11);
        assert_int_equal(gpu->waited_ns, 10 * step / 2);
        assert_int_equal(gpu->total_ns, 10 * step / 2);
        assert_int_equal(gpu->calibrations, 2);
        assert_int_equal(tracy_peer_place(run->peer, "b")->total_ns, 10 * step / 2);
        tracy_run_free(run);
    }
}

/* Its context, and the zone that is open, as it was submitted. */
CASE(a_later_viewer_sees_the_gpu) {
    struct tracy_run *run = tracy_run_new();
    submit(run, engine(0), 100, 700);
    for (int viewer = 0; viewer < 2; viewer++) {
        tracy_run_connect(run, 76);
        tracy_run_pump(run);
        assert_string_equal(run->peer->failure, "");
        assert_int_equal(run->peer->gpus[0].waited_ns, 600);
    }
    give(run, EVENT_ZONE_END, 1000, &engine_rows[0], &zone_a);
    tracy_run_end(run);
    check_accepted(run);
    assert_int_equal(run->peer->gpus[0].total_ns, 300);
    tracy_run_free(run);
}

/* Further engines are threads. */
CASE(more_engines_than_a_viewer_has) {
    struct tracy_run *run = start(82);
    for (uint32_t i = 0; i < ENGINES; i++) {
        submit(run, engine(i), 10, 20 + i);
        give(run, EVENT_ZONE_END, 30 + i, &engine_rows[i], &zone_a);
    }
    tracy_run_end(run);
    check_accepted(run);
    assert_int_equal(tracy_peer_place(run->peer, "a")->count, ENGINES);
    assert_int_equal(tracy_peer_place(run->peer, "a")->total_ns, 10 * ENGINES);
    assert_int_equal(run->peer->gpus[TRACY_GPUS_MAX - 1].count, 1);
    assert_int_equal(run->peer->thread_count, 2);
    tracy_run_free(run);
}
