#include "sink/sink.h"

#include <errno.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "files.h"
#include "unit/synthetic_events.h"

static void suffix_names_the_sink(void **state) {
    (void)state;
    static const struct {
        const char *path, *sink;
    } cases[] = {{"a.pftrace", "perfetto"},
                 {"dir.csv/a.perfetto-trace", "perfetto"},
                 {"a.json", "chrome"},
                 {"/x/y.z.csv", "csv"},
                 {"x.events.csv", "csv-events"},
                 {"a.CSV", NULL},
                 {"csv", NULL},
                 {".csv", NULL},
                 {"a.csv ", NULL},
                 {"", NULL},
                 {"a.kymo", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct sink *sink = sink_for_path(cases[i].path);
        assert_string_equal(sink ? sink->name : "none", cases[i].sink ? cases[i].sink : "none");
    }
}

static void every_sink_is_described(void **state) {
    (void)state;
    assert_non_null(sinks[0]);
    for (size_t i = 0; sinks[i]; i++) {
        assert_true(strlen(sinks[i]->name) > 0 && strlen(sinks[i]->help) > 0);
        assert_int_equal(sinks[i]->suffixes[0], '.');
    }
}

static char *output_of(const struct sink *sink, const char *name, unsigned rounds, size_t *length) {
    struct consumer output;
    assert_int_equal(sink->open(&output, file_path(name)), 0);
    assert_int_equal(synthetic_events(output.event, output.state, rounds, NULL), 0);
    assert_int_equal(output.close(output.state), 0);
    return file_read(file_path(name), length);
}

static void equal_input_gives_equal_bytes(void **state) {
    (void)state;
    for (size_t i = 0; sinks[i]; i++) {
        size_t first_length, second_length;
        char *first = output_of(sinks[i], "first", 50, &first_length);
        char *second = output_of(sinks[i], "second", 50, &second_length);
        assert_true(first_length > 0);
        assert_int_equal(first_length, second_length);
        assert_memory_equal(first, second, first_length);
        free(first);
        free(second);
    }
}

static void an_empty_capture_is_a_file_too(void **state) {
    (void)state;
    for (size_t i = 0; sinks[i]; i++) {
        struct consumer output;
        assert_int_equal(sinks[i]->open(&output, file_path("empty")), 0);
        assert_int_equal(output.close(output.state), 0);
        assert_true(file_exists(file_path("empty")));
    }
}

static void a_path_that_cannot_be_is_an_error(void **state) {
    (void)state;
    for (size_t i = 0; sinks[i]; i++) {
        struct consumer output = {0};
        assert_int_equal(sinks[i]->open(&output, file_path("no/folder")), -ENOENT);
        assert_null(output.state);
    }
}

static void a_full_disk_is_an_error(void **state) {
    (void)state;
    for (size_t i = 0; sinks[i]; i++) {
        struct consumer output;
        assert_int_equal(sinks[i]->open(&output, "/dev/full"), 0);
        int error = synthetic_events(output.event, output.state, 2000, NULL);
        assert_true(error == 0 || error == -ENOSPC); /* CSV is written at the end */
        assert_int_equal(output.close(output.state), -ENOSPC);
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
        growth->early_bytes = mallinfo2().uordblks;
    } else if (growth->events == LATE_EVENT) {
        growth->late_bytes = mallinfo2().uordblks;
    }
    return growth->target.event(growth->target.state, event);
}

static void memory_does_not_grow_with_events(void **state) {
    (void)state;
    for (size_t i = 0; sinks[i]; i++) {
        struct growth growth = {0};
        assert_int_equal(sinks[i]->open(&growth.target, file_path("growth")), 0);
        assert_int_equal(synthetic_events(measure, &growth, 3000, NULL), 0);
        assert_true(growth.events > LATE_EVENT);
        assert_int_equal(growth.target.close(growth.target.state), 0);
        /* Durations of a new octave bring their steps of the histogram with them. */
        assert_true(growth.late_bytes <= growth.early_bytes + 4096);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(suffix_names_the_sink),
        cmocka_unit_test(every_sink_is_described),
        cmocka_unit_test(equal_input_gives_equal_bytes),
        cmocka_unit_test(an_empty_capture_is_a_file_too),
        cmocka_unit_test(a_path_that_cannot_be_is_an_error),
        cmocka_unit_test(a_full_disk_is_an_error),
        cmocka_unit_test(memory_does_not_grow_with_events),
    };
    return cmocka_run_group_tests(tests, files_setup, files_teardown);
}
