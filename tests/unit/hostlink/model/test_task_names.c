/* SPDX-License-Identifier: MIT */
/* A task's name that another lane than the task's reports: it moves nothing on the timeline. */
#include "trace/pipeline.h"

#include <string.h>

#include "cases.h"
#include "kymo/kymo.h"
#include "kymo_arch.h"
#include "trace.h"

#define TASK ((kymo_context)0x1000u)
#define ROUNDS 3u
#define ROUND_NS 100000u
#define ZONE_NS 2000u
/* Each look at the clock is a tick of a nanosecond, and a zone takes a few. */
#define LOOKS 16

static struct seen {
    uint64_t zones, wrong_length;
    const struct track *track; /* of the zones */
} seen;
static struct pipeline *pipeline;

static size_t deliver(void *context, const uint8_t *bytes, size_t length) {
    (void)context;
    assert_int_equal(pipeline_feed(pipeline, bytes, length), 0);
    return length;
}

static const struct kymo_transport transport = {.write = deliver};

static int on_event(void *context, const struct event *event) {
    (void)context;
    if (event->kind == EVENT_ZONE_END) {
        const int64_t length_ns = event->time_ns - event->u.zone.start_ns;
        seen.zones++;
        seen.wrong_length += length_ns < (int64_t)ZONE_NS || length_ns > (int64_t)ZONE_NS + LOOKS;
        seen.track = event->track;
    }
    return 0;
}

static void start_up(void) {
    fake.clock = ROUND_NS / 2u;
    fake.lane = 0u;
    KYMO_ZONE("start");
    fake.clock += ZONE_NS;
}

/* Lane 1 runs the task, and only then lane 0 reports its name; but lane 0 is sent first. */
static void run_and_name(uint32_t round, const char *name) {
    fake.clock = (uint64_t)(round + 1u) * ROUND_NS;
    fake.lane = 1u;
    (void)kymo_context_switch(TASK);
    {
        KYMO_ZONE("work");
        fake.clock += ZONE_NS;
    }
    fake.clock += ROUND_NS / 2u;
    fake.lane = 0u;
    kymo_context_name(TASK, KYMO_CONTEXT_TASK, name);
    while (kymo_drain(0u)) {}
}

CASE(a_name_from_another_lane_moves_no_event) {
    const struct pipeline_callbacks callbacks = {.event = on_event};
    struct pipeline_totals totals;
    trace_power_up();
    fake_reset();
    fake.clock_hz = 1000000000u;
    seen = (struct seen){0};
    pipeline = pipeline_new(&callbacks, NULL);
    kymo_init(&transport, "names");
    start_up();
    for (uint32_t round = 0u; round < ROUNDS; round++) {
        run_and_name(round, round + 1u < ROUNDS ? "task" : "renamed");
    }
    kymo_finish();
    while (kymo_pending()) {
        (void)kymo_drain(0u);
    }
    assert_int_equal(pipeline_end(pipeline), 0);
    pipeline_totals(pipeline, &totals);
    assert_int_equal(seen.zones, ROUNDS + 1u);
    assert_int_equal(seen.wrong_length, 0);
    assert_int_equal(totals.repairs, 0);
    assert_string_equal(seen.track->name, "renamed");
    pipeline_free(pipeline);
}
