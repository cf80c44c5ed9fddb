/* SPDX-License-Identifier: MIT */
#include "long_names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "kymo/kymo.h"
#include "kymo_arch.h"
#include "trace.h"
#include "trace/pipeline.h"

#define BYTES 4096u
#define ELLIPSIS "\u2026"
#define TURNS 200000u /* far more than any link needs */

static char name[BYTES + 1u], function[BYTES + 1u], file[BYTES + 1u];
static const struct kymo_site place __attribute__((used, section("kymo_sites"), aligned(8))) =
    KYMO_SITE_FIELDS_(KYMO_SITE_ZONE, name, function, file, 0u, 0u, 0u, NULL);

static unsigned zones;

/* No part of it is like another. */
static void fill(char *text, char first) {
    for (uint32_t i = 0u; i < BYTES; i++) {
        text[i] = (char)((uint32_t)first + (i + i / 26u * 7u) % 26u);
    }
}

static void assert_cut(const char *arrived, const char *whole) {
    assert_int_equal(strlen(arrived), KYMO_SITE_STRING_BYTES + strlen(ELLIPSIS));
    assert_memory_equal(arrived, whole, KYMO_SITE_STRING_BYTES);
    assert_string_equal(arrived + KYMO_SITE_STRING_BYTES, ELLIPSIS);
}

static int on_event(void *context, const struct event *event) {
    (void)context;
    if (event->kind == EVENT_ZONE_END) {
        assert_cut(event->site->name, name);
        assert_cut(event->site->function, function);
        assert_cut(event->site->file, file);
        zones++;
    }
    return 0;
}

void long_names_arrive(const struct kymo_transport *transport,
                       size_t (*take)(uint8_t *bytes, size_t room)) {
    static const struct pipeline_callbacks callbacks = {.event = on_event};
    struct pipeline *pipeline = pipeline_new(&callbacks, NULL);
    struct pipeline_totals totals = {0};
    uint8_t bytes[64];
    fake_reset();
    trace_power_up();
    fill(name, 'a');
    fill(function, 'A');
    fill(file, 'a');
    zones = 0u;
    kymo_init(transport, "long names");
    for (uint32_t turn = 0u; turn < TURNS && !totals.final; turn++) {
        /* Once the names are out, as events before would be shown without. */
        if (turn >= 1000u && zones == 0u && !kymo_pending()) {
            kymo_zone_end(kymo_zone_begin(&place));
            kymo_finish();
        }
        (void)kymo_drain(0u);
        fake.clock += 200u;
        const size_t count = take(bytes, sizeof bytes);
        assert_int_equal(pipeline_feed(pipeline, bytes, count), 0);
        pipeline_totals(pipeline, &totals);
    }
    assert_true(totals.final);
    assert_int_equal(totals.bad_packets, 0u);
    assert_int_equal(totals.unknown_sites, 0u);
    assert_int_equal(zones, 1u);
    assert_int_equal(pipeline_end(pipeline), 0);
    pipeline_free(pipeline);
    kymo_init(NULL, "");
}
