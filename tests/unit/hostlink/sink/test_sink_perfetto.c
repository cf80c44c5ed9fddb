/* SPDX-License-Identifier: MIT */
/* How packets are put together, read with a few lines of our own. tests/validate checks their
 * meaning to Perfetto itself. Field numbers: protos/perfetto/trace/trace_packet.proto and
 * track_event/track_event.proto. */
#include "sink/sink.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "files.h"
#include "kymo/wire.h"

static const struct track core0 = {1, 0, 0, KYMO_CONTEXT_MAIN, "core 0", NULL, NULL, 0};
static const struct track core1 = {2, 1, 0, KYMO_CONTEXT_MAIN, "core 1", NULL, NULL, 0};

struct writer {
    struct consumer sink;
};

static struct writer start(void) {
    struct writer writer;
    assert_int_equal(sink_open(sink_for_path("x.pftrace"), &writer.sink, file_path("x.pftrace")),
                     0);
    return writer;
}

static void put(struct writer *writer, enum event_kind kind, int64_t time_ns,
                const struct track *track, const struct site *site) {
    struct event event = {.kind = kind, .time_ns = time_ns, .track = track, .site = site};
    assert_int_equal(writer->sink.event(writer->sink.state, &event), 0);
}

/* ---- a reader ---- */

struct slice {
    const uint8_t *at, *end;
};

static uint64_t read_varint(struct slice *in) {
    uint64_t value = 0;
    for (unsigned shift = 0; in->at < in->end && shift < 64; shift += 7) {
        uint8_t byte = *in->at++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            return value;
        }
    }
    fail_msg("a varint is cut");
    return 0;
}

/* The next field: its number; *value for a varint, *inside for the rest. False at the end. */
static bool read_field(struct slice *in, uint64_t *number, uint64_t *value, struct slice *inside) {
    if (in->at == in->end) {
        return false;
    }
    uint64_t key = read_varint(in);
    *number = key >> 3;
    *value = 0;
    uint64_t length = (key & 7) == 1 ? 8 : 0;
    if ((key & 7) == 0) {
        *value = read_varint(in);
    } else if ((key & 7) == 2) {
        length = read_varint(in);
    }
    assert_true(length <= (uint64_t)(in->end - in->at));
    *inside = (struct slice){in->at, in->at + length};
    in->at += length;
    return true;
}

/* The value of the first field "number", or "absent"; its content in *inside (may be NULL). */
static uint64_t field(struct slice message, uint64_t wanted, uint64_t absent,
                      struct slice *inside) {
    uint64_t number, value;
    struct slice content;
    while (read_field(&message, &number, &value, &content)) {
        if (number == wanted) {
            if (inside) {
                *inside = content;
            }
            return value;
        }
    }
    return absent;
}

struct trace {
    char *bytes;
    size_t length;
    struct slice rest;
};

static struct trace finish(struct writer *writer) {
    struct trace trace;
    assert_int_equal(writer->sink.close(writer->sink.state), 0);
    trace.bytes = file_read(file_path("x.pftrace"), &trace.length);
    trace.rest = (struct slice){(uint8_t *)trace.bytes, (uint8_t *)trace.bytes + trace.length};
    return trace;
}

/* The next packet that holds field "kind". */
static bool next_packet(struct trace *trace, uint64_t kind, struct slice *packet,
                        struct slice *content) {
    uint64_t number, value;
    while (read_field(&trace->rest, &number, &value, packet)) {
        assert_int_equal(number, 1);
        *content = (struct slice){NULL, NULL};
        field(*packet, kind, 0, content);
        if (content->at) {
            return true;
        }
    }
    return false;
}

enum {
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_FLAGS = 13,
    PACKET_CLOCK = 58,
    PACKET_DEFAULTS = 59,
    PACKET_TASK = 117, /* GenericKernelTaskStateEvent: cpu, comm, tid, state */
    EVENT_TYPE = 9,
    EVENT_NAME = 23
};

/* ---- tests ---- */

