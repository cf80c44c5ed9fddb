/* SPDX-License-Identifier: MIT */
/* Zones that the firmware ends wrongly: its calls go through the runtime and hostlink, in two
 * passes as in a capture, and each output reports the error. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "cli/summary.h"
#include "files.h"
#include "kept.h"
#include "kymo/kymo.h"
#include "kymo_arch.h"
#include "legal_events.h"
#include "model/board_watch.h"
#include "model/tracks.h"
#include "ring/ring.h"
#include "sink/sink.h"
#include "sink/table.h"
#include "sink/zonestats.h"
#include "trace.h"
#include "trace/pipeline.h"

#define DEPTH (TRACK_DEPTH_MAX + 10u)

KYMO_CONTEXT(timer, "timer", KYMO_CONTEXT_INTERRUPT);
KYMO_CONTEXT(radio, "radio", KYMO_CONTEXT_INTERRUPT);
KYMO_SITE_DEFINE_GLOBAL(loop_site, KYMO_SITE_ZONE, "loop", 0u, 0u, NULL);
KYMO_SITE_DEFINE_GLOBAL(poll_site, KYMO_SITE_ZONE, "poll", 0u, 0u, NULL);
KYMO_SITE_DEFINE_GLOBAL(send_site, KYMO_SITE_ZONE, "send", 0u, 0u, NULL);

static char log_text[4096], notices[1024];
static struct zonestats *stats;
static struct consumer json;
static struct legal legal;
static struct pipeline *passes[2]; /* they own the names */

static void drain(void) {
    while (kymo_drain(0) > 0) {}
}

static kymo_zone begin(uint64_t at, const struct kymo_site *site) {
    fake.clock = at;
    return kymo_zone_begin(site);
}

static void end(uint64_t at, kymo_zone zone) {
    fake.clock = at;
    kymo_zone_end(zone);
}

/* The log line of a zone: "poll 10-20", followed by the reason if it was repaired. */
static void note(const struct event *event) {
    static const char *const reasons[] = {"",        " lost", " open", " missing",
                                          " unsure", " task", " left"};
    size_t used = strlen(log_text), space = sizeof log_text - used;
    if (event->kind == EVENT_ZONE_END) {
        (void)snprintf(log_text + used, space, "%s %ld-%ld%s\n", event->site->name,
                       (long)event->u.zone.start_ns, (long)event->time_ns,
                       reasons[event->u.zone.repaired]);
    } else if (event->kind == EVENT_REPAIR) {
        (void)snprintf(log_text + used, space, "%s: repair %d%s%s\n", event->track->name,
                       (int)event->u.repair, event->site != NULL ? " behind " : "",
                       event->site != NULL ? event->site->name : "");
    }
}

static int on_event(void *context, const struct event *event) {
    (void)context;
    note(event);
    assert_null(legal_event(&legal, event));
    assert_int_equal(zonestats_event(stats, event), 0);
    return json.event(json.state, event);
}

static void on_notice(void *context, const char *text) {
    const size_t used = strlen(notices);
    (void)context;
    (void)snprintf(notices + used, sizeof notices - used, "%s\n", text);
}

static struct pipeline *pass(const struct pipeline_callbacks *callbacks,
                             const struct pipeline *names) {
    struct pipeline *p = pipeline_new(callbacks, names);
    assert_non_null(p);
    assert_int_equal(pipeline_feed(p, kept.bytes, kept.length), 0);
    assert_int_equal(pipeline_end(p), 0);
    return p;
}

/* Both passes over the firmware's stream; the log is that of the second. */
static void read_back(void) {
    static const struct pipeline_callbacks nobody;
    const struct pipeline_callbacks callbacks = {.event = on_event, .notice = on_notice};
    fake.clock += 1000;
    kymo_finish();
    while (kymo_pending()) {
        (void)kymo_drain(0);
    }
    passes[0] = pass(&nobody, NULL);
    log_text[0] = notices[0] = '\0';
    assert_int_equal(sink_open(sink_for_path("trace.json"), &json, file_path("trace.json")), 0);
    passes[1] = pass(&callbacks, passes[0]);
    assert_int_equal(json.close(json.state), 0);
    assert_null(legal_end(&legal));
    legal_free(&legal);
}

static void json_says(const char *text) {
    char *content = file_read(file_path("trace.json"), NULL);
    assert_non_null(content);
    assert_non_null(strstr(content, text));
    free(content);
}

static void table_says(const char *text) {
    char *table = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&table, &length);
    assert_int_equal(zonestats_table(stats, &(struct table_to){.form = TABLE_TEXT, .text = out}),
                     0);
    (void)fclose(out);
    if (strstr(table, text) == NULL) {
        fail_msg("no '%s' in\n%s", text, table);
    }
    free(table);
}

