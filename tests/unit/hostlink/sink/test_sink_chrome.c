/* SPDX-License-Identifier: MIT */
/* The output of single events. tests/validate checks that whole files are read as meant. */
#include "sink/sink.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "cases.h"
#include "files.h"
#include "kymo/wire.h"

static const struct track core0 = {1, 0, 0, KYMO_CONTEXT_MAIN, "core 0", NULL, NULL, 0};
static const struct track timer = {2, 0, 0, KYMO_CONTEXT_INTERRUPT, "timer", NULL, NULL, 0};
static const struct site work = {
    .known = true, .name = "work", .function = "f", .file = "a.c", .line = 3};
static const struct site bare = {.known = true, .name = "bare", .function = "", .file = ""};

struct writer {
    struct consumer sink;
};

static struct writer start(void) {
    struct writer writer;
    assert_int_equal(sink_open(sink_for_path("x.json"), &writer.sink, file_path("x.json")), 0);
    return writer;
}

static void put(struct writer *writer, struct event event) {
    assert_int_equal(writer->sink.event(writer->sink.state, &event), 0);
}

static struct event event(enum event_kind kind, int64_t time_ns, const struct track *track,
                          const struct site *site) {
    return (struct event){.kind = kind, .time_ns = time_ns, .track = track, .site = site};
}

static void put_text(struct writer *writer, struct event text_event, const char *text) {
    text_event.u.text.bytes = text;
    text_event.u.text.length = strlen(text);
    put(writer, text_event);
}

static void put_plot(struct writer *writer, double value) {
    struct event plot = event(EVENT_PLOT_INT, 5000, &core0, &bare);
    plot.u.plot.type = PLOT_DOUBLE;
    plot.u.plot.real = value;
    put(writer, plot);
}

static void assert_events(struct writer *writer, const char *expected) {
    static const char head[] = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", tail[] = "\n]}\n";
    assert_int_equal(writer->sink.close(writer->sink.state), 0);
    char *text = file_read(file_path("x.json"), NULL);
    assert_memory_equal(text, head, sizeof head - 1);
    size_t length = strlen(text);
    assert_string_equal(text + length - (sizeof tail - 1), tail);
    text[length - (sizeof tail - 1)] = '\0';
    assert_string_equal(text + sizeof head - 1, expected);
    free(text);
}

/* Interrupts nest in the interrupted context, and nothing is known to run where events were lost. */
CASE(what_a_core_runs) {
    static const struct track task = {2, 0, 0, KYMO_CONTEXT_TASK, "task", NULL, NULL, 0};
    static const struct track radio = {4, 0, 0, KYMO_CONTEXT_INTERRUPT, "radio", NULL, NULL, 0};
    static const struct {
        const struct track *track;
        int64_t time_ns;
    } runs[] = {{&task, 1000}, {&timer, 2000}, {&radio, 3000}, {&timer, 4000}, {&task, 5000}};
    static const char *const expected[] = {
        "\"B\",\"name\":\"task\"@1.000",  "\"B\",\"name\":\"timer\"@2.000",
        "\"B\",\"name\":\"radio\"@3.000", "\"E\",\"name\":\"radio\"@4.000",
        "\"E\",\"name\":\"timer\"@5.000", "\"E\",\"name\":\"task\"@6.000",
        "\"B\",\"name\":\"task\"@9.000",  "\"E\",\"name\":\"task\"@9.500"};
    struct writer writer = start();
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        put(&writer, event(EVENT_SWITCH, runs[i].time_ns, runs[i].track, NULL));
    }
    struct event gap = event(EVENT_GAP, 9000, &task, NULL);
    gap.u.gap.start_ns = 6000;
    put(&writer, gap);
    put(&writer, event(EVENT_SWITCH, 9500, &core0, NULL));
    assert_int_equal(writer.sink.close(writer.sink.state), 0);
    char *text = file_read(file_path("x.json"), NULL);
    const char *at = text;
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        char line[128];
        const char *time = strchr(expected[i], '@');
        (void)snprintf(line, sizeof line, "{\"ph\":%.*s,\"pid\":1,\"tid\":1073741824,\"ts\":%s",
                       (int)(time - expected[i]), expected[i], time + 1);
        at = strstr(at, line);
        assert_non_null(at);
    }
    free(text);
}

