/* SPDX-License-Identifier: MIT */
/* Outputs by call stack of zones that nest deeply and branch at each level: their memory grows
 * with the nodes of the tree, not with the lengths of all paths to them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "files.h"
#include "sink/profile.h"
#include "sink/sink.h"

#define NESTINGS 10u
#define DEPTH 1000u
/* The paths as texts would take 10 * 1000 * 500 names, of 6 bytes and more each: 30 MB. */
#define BYTES_MAX (8u << 20)

extern const struct sink sink_folded;

static size_t largest; /* block that was asked for */

void *__real_realloc(void *block, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_realloc(void *block, size_t size) {
    largest = size > largest ? size : largest;
    return __real_realloc(block, size);
}

typedef int take_event(void *state, const struct event *event);

static void nest(take_event *take, void *state) {
    static const struct track row = {.id = 1, .name = "row"};
    static const struct site sites[2] = {{.id = 0, .name = "first", .function = "", .file = ""},
                                         {.id = 1, .name = "other", .function = "", .file = ""}};
    static const struct site *open[DEPTH];
    uint32_t seed = 1;
    struct event event = {.track = &row};
    for (unsigned nesting = 0; nesting < NESTINGS; nesting++) {
        for (unsigned i = 0; i < DEPTH; i++) {
            seed = seed * 1103515245u + 12345u;
            open[i] = &sites[seed >> 16 & 1];
            event.kind = EVENT_ZONE_BEGIN;
            event.site = open[i];
            event.time_ns++;
            assert_int_equal(take(state, &event), 0);
        }
        for (unsigned i = DEPTH; i > 0; i--) {
            event.kind = EVENT_ZONE_END;
            event.site = open[i - 1];
            event.u.zone.start_ns = event.time_ns - 1;
            event.u.zone.self_ns = 1;
            event.time_ns++;
            assert_int_equal(take(state, &event), 0);
        }
    }
}

static int to_profile(void *state, const struct event *event) {
    return profile_event(state, event);
}

CASE(the_tables_keep_no_whole_paths) {
    struct profile profile = {0};
    FILE *out = fopen("/dev/null", "w");
    assert_non_null(out);
    nest(to_profile, &profile);
    assert_true(profile.count > NESTINGS * DEPTH / 2);
    largest = 0;
    struct table_to text = {.form = TABLE_TEXT, .text = out}, csv = {.form = TABLE_CSV};
    assert_int_equal(stacktable_write(&profile, &text), 0);
    assert_int_equal(outfile_open(&csv.out, "/dev/null"), 0);
    assert_int_equal(stacktable_write(&profile, &csv), 0);
    assert_int_equal(outfile_close(csv.out), 0);
    assert_in_range(largest, 1, BYTES_MAX);
    (void)fclose(out);
    profile_free(&profile);
}

CASE(folded_stacks_keep_no_whole_paths) {
    struct consumer consumer;
    size_t lines = 0, length;
    assert_int_equal(sink_open(&sink_folded, &consumer, file_path("deep.folded")), 0);
    nest(consumer.event, consumer.state);
    largest = 0;
    assert_int_equal(consumer.close(consumer.state), 0);
    assert_in_range(largest, 1, BYTES_MAX);
    char *text = file_read(file_path("deep.folded"), &length);
    assert_non_null(text);
    for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++) {
        lines++;
    }
    assert_in_range(lines, NESTINGS * DEPTH / 2, NESTINGS * DEPTH);
    assert_memory_equal(text, "row;", 4);
    free(text);
}

CASE(a_zone_without_a_name_has_its_place) {
    static const struct track row = {.id = 1, .name = "row"};
    static const struct site nameless = {.known = true, .name = "", .function = "", .file = ""};
    struct consumer consumer;
    struct event event = {.kind = EVENT_ZONE_BEGIN, .track = &row, .site = &nameless};
    assert_int_equal(sink_open(&sink_folded, &consumer, file_path("nameless.folded")), 0);
    assert_int_equal(consumer.event(consumer.state, &event), 0);
    event.kind = EVENT_ZONE_END;
    event.time_ns = 7;
    event.u.zone.self_ns = 7;
    assert_int_equal(consumer.event(consumer.state, &event), 0);
    assert_int_equal(consumer.close(consumer.state), 0);
    char *text = file_read(file_path("nameless.folded"), NULL);
    assert_string_equal(text, "row;? 7\n");
    free(text);
}

CASES_BETWEEN(files_setup, files_teardown);