CASE(times_of_a_row_are_steps) {
    static const struct site a = {.known = true, .name = "a", .function = "", .file = ""};
    static const int64_t times[] = {5000000000, 5000000001, 5000000001, 5000000301};
    struct writer writer = start();
    for (size_t i = 0; i < 4; i++) {
        put(&writer, i % 2 ? EVENT_ZONE_END : EVENT_ZONE_BEGIN, times[i], &core0, &a);
    }
    struct trace trace = finish(&writer);
    struct slice packet, content;
    assert_true(next_packet(&trace, PACKET_DEFAULTS, &packet, &content));
    assert_int_equal(field(packet, PACKET_FLAGS, 0, NULL), 1); /* state cleared */
    uint64_t sequence = field(packet, PACKET_SEQUENCE, 0, NULL);
    int64_t now = times[0];
    for (size_t i = 0; i < 4; i++) {
        assert_true(next_packet(&trace, PACKET_EVENT, &packet, &content));
        now += (int64_t)field(packet, PACKET_TIMESTAMP, 999, NULL);
        assert_int_equal(now, times[i]);
        assert_int_equal(field(packet, PACKET_SEQUENCE, 0, NULL), sequence);
        assert_int_equal(field(packet, PACKET_FLAGS, 0, NULL), 2); /* state needed */
        assert_int_equal(field(content, EVENT_TYPE, 0, NULL), i % 2 ? 2 : 1);
    }
    assert_false(next_packet(&trace, PACKET_EVENT, &packet, &content));
    free(trace.bytes);
}

/* A plot of two cores: events of different tracks are not in the order of time. */
CASE(a_time_that_goes_back_is_written_in_full) {
    static const struct site plot = {
        .kind = KYMO_SITE_PLOT, .known = true, .name = "p", .function = "", .file = ""};
    struct writer writer = start();
    put(&writer, EVENT_PLOT_INT, 9000, &core0, &plot);
    put(&writer, EVENT_PLOT_INT, 4000, &core1, &plot);
    put(&writer, EVENT_PLOT_INT, 9500, &core0, &plot);
    struct trace trace = finish(&writer);
    struct slice packet, content;
    assert_true(next_packet(&trace, PACKET_EVENT, &packet, &content));
    assert_int_equal(field(packet, PACKET_TIMESTAMP, 1, NULL), 0);
    assert_int_equal(field(packet, PACKET_CLOCK, 0, NULL), 0);
    assert_true(next_packet(&trace, PACKET_EVENT, &packet, &content));
    assert_int_equal(field(packet, PACKET_TIMESTAMP, 1, NULL), 4000);
    assert_int_equal(field(packet, PACKET_CLOCK, 0, NULL), 6);
    assert_true(next_packet(&trace, PACKET_EVENT, &packet, &content));
    assert_int_equal(field(packet, PACKET_TIMESTAMP, 1, NULL), 500);
    assert_int_equal(field(packet, PACKET_CLOCK, 0, NULL), 0);
    free(trace.bytes);
}

/* A counter would have no value there. */
CASE(plots_that_are_no_number_are_instants) {
    static const struct site plot = {
        .kind = KYMO_SITE_PLOT, .known = true, .name = "p", .function = "", .file = ""};
    static const double values[] = {(double)NAN, -(double)INFINITY, 0.5};
    static const char *const names[] = {"plot: p nan", "plot: p -inf"};
    struct writer writer = start();
    for (size_t i = 0; i < 3; i++) {
        struct event event = {.kind = EVENT_PLOT_DOUBLE, .track = &core0, .site = &plot};
        event.u.plot.type = PLOT_DOUBLE;
        event.u.plot.real = values[i];
        assert_int_equal(writer.sink.event(writer.sink.state, &event), 0);
    }
    struct trace trace = finish(&writer);
    struct slice packet, content;
    for (size_t i = 0; i < 3; i++) {
        assert_true(next_packet(&trace, PACKET_EVENT, &packet, &content));
        assert_int_equal(field(content, EVENT_TYPE, 0, NULL), i < 2 ? 3 : 4);
        if (i < 2) {
            struct slice name = {0};
            (void)field(content, EVENT_NAME, 0, &name);
            assert_int_equal(name.end - name.at, strlen(names[i]));
            assert_memory_equal(name.at, names[i], strlen(names[i]));
        }
    }
    free(trace.bytes);
}