/* So no output names a full ring. */
static void nothing_was_lost(void) {
    struct pipeline_totals totals;
    pipeline_totals(passes[1], &totals);
    assert_int_equal(totals.lost, 0);
    char *content = file_read(file_path("trace.json"), NULL);
    assert_non_null(content);
    assert_null(strstr(content, "ring full"));
    free(content);
}

FIXTURE(set_up) {
    fake_reset();
    trace_power_up();
    fake.clock_hz = 1000000000u;
    kept.length = 0;
    stats = zonestats_new();
    assert_non_null(stats);
    kymo_init(&kept_transport, "wrong zones");
    drain();
    fake.clock_step = 0; /* only now, as a clock that stands at the start stops the recorder */
    return 0;
}

FIXTURE(tear_down) {
    zonestats_free(stats);
    pipeline_free(passes[1]);
    pipeline_free(passes[0]);
    return 0;
}

/* No fault: a program may run in it for good. */
CASE(open_at_the_end, set_up, tear_down) {
    struct pipeline_totals totals;
    (void)begin(100, &loop_site);
    end(120, begin(110, &poll_site));
    read_back();
    assert_string_equal(log_text, "poll 110-120\nloop 100-120 open\n");
    table_says("1 open when the trace ended");
    pipeline_totals(passes[1], &totals);
    assert_int_equal(totals.repairs, 0);
}

CASE(a_missing_end, set_up, tear_down) {
    for (uint64_t at = 100; at < 400; at += 100) {
        kymo_zone loop = begin(at, &loop_site);
        (void)begin(at + 10, &poll_site); /* not ended */
        end(at + 50, loop);
    }
    kymo_zone loop = begin(400, &loop_site);
    end(420, begin(410, &poll_site));
    end(450, loop);
    read_back();
    assert_string_equal(log_text, "poll 110-150 unsure\nloop 100-150 missing\n"
                                  "poll 210-250 unsure\nloop 200-250 missing\n"
                                  "poll 310-350 unsure\nloop 300-350 missing\n"
                                  "poll 410-420\nloop 400-450\n");
    table_says("  'loop': 3 ends missing");
    table_says("  'poll': 3 ends unsure");
    table_says("An end is missing where");
    json_says("\"end\":\"missing: ");
    json_says("\"end\":\"unsure: ");
}

CASE(a_missing_end_now_and_then, set_up, tear_down) {
    for (uint64_t at = 100; at < 700; at += 100) {
        kymo_zone loop = begin(at, &loop_site);
        kymo_zone poll = begin(at + 10, &poll_site);
        if (at != 300) {
            end(at + 20, poll);
        }
        end(at + 50, loop);
    }
    read_back();
    assert_string_equal(log_text, "poll 110-120\nloop 100-150\npoll 210-220\nloop 200-250\n"
                                  "poll 310-350 unsure\nloop 300-350 missing\n"
                                  "poll 410-420\nloop 400-450\npoll 510-520\nloop 500-550\n"
                                  "poll 610-620\nloop 600-650\n");
}

CASE(recursion_is_no_missing_end, set_up, tear_down) {
    kymo_zone outer = begin(100, &loop_site);
    kymo_zone middle = begin(110, &loop_site);
    end(130, begin(120, &loop_site));
    end(140, middle);
    end(150, outer);
    (void)begin(200, &loop_site); /* cut off in the middle */
    (void)begin(210, &loop_site);
    read_back();
    assert_string_equal(log_text, "loop 120-130\nloop 110-140\nloop 100-150\n"
                                  "loop 210-210 open\nloop 200-210 open\n");
    table_says("  'loop': 2 open when the trace ended");
}

CASE(a_missing_end_in_an_interrupt, set_up, tear_down) {
    kymo_zone loop = begin(100, &loop_site);
    fake.clock = 110;
    kymo_context before = kymo_interrupt_enter((kymo_context)&timer);
    kymo_zone poll = begin(120, &poll_site);
    fake.clock = 130;
    kymo_context inner = kymo_interrupt_enter((kymo_context)&radio); /* interrupts the other */
    end(150, begin(140, &send_site));
    fake.clock = 160;
    kymo_interrupt_leave(inner);
    (void)poll; /* not ended */
    fake.clock = 170;
    kymo_interrupt_leave(before);
    end(200, loop);
    read_back();
    assert_string_equal(log_text, "send 140-150\npoll 120-170 missing\nloop 100-200\n");
}

CASE(a_second_end, set_up, tear_down) {
    kymo_zone loop = begin(100, &loop_site);
    end(150, loop);
    end(160, loop);
    fake.clock = 170;
    kymo_zone_value(loop, 7);
    end(220, begin(210, &loop_site));
    read_back();
    assert_string_equal(
        log_text, "loop 100-150\ncore 0: repair 0 behind loop\ncore 0: repair 1\nloop 210-220\n");
    assert_non_null(strstr(notices, "the firmware ended a zone"));
    nothing_was_lost();
}

