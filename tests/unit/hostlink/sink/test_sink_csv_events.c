/* SPDX-License-Identifier: MIT */
#include "sink/sink.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "files.h"
#include "kymo/wire.h"

static const struct track track = {.id = 1, .core = 2, .name = "timer, fast"};
static const struct site site = {.known = true, .name = "work", .function = "f", .file = "a.c"};

static struct consumer sink;

static void send(struct event event) {
    event.track = event.kind == EVENT_SESSION ? NULL : &track;
    assert_int_equal(sink.event(sink.state, &event), 0);
}

static struct event at(int64_t time_ns, enum event_kind kind) {
    return (struct event){.kind = kind, .time_ns = time_ns, .site = &site};
}

static void send_text(int64_t time_ns, enum event_kind kind, const char *text) {
    struct event event = at(time_ns, kind);
    event.u.text.bytes = text;
    event.u.text.length = strlen(text);
    send(event);
}

static void send_plot(int64_t time_ns, double real, bool whole) {
    struct event event = at(time_ns, EVENT_PLOT_INT);
    event.u.plot.type = whole ? PLOT_INT : PLOT_DOUBLE;
    event.u.plot.integer = (int64_t)real;
    event.u.plot.real = real;
    send(event);
}

static void send_zone_end(int64_t time_ns, enum zone_repair repaired) {
    struct event event = at(time_ns, EVENT_ZONE_END);
    event.u.zone.start_ns = 100;
    event.u.zone.repaired = repaired;
    send(event);
}

static void send_others(void) {
    struct event event = at(700, EVENT_ALLOC);
    event.u.memory.address = 0x20001000;
    event.u.memory.bytes = 64;
    send(event);
    event = at(800, EVENT_GAP);
    event.site = NULL;
    event.u.gap.lost = 12;
    event.u.gap.cause = GAP_LINK;
    send(event);
    event = at(900, EVENT_REPAIR);
    event.site = NULL;
    event.u.repair = REPAIR_END_WITHOUT_ZONE;
    send(event);
}

static void send_task(int64_t time_ns, enum task_state before, enum task_state state,
                      const struct track *other, bool deadlock) {
    static const struct object bus = {.id = 1, .named = true, .name = "bus"};
    struct event event = {.kind = EVENT_TASK, .time_ns = time_ns};
    event.object = state == TASK_WAITING ? &bus : NULL;
    event.u.task.before = (uint8_t)before;
    event.u.task.state = (uint8_t)state;
    event.u.task.why = KYMO_WHY_LOCK;
    event.u.task.woken = state == TASK_READY;
    event.u.task.deadlock = deadlock;
    event.u.task.since_ns = time_ns - 40;
    event.u.task.other = other;
    send(event);
}

CASE(states_of_tasks) {
    static const struct track low = {.id = 2, .name = "low"};
    assert_int_equal(sink_open(sink_for_path("x.events.csv"), &sink, file_path("t.csv")), 0);
    send_task(100, TASK_UNKNOWN, TASK_RUNNING, NULL, false);
    send_task(140, TASK_RUNNING, TASK_WAITING, &low, true);
    send_task(180, TASK_WAITING, TASK_READY, &low, false);
    struct event event = {.kind = EVENT_TASK_PRIORITY, .time_ns = 190};
    event.u.priority.value = -3;
    event.u.priority.cause = KYMO_PRIORITY_INHERITED;
    send(event);
    assert_int_equal(sink.close(sink.state), 0);
    char *text = file_read(file_path("t.csv"), NULL);
    assert_string_equal(text,
                        "time_ns,core,context,kind,name,value,text,stack\n"
                        "100,2,\"timer, fast\",task runs,,,,\n"
                        "140,2,\"timer, fast\",task waits,bus,40,lock held by low: deadlock,\n"
                        "180,2,\"timer, fast\",task ready,,40,lock woken by low,\n"
                        "190,2,\"timer, fast\",task priority,,-3,inherited,\n");
    free(text);
}

CASE(a_line_an_event) {
    assert_int_equal(sink_open(sink_for_path("x.events.csv"), &sink, file_path("a.csv")), 0);
    struct event session = {.kind = EVENT_SESSION};
    session.u.session.image = "firmware";
    send(session);
    struct event begin = at(100, EVENT_ZONE_BEGIN);
    begin.stack = &(const struct callstack){.count = 2, .address = {0x8000104a, 0x7f0000002000}};
    send(begin);
    send_text(200, EVENT_MESSAGE, "say \"hi\", twice\nmore");
    send_plot(300, -7, true);
    send_plot(400, 0.5, false);
    send_zone_end(500, ZONE_ENDED);
    send_zone_end(600, ZONE_END_OPEN);
    send_others();
    assert_int_equal(sink.close(sink.state), 0);
    char *text = file_read(file_path("a.csv"), NULL);
    assert_string_equal(text,
                        "time_ns,core,context,kind,name,value,text,stack\n"
                        "0,,,session,,0,firmware,\n"
                        "100,2,\"timer, fast\",zone begin,work,,,0x8000104a 0x7f0000002000\n"
                        "200,2,\"timer, fast\",message,work,,\"say \"\"hi\"\", twice\nmore\",\n"
                        "300,2,\"timer, fast\",plot,work,-7,,\n"
                        "400,2,\"timer, fast\",plot,work,0.5,,\n"
                        "500,2,\"timer, fast\",zone end,work,400,,\n"
                        "600,2,\"timer, fast\",zone end,work,500,not received: still open "
                        "when the trace ended,\n"
                        "700,2,\"timer, fast\",alloc,work,64,0x20001000,\n"
                        "800,2,\"timer, fast\",gap,,12,events lost on the way,\n"
                        "900,2,\"timer, fast\",repair,,,end without an open zone: left out,\n");
    free(text);
}

/* A spreadsheet computes any text that looks like a formula. */
CASE(formulas_are_texts_and_numbers_are_numbers) {
    static const char *const texts[][2] = {
        {"=1+1", "'=1+1"}, {"@SUM(A1)", "'@SUM(A1)"}, {"-2+3", "'-2+3"},
        {"+cmd", "'+cmd"}, {"=a,b", "\"'=a,b\""},     {"\t=1", "'\t=1"},
        {"-5", "-5"},      {"+1.5e3", "+1.5e3"},      {"a=1", "a=1"}};
    assert_int_equal(sink_open(sink_for_path("x.events.csv"), &sink, file_path("b.csv")), 0);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        send_text(200, EVENT_MESSAGE, texts[i][0]);
    }
    assert_int_equal(sink.close(sink.state), 0);
    char *all = file_read(file_path("b.csv"), NULL);
    char *at = strchr(all, '\n');
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char line[80];
        (void)snprintf(line, sizeof line, "\n200,2,\"timer, fast\",message,work,,%s,", texts[i][1]);
        assert_memory_equal(at, line, strlen(line));
        at += strlen(line);
    }
    free(all);
}

CASES_BETWEEN(files_setup, files_teardown);