/* A core's current run ends with its session: a later session has rows of its own, and the track may be gone. */
CASE(a_run_ends_with_its_track) {
    struct track task = {2, 0, 0, KYMO_CONTEXT_TASK, "task", NULL, NULL, 0};
    struct writer writer = start();
    put(&writer, event(EVENT_SWITCH, 1000, &task, NULL));
    put(&writer, event(EVENT_FRAME, 3000, &core0, &bare));
    put(&writer, event(EVENT_TRACK_END, 2000, &task, NULL));
    memset(&task, 0xff, sizeof task);
    put(&writer, event(EVENT_FRAME, 9000, &core0, &bare));
    assert_int_equal(writer.sink.close(writer.sink.state), 0);
    char *text = file_read(file_path("x.json"), NULL);
    const char *end = strstr(text, "{\"ph\":\"E\",\"name\":\"task\"");
    assert_non_null(end);
    assert_non_null(strstr(end, "\"ts\":3.000}"));
    free(text);
}

/* A name that is too long is cut between characters. */
CASE(a_long_name_of_a_track) {
    char name[400] = "x";
    const struct track isr = {5, 0, 0, KYMO_CONTEXT_INTERRUPT, name, NULL, NULL, 0};
    while (strlen(name) + 2 < sizeof name) {
        (void)strcat(name, "\u00e9");
    }
    struct writer writer = start();
    put(&writer, event(EVENT_TRACK, 0, &isr, NULL));
    assert_int_equal(writer.sink.close(writer.sink.state), 0);
    size_t length = 0;
    char *text = file_read(file_path("x.json"), &length);
    assert_true(utf8_valid(text, length));
    assert_null(strstr(text, "?"));
    assert_non_null(strstr(text, "\u00e9 (interrupt)\""));
    free(text);
}

CASE(zones) {
    struct writer writer = start();
    put(&writer, event(EVENT_ZONE_BEGIN, 1001, &core0, &work));
    put_text(&writer, event(EVENT_ZONE_NAME, 1002, &core0, &work), "renamed");
    put(&writer, event(EVENT_ZONE_BEGIN, 2000, &core0, &bare));
    put(&writer, event(EVENT_ZONE_END, 3000, &core0, &bare));
    put_text(&writer, event(EVENT_ZONE_NAME, 3001, &core0, &work), "late");
    put_text(&writer, event(EVENT_ZONE_TEXT, 3001, &core0, &work), "said");
    struct event value = event(EVENT_ZONE_VALUE, 3002, &core0, &work);
    value.u.value = 9;
    put(&writer, value);
    value.kind = EVENT_ZONE_COLOR;
    value.u.value = 0xff;
    put(&writer, value);
    struct event end = event(EVENT_ZONE_END, 4000, &core0, &work);
    end.u.zone.repaired = ZONE_END_LOST;
    put(&writer, end);
    assert_events(
        &writer,
        "\n{\"ph\":\"B\",\"name\":\"renamed\",\"pid\":1,\"tid\":1,\"ts\":1.001,\"loc\":\"a.c:3\"},"
        "\n{\"ph\":\"B\",\"name\":\"bare\",\"pid\":1,\"tid\":1,\"ts\":2.000},"
        "\n{\"ph\":\"E\",\"name\":\"bare\",\"pid\":1,\"tid\":1,\"ts\":3.000},"
        "\n{\"ph\":\"E\",\"name\":\"renamed\",\"pid\":1,\"tid\":1,\"ts\":4.000,\"args\":{"
        "\"name\":\"late\",\"text\":\"said\",\"value\":9,\"color\":\"#0000ff\","
        "\"end\":\"not received: events were lost\"}}");
}

/* The names of a site may arrive while its zone is open; the end must still match the begin. */
CASE(a_site_that_becomes_known) {
    struct site late = {.name = "site 9", .function = "", .file = ""};
    struct writer writer = start();
    put(&writer, event(EVENT_ZONE_BEGIN, 0, &core0, &late));
    put(&writer, event(EVENT_SWITCH, 0, &core0, NULL));
    late.known = true;
    late.name = "now known";
    put(&writer, event(EVENT_ZONE_END, 1, &core0, &late));
    assert_events(&writer, "\n{\"ph\":\"B\",\"name\":\"site 9\",\"pid\":1,\"tid\":1,\"ts\":0.000},"
                           "\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":1073741824,"
                           "\"ts\":0.000,\"args\":{\"name\":\"core 0 runs\"}},"
                           "\n{\"ph\":\"E\",\"name\":\"site 9\",\"pid\":1,\"tid\":1,\"ts\":0.001}");
}