CASE(names_are_sent_once_and_again_when_known) {
    struct site site = {.name = "site 4", .function = "", .file = ""};
    static const char *const expected[] = {"site 4", NULL, NULL, NULL, "real", NULL};
    struct writer writer = start();
    for (size_t i = 0; i < 3; i++) {
        if (i == 2) {
            site.known = true;
            site.name = "real";
        }
        put(&writer, EVENT_ZONE_BEGIN, (int64_t)i, &core0, &site);
        put(&writer, EVENT_ZONE_END, (int64_t)i, &core0, &site);
    }
    struct trace trace = finish(&writer);
    for (size_t i = 0; i < 6; i++) {
        struct slice packet, content, interned = {NULL, NULL}, name = interned, text = interned;
        assert_true(next_packet(&trace, PACKET_EVENT, &packet, &content));
        field(packet, PACKET_INTERNED, 0, &interned);
        assert_int_equal(interned.at != NULL, expected[i] != NULL);
        if (expected[i]) {
            field(interned, 2, 0, &name);
            field(name, 2, 0, &text);
            assert_int_equal(text.end - text.at, strlen(expected[i]));
            assert_memory_equal(text.at, expected[i], strlen(expected[i]));
        }
    }
    free(trace.bytes);
}

/* A reader takes one change of a core at a time. */
CASE(of_switches_at_one_time_each_is_later) {
    static const struct track task_a = {3, 0, 0, KYMO_CONTEXT_TASK, "task a", NULL, NULL, 0};
    struct track task_b = {4, 0, 0, KYMO_CONTEXT_TASK, "task b", NULL, NULL, 0};
    static const struct {
        uint64_t time_ns;
        const char *name;
        uint64_t
            state; /* 3 = running: why one leaves its core is not recorded, so nothing says what it does then */
    } expected[] = {{100, "core 0", 3},
                    {200, "task a", 3},
                    {201, "task b", 3},
                    {300, "events lost", 3},
                    {400, "task b", 3}};
    struct writer writer = start();
    put(&writer, EVENT_SWITCH, 100, &core0, NULL);
    put(&writer, EVENT_SWITCH, 200, &task_a, NULL);
    put(&writer, EVENT_SWITCH, 200, &task_b, NULL);
    struct event gap = {.kind = EVENT_GAP, .time_ns = 400, .track = &task_b};
    gap.u.gap.start_ns = 300;
    assert_int_equal(writer.sink.event(writer.sink.state, &gap), 0);
    put(&writer, EVENT_TRACK_END, 400, &task_b, NULL);
    memset(&task_b, 0xff, sizeof task_b); /* it may be gone */
    struct trace trace = finish(&writer);
    struct slice packet, content, name = {NULL, NULL};
    for (size_t i = 0; i < 5; i++) {
        assert_true(next_packet(&trace, PACKET_TASK, &packet, &content));
        assert_int_equal(field(packet, PACKET_TIMESTAMP, 0, NULL), expected[i].time_ns);
        (void)field(content, 2, 0, &name);
        assert_int_equal(name.end - name.at, strlen(expected[i].name));
        assert_memory_equal(name.at, expected[i].name, strlen(expected[i].name));
        assert_int_equal(field(content, 4, 0, NULL), expected[i].state);
    }
    assert_false(next_packet(&trace, PACKET_TASK, &packet, &content));
    free(trace.bytes);
}

static size_t size_of_zones(unsigned count) {
    static const struct site a = {
        .known = true, .name = "a long name", .function = "function", .file = "file.c", .line = 7};
    struct writer writer = start();
    for (unsigned i = 0; i < count; i++) {
        put(&writer, EVENT_ZONE_BEGIN, 5000000000 + i * 2000, &core0, &a);
        put(&writer, EVENT_ZONE_END, 5000001000 + i * 2000, &core0, &a);
    }
    struct trace trace = finish(&writer);
    free(trace.bytes);
    return trace.length;
}

/* With file and line, once its names are sent, times of 1 us to 2 ms apart (two bytes). */
CASE(a_zone_costs_32_bytes) { assert_true(size_of_zones(1100) - size_of_zones(100) <= 1000 * 32); }

CASES_BETWEEN(files_setup, files_teardown);