/* The outer zone's end comes last, and finds that it has ended. No ring was full. */
CASE(a_second_end_inside_another_zone, set_up, tear_down) {
    kymo_zone loop = begin(100, &loop_site);
    kymo_zone poll = begin(110, &poll_site);
    end(120, poll);
    end(130, poll);
    end(140, loop);
    read_back();
    assert_string_equal(log_text, "poll 110-120\nloop 100-130\ncore 0: repair 0 behind loop\n");
    table_says("  'loop': 1 extra end after it  test_wrong_zones.c:");
    table_says("  on 'core 0': 1 end without an open zone\n");
    table_says("when a zone is ended twice");
    json_says("\"name\":\"end without an open zone: left out\"");
    nothing_was_lost();
}

/* So where a full ring leaves that end no room: it is counted, and the full ring was the cause. */
CASE(a_second_end_in_a_full_ring, set_up, tear_down) {
    struct pipeline_totals totals;
    kymo_zone loop = begin(100, &loop_site);
    kymo_zone open[KYMO_RING_BYTES / 16u];
    uint32_t zones = 0;
    fake.clock_step = 1;
    while ((open[zones] = kymo_zone_begin(&poll_site)) != NULL) {
        zones++;
    }
    end(20000, loop);
    for (uint32_t i = 0; i < zones; i++) {
        kymo_zone_end(open[i]);
    }
    kymo_zone_end(loop);
    read_back();
    pipeline_totals(passes[1], &totals);
    assert_int_equal(totals.lost_ring, 3);
    assert_int_equal(totals.delivered, 2 * (zones + 1));
}

/* The board has room for the second end, which is that of a zone of another context. */
CASE(a_second_end_in_an_interrupt, set_up, tear_down) {
    kymo_zone loop = begin(100, &loop_site);
    fake.clock = 110;
    kymo_context before = kymo_interrupt_enter((kymo_context)&timer);
    kymo_zone poll = begin(120, &poll_site);
    end(130, poll);
    end(140, poll);
    kymo_zone_value(poll, 7);
    fake.clock = 150;
    kymo_interrupt_leave(before);
    end(160, loop);
    read_back();
    assert_string_equal(log_text, "poll 120-130\ntimer: repair 0 behind poll\ntimer: repair 1\n"
                                  "loop 100-160\n");
    nothing_was_lost();
    table_says("  on 'timer': 1 end without an open zone, 1 attribute without an open zone\n");
    table_says("when a zone is ended twice");
    json_says("\"name\":\"end without an open zone: left out\"");
}

/* Each is named, also one that was interrupted by the other. */
CASE(interrupts_that_are_not_left, set_up, tear_down) {
    end(110, begin(100, &loop_site));
    (void)kymo_interrupt_enter((kymo_context)&timer);
    end(130, begin(120, &poll_site));
    (void)kymo_interrupt_enter((kymo_context)&radio);
    end(150, begin(140, &poll_site));
    read_back();
    assert_string_equal(log_text, "loop 100-110\npoll 120-130\npoll 140-150\n"
                                  "radio: repair 3\ntimer: repair 3\n");
    table_says("  on 'timer': 1 entry not left when the trace ended\n");
    table_says("  on 'radio': 1 entry not left when the trace ended\n");
    table_says("An interrupt needs kymo_interrupt_leave()");
    json_says("\"name\":\"interrupt not left when the trace ended\"");
}

/* Events that the board itself refused are reported at once, and at the end. */
CASE(the_board_says_what_it_refused, set_up, tear_down) {
    char *text = NULL;
    size_t length = 0;
    struct pipeline_totals totals;
    kymo_zone loop = begin(100, &loop_site);
    end(150, loop);
    end(160, loop);
    (void)begin(170, NULL);
    read_back();
    pipeline_totals(passes[1], &totals);
    assert_int_equal(totals.usage, 1u << KYMO_USAGE_UNPROMISED | 1u << KYMO_USAGE_NO_SITE);
    assert_non_null(strstr(notices, "the firmware ended a zone"));
    assert_non_null(strstr(notices, "the firmware began a zone without a site"));
    FILE *out = open_memstream(&text, &length);
    summary_faults(&totals, out);
    (void)fclose(out);
    assert_non_null(strstr(text, "usage error: the firmware ended a zone"));
    assert_non_null(strstr(text, "usage error: the firmware began a zone without a site"));
    free(text);
}

/* Every way that the runtime knows has a text of its own. */
CASE(each_usage_error_has_a_text) {
    for (unsigned bit = 0; bit < BOARD_USAGE_BITS; bit++) {
        const char *text = board_usage_text(bit);
        const bool known = bit <= KYMO_USAGE_SITES;
        assert_int_equal(strstr(text, "does not know") == NULL, known);
        for (unsigned other = 0; known && other < bit; other++) {
            assert_string_not_equal(text, board_usage_text(other));
        }
    }
}