CASE(a_begin_at_the_very_end) {
    struct writer writer = start();
    put(&writer, event(EVENT_ZONE_BEGIN, 7, &core0, &bare));
    assert_events(&writer, "\n{\"ph\":\"B\",\"name\":\"bare\",\"pid\":1,\"tid\":1,\"ts\":0.007}");
}

CASE(numbers_that_json_has_not) {
    struct writer writer = start();
    put_plot(&writer, 0.1);
    put_plot(&writer, (double)NAN);
    put_plot(&writer, -(double)INFINITY);
    assert_events(&writer,
                  "\n{\"ph\":\"C\",\"name\":\"bare\",\"pid\":1,\"tid\":1,\"ts\":5.000,\"args\":{"
                  "\"bare\":0.10000000000000001}},"
                  "\n{\"ph\":\"i\",\"name\":\"bare\",\"pid\":1,\"tid\":1,\"ts\":5.000,\"s\":\"t\","
                  "\"cat\":\"plot\",\"args\":{\"value\":\"nan\"}},"
                  "\n{\"ph\":\"i\",\"name\":\"bare\",\"pid\":1,\"tid\":1,\"ts\":5.000,\"s\":\"t\","
                  "\"cat\":\"plot\",\"args\":{\"value\":\"-inf\"}}");
}

/* A gap that starts before the last one ended begins at that end. */
CASE(gaps_do_not_overlap) {
    struct writer writer = start();
    struct event gap = event(EVENT_GAP, 2000, &core0, NULL);
    gap.u.gap.start_ns = 1000;
    gap.u.gap.lost = 5;
    gap.u.gap.cause = GAP_LINK;
    put(&writer, gap);
    gap.time_ns = 3000;
    gap.u.gap.cause = GAP_RESET;
    put(&writer, gap);
    assert_events(&writer,
                  "\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":1073741824,"
                  "\"ts\":0.000,\"args\":{\"name\":\"core 0 lost events\"}},"
                  "\n{\"ph\":\"B\",\"name\":\"lost events\",\"pid\":1,\"tid\":1073741824,"
                  "\"ts\":1.000,\"cat\":\"loss\",\"args\":{\"lost\":5,\"cause\":\"link\"}},"
                  "\n{\"ph\":\"E\",\"name\":\"lost events\",\"pid\":1,\"tid\":1073741824,"
                  "\"ts\":2.000},"
                  "\n{\"ph\":\"B\",\"name\":\"lost events\",\"pid\":1,\"tid\":1073741824,"
                  "\"ts\":2.000,\"cat\":\"loss\",\"args\":{\"lost\":5,\"cause\":\"reset\"}},"
                  "\n{\"ph\":\"E\",\"name\":\"lost events\",\"pid\":1,\"tid\":1073741824,"
                  "\"ts\":3.000}");
}

CASE(an_interrupt_that_never_returned) {
    struct writer writer = start();
    put(&writer, event(EVENT_SWITCH, 1000, &timer, NULL));
    put(&writer, event(EVENT_ZONE_BEGIN, 1500, &timer, &bare));
    put(&writer, event(EVENT_ZONE_END, 9000, &timer, &bare));
    assert_events(&writer,
                  "\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":1073741824,"
                  "\"ts\":0.000,\"args\":{\"name\":\"core 0 runs\"}},"
                  "\n{\"ph\":\"B\",\"name\":\"timer\",\"pid\":1,\"tid\":1073741824,\"ts\":1.000,"
                  "\"cat\":\"run\"},"
                  "\n{\"ph\":\"B\",\"name\":\"bare\",\"pid\":1,\"tid\":2,\"ts\":1.500},"
                  "\n{\"ph\":\"E\",\"name\":\"bare\",\"pid\":1,\"tid\":2,\"ts\":9.000},"
                  "\n{\"ph\":\"E\",\"name\":\"timer\",\"pid\":1,\"tid\":1073741824,\"ts\":9.000}");
}

CASES_BETWEEN(files_setup, files_teardown);
