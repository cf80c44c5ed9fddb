/* SPDX-License-Identifier: MIT */
#include "sink/sink.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/by_time.h"
#include "cases.h"
#include "files.h"
#include "heap.h"
#include "unit/synthetic_events.h"

CASE(suffix_names_the_sink) {
    static const struct {
        const char *path, *sink;
    } cases[] = {{"a.pftrace", "perfetto"},
                 {"dir.csv/a.perfetto-trace", "perfetto"},
                 {"a.json", "chrome"},
                 {"/x/y.z.csv", "csv"},
                 {"x.events.csv", "csv-events"},
                 {"profile_log_device.csv", "device-log"},
                 {"log_device.csv", "device-log"},
                 {"a/x_log_device_12.csv", "device-log-12"},
                 {"a/x_log_device_13.csv", "device-log-13"},
                 {"a.CSV", NULL},
                 {"csv", NULL},
                 {".csv", NULL},
                 {"a.csv ", NULL},
                 {"", NULL},
                 {"a.kymo", NULL},
                 {"a.ctf", "ctf"},
                 {"x/a.ctf//", "ctf"}, /* a folder */
                 {"a.csv/", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct sink *sink = sink_for_path(cases[i].path);
        assert_string_equal(sink ? sink->name : "none", cases[i].sink ? cases[i].sink : "none");
    }
}

CASE(every_sink_is_described) {
    assert_non_null(sinks[0]);
    for (size_t i = 0; sinks[i]; i++) {
        assert_true(strlen(sinks[i]->name) > 0 && strlen(sinks[i]->help) > 0);
        assert_true(sinks[i]->suffixes[0] != ' ' && strchr(sinks[i]->suffixes, '.') != NULL);
    }
}

/* A folder is no file of another one. */
static const char *name_for(const struct sink *sink, const char *name) {
    static char folder[32];
    (void)snprintf(folder, sizeof folder, "%s.folder", name);
    return sink->is_folder ? folder : name;
}

static char *output_of(const struct sink *sink, const char *name, unsigned rounds, size_t *length) {
    struct consumer output;
    assert_int_equal(sink_open(sink, &output, file_path(name)), 0);
    assert_int_equal(synthetic_events(output.event, output.state, rounds, NULL), 0);
    assert_int_equal(output.close(output.state), 0);
    char inside[64];
    (void)snprintf(inside, sizeof inside, sink->is_folder ? "%s/stream" : "%s", name);
    return file_read(file_path(inside), length);
}

CASE(equal_input_gives_equal_bytes) {
    for (size_t i = 0; sinks[i]; i++) {
        size_t first_length, second_length;
        char *first = output_of(sinks[i], name_for(sinks[i], "first"), 50, &first_length);
        char *second = output_of(sinks[i], name_for(sinks[i], "second"), 50, &second_length);
        assert_true(first_length > 0);
        assert_int_equal(first_length, second_length);
        assert_memory_equal(first, second, first_length);
        free(first);
        free(second);
    }
}

CASE(an_empty_capture_is_a_file_too) {
    for (size_t i = 0; sinks[i]; i++) {
        struct consumer output;
        const char *name = name_for(sinks[i], "empty");
        assert_int_equal(sink_open(sinks[i], &output, file_path(name)), 0);
        assert_int_equal(output.close(output.state), 0);
        assert_true(file_exists(file_path(name)));
    }
}

CASE(a_path_that_cannot_be_is_an_error) {
    for (size_t i = 0; sinks[i]; i++) {
        struct consumer output = {0};
        assert_int_equal(sink_open(sinks[i], &output, file_path("no/folder")), -ENOENT);
        assert_null(output.state);
    }
}

struct growth {
    struct consumer target;
    unsigned events;
    size_t early_bytes, late_bytes;
};

/* Between these two, rounds of equal events pass, each of them a few hundred times. */
#define EARLY_EVENT 5000
#define LATE_EVENT 40000

static int measure(void *context, const struct event *event) {
    struct growth *growth = context;
    growth->events++;
    if (growth->events == EARLY_EVENT) {
        growth->early_bytes = heap_bytes();
    } else if (growth->events == LATE_EVENT) {
        growth->late_bytes = heap_bytes();
    }
    return growth->target.event(growth->target.state, event);
}

/* A profile for Firefox has columns, which are kept until its end; what sorts has room for so much. Durations of a new
 * octave bring their steps of the histogram with them. */
static size_t kept_bytes(const char *name) {
    return strcmp(name, "firefox") == 0                           ? (LATE_EVENT - EARLY_EVENT) * 64
           : strcmp(name, "ctf") == 0 || strcmp(name, "btf") == 0 ? BY_TIME_BYTES
                                                                  : 4096;
}

CASE(memory_does_not_grow_with_events) {
    for (size_t i = 0; sinks[i]; i++) {
        struct growth growth = {0};
        assert_int_equal(
            sink_open(sinks[i], &growth.target, file_path(name_for(sinks[i], "growth"))), 0);
        assert_int_equal(synthetic_events(measure, &growth, 3000, NULL), 0);
        assert_true(growth.events > LATE_EVENT);
        assert_int_equal(growth.target.close(growth.target.state), 0);
        const size_t more = kept_bytes(sinks[i]->name);
        assert_true(growth.late_bytes <= growth.early_bytes + more);
    }
}

/* Each record has its time, when it came, and as many bytes more as its number says. */
struct given {
    bool ranked; /* the odd ones after the even ones of their time */
    int64_t time;
    uint64_t rank, number, count;
};

static uint64_t length_of(uint64_t number) {
    return 16 + number % 53 + (number % 40000 == 7 ? 300000 : 0);
}

static int take_record(void *context, int64_t time, const uint8_t *bytes, size_t length) {
    struct given *given = context;
    int64_t own;
    uint64_t number;
    memcpy(&own, bytes, 8);
    memcpy(&number, bytes + 8, 8);
    assert_int_equal(own, time);
    assert_int_equal(length, length_of(number));
    assert_int_equal(bytes[length - 1], length > 16 ? number & 0xff : number >> 56);
    const uint64_t rank = given->ranked ? number % 2 : 0;
    assert_true(given->count == 0 || time > given->time ||
                (time == given->time &&
                 (rank > given->rank || (rank == given->rank && number > given->number))));
    *given = (struct given){given->ranked, time, rank, number, given->count + 1};
    return 0;
}

/* Nearly in order, by chance, backwards: always all of them in the order of time. */
CASE(records_come_by_time) {
    static uint8_t record[310000];
    for (unsigned how = 0; how < 4; how++) {
        struct by_time order = {.fd = -1};
        struct given given = {.ranked = how % 2 != 0};
        const uint64_t count = how == 3 ? 100 : 200000;
        uint32_t random = 1;
        for (uint64_t i = 0; i < count; i++) {
            random = random * 1664525u + 1013904223u;
            const int64_t time = how == 0   ? (int64_t)(i / 3 + (random >> 24))
                                 : how == 1 ? (int64_t)(random >> 16)
                                 : how == 2 ? (int64_t)(count - i)
                                            : 0;
            memcpy(record, &time, 8);
            memcpy(record + 8, &i, 8);
            memset(record + 16, (int)(i & 0xff), length_of(i) - 16);
            assert_int_equal(
                by_time_add(&order, time, how % 2 != 0 ? i % 2 : 0, record, length_of(i)), 0);
        }
        assert_int_equal(order.fd >= 0, how != 3);
        assert_int_equal(order.run_count <= 1, how == 0 || how == 3);
        assert_int_equal(by_time_each(&order, &given, take_record), 0);
        assert_int_equal(given.count, count);
        by_time_free(&order);
    }
}

CASES_BETWEEN(files_setup, files_teardown);
