/* SPDX-License-Identifier: MIT */
/* A memory image of a firmware that makes sites at run time: its records have their names. */
#include <string.h>

#include "board_image.h"
#include "cases.h"
#include "dump/stream.h"
#include "kymo/kymo.h"
#include "kymo_arch.h"
#include "record/dynamic.h"
#include "trace.h"
#include "trace/pipeline.h"

static struct trace trace;
static struct board_image image;
static struct recorder recorder;
static struct seen {
    uint32_t zones, plots;
    char zone[32], plot[32], file[32];
} seen;

FIXTURE(set_up) {
    fake_reset();
    trace_power_up();
    trace_init(&trace);
    memset(&seen, 0, sizeof seen);
    kymo_init(&trace.transport, "dynamic");
    return 0;
}

FIXTURE(tear_down) {
    board_image_free(&image);
    return 0;
}

static int on_event(void *context, const struct event *event) {
    (void)context;
    if (event->kind == EVENT_ZONE_BEGIN) {
        seen.zones++;
        (void)strncpy(seen.zone, event->site->name, sizeof seen.zone - 1u);
        (void)strncpy(seen.file, event->site->file, sizeof seen.file - 1u);
    } else if (event->kind == EVENT_PLOT_INT) {
        seen.plots++;
        (void)strncpy(seen.plot, event->site->name, sizeof seen.plot - 1u);
    }
    return 0;
}

static int to_pipeline(void *context, const uint8_t *bytes, size_t length) {
    return pipeline_feed(context, bytes, length);
}

static struct lanes_report dump(void) {
    const struct pipeline_callbacks callbacks = {.event = on_event};
    struct pipeline *pipeline = pipeline_new(&callbacks, NULL);
    struct lanes_report report;
    bool blames_elf = false;
    board_image_make(&image);
    assert_int_equal(elf_open(&image.elf, image.elf_bytes, image.elf_length), 0);
    if (recorder_open(&recorder, &image.elf, &image.memory, &blames_elf) != 0) {
        fail_msg("%s", recorder.why);
    }
    assert_int_equal(stream_make(&recorder, to_pipeline, pipeline, &report), 0);
    assert_int_equal(pipeline_end(pipeline), 0);
    pipeline_free(pipeline);
    return report;
}

/* The name is a copy in the memory, the file a constant of the program. */
static void record(void) {
    char name[] = "made at run time";
    const struct kymo_site_text place = {.name = name,
                                         .name_bytes = sizeof name - 1u,
                                         .file = "made.c",
                                         .file_bytes = 6u,
                                         .line = 7u,
                                         .constant = KYMO_CONSTANT_FILE,
                                         .kind = KYMO_SITE_ZONE};
    const struct kymo_site_text series = {
        .name = "level", .name_bytes = 5u, .kind = KYMO_SITE_PLOT};
    kymo_zone_end(kymo_zone_begin(kymo_site_dynamic(&place)));
    kymo_plot_int(kymo_site_dynamic(&series), 5);
    memset(name, 'x', sizeof name);
}

CASE(their_names_are_found, set_up, tear_down) {
    record();
    const struct lanes_report report = dump();
    assert_int_equal(seen.zones, 1);
    assert_int_equal(seen.plots, 1);
    assert_string_equal(seen.zone, "made at run time");
    assert_string_equal(seen.file, "made.c");
    assert_string_equal(seen.plot, "level");
    assert_int_equal(report.named, 2);
    assert_int_equal(report.strangers, 0);
}

/* One that is still being written, as by a core that was stopped: it has no name, and is no other build's. */
CASE(one_that_is_not_complete_has_no_name, set_up, tear_down) {
    record();
    kymo_dynamic.site[0].complete = 0u;
    const struct lanes_report report = dump();
    assert_int_equal(seen.zones, 1);
    assert_string_not_equal(seen.zone, "made at run time");
    assert_string_equal(seen.plot, "level");
    assert_int_equal(report.strangers, 0);
}