/* Ends whose begins went with a damaged packet are no fault of the firmware. */
CASE(ends_after_a_loss, set_up, tear_down) {
    kymo_zone loop = begin(100, &loop_site);
    kymo_zone poll = begin(110, &poll_site);
    size_t before = kept.length;
    drain();
    fake.clock += 1000000000u;
    drain();
    memset(kept.bytes + before, 0, kept.length - before);
    end(fake.clock, poll);
    end(fake.clock, loop);
    read_back();
    assert_string_equal(log_text, "");
}

CASE(too_deep, set_up, tear_down) {
    static const struct kymo_site *const sites[] = {&loop_site, &poll_site, &send_site};
    for (unsigned i = 0; i < 3; i++) { /* the sites are seen to nest */
        kymo_zone outer = begin(i * 10 + 1, sites[i]);
        end(i * 10 + 3, begin(i * 10 + 2, sites[i]));
        end(i * 10 + 4, outer);
    }
    static kymo_zone zone[DEPTH];
    for (unsigned i = 0; i < DEPTH; i++) {
        zone[i] = begin(100 + i, sites[i % 3]);
        drain();
    }
    for (unsigned i = DEPTH; i-- > 0;) {
        end(100 + DEPTH + DEPTH - i, zone[i]);
        drain();
    }
    read_back();
    table_says("nested too deeply");
}

/* While one zone lacks its ends, ends of others are held back; those of zones that were left out are not. */
CASE(ends_beyond_the_depth_are_not_those_of_open_zones, set_up, tear_down) {
    for (uint64_t at = 100; at < 400; at += 100) {
        kymo_zone loop = begin(at, &loop_site);
        (void)begin(at + 10, &poll_site); /* not ended */
        end(at + 50, loop);
    }
    static kymo_zone zone[DEPTH];
    zone[0] = begin(400, &loop_site);
    for (uint64_t i = 1; i < DEPTH; i++) {
        zone[i] = begin(1000 + i, &send_site);
        drain();
    }
    for (uint64_t i = DEPTH; i-- > 0;) {
        end(1000000 - i, zone[i]);
        drain();
    }
    read_back();
    /* The innermost one that was kept. */
    char expected[64];
    (void)snprintf(expected, sizeof expected, "\nsend %u-%u\n", 1000u + TRACK_DEPTH_MAX - 1u,
                   1000000u - (TRACK_DEPTH_MAX - 1u));
    assert_non_null(strstr(log_text, expected));
}

/* Zones that a loss closes: their ends may still come, and are no fault of the firmware. What comes beyond them is. */
CASE(ends_of_zones_that_a_loss_closed, set_up, tear_down) {
    kymo_zone loop = begin(100, &loop_site);
    kymo_zone poll = begin(110, &poll_site);
    kymo_zone send = begin(120, &send_site);
    drain();
    fake.clock += 1000000000u;
    drain();
    const size_t before = kept.length;
    kymo_frame(&loop_site);
    drain();
    fake.clock += 1000000000u;
    drain();
    assert_true(kept.length > before);
    memset(kept.bytes + before, 0, kept.length - before);
    end(fake.clock, send);
    end(fake.clock, poll);
    end(fake.clock, loop);
    read_back();
    assert_string_equal(log_text, "send 120-120 lost\npoll 110-120 lost\nloop 100-120 lost\n");
}

static void function(uint64_t at, enum kymo_event_kind kind) {
    fake.clock = at;
    assert_true(kymo_ring_long(kind, 0x1000u, NULL, 0u));
}

/* A jump out of a zone, noticed at the next call from there. A zone begun in one function and ended in another. */
CASE(functions_that_end_apart_from_zones, set_up, tear_down) {
    kymo_zone loop = begin(100, &loop_site);
    function(110, KYMO_KIND_FUNCTION_BEGIN);
    end(120, loop);
    function(130, KYMO_KIND_FUNCTION_LEFT);
    function(140, KYMO_KIND_FUNCTION_END); /* this one is an error */
    function(400, KYMO_KIND_FUNCTION_BEGIN);
    kymo_zone late = begin(410, &poll_site);
    function(420, KYMO_KIND_FUNCTION_END);
    function(430, KYMO_KIND_FUNCTION_BEGIN);
    end(440, late);
    function(450, KYMO_KIND_FUNCTION_END);
    read_back();
    assert_string_equal(log_text,
                        "0x1000 110-120 left\nloop 100-120\ncore 0: repair 0 behind 0x1000\n"
                        "poll 410-420 missing\n0x1000 400-420\n0x1000 430-450\n");
}

CASES_BETWEEN(files_setup, files_teardown);
