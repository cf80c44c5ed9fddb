/* SPDX-License-Identifier: MIT */
/* Values of plots, from the macro to the events of the outputs. */
#include "cases.h"
#include "kymo/kymo.h"
#include "kymo_arch.h"
#include "trace.h"
#include "trace/pipeline.h"

static struct pipeline *pipeline;
static struct event seen[16];
static size_t count;

static int on_event(void *context, const struct event *event) {
    (void)context;
    if (event->kind == EVENT_PLOT_INT) {
        assert_true(count < sizeof seen / sizeof seen[0]);
        seen[count++] = *event;
    }
    return 0;
}

static size_t take(void *context, const uint8_t *bytes, size_t length) {
    (void)context;
    assert_int_equal(pipeline_feed(pipeline, bytes, length), 0);
    return length;
}

static const struct kymo_transport transport = {.write = take};

CASE(integers_have_their_sign) {
    const struct pipeline_callbacks callbacks = {.event = on_event};
    fake_reset();
    trace_power_up();
    pipeline = pipeline_new(&callbacks, NULL);
    assert_non_null(pipeline);
    kymo_init(&transport, "plots");
    KYMO_PLOT("unsigned", UINT64_MAX);
    KYMO_PLOT("unsigned", UINT64_C(1) << 63);
    KYMO_PLOT("unsigned", (uint64_t)INT64_MAX);
    KYMO_PLOT("size", sizeof count);
    KYMO_PLOT("signed", INT64_C(-1));
    KYMO_PLOT("32 bits", UINT32_MAX);
    kymo_finish();
    while (kymo_pending()) {
        (void)kymo_drain(0);
    }
    assert_int_equal(pipeline_end(pipeline), 0);
    assert_int_equal(count, 6);
    assert_int_equal(seen[0].u.plot.type, PLOT_DOUBLE);
    assert_true(seen[0].u.plot.real > 1.8446744e19 && seen[0].u.plot.real < 1.8446745e19);
    assert_int_equal(seen[1].u.plot.type, PLOT_DOUBLE);
    assert_true(seen[1].u.plot.real > 9.2233720e18 && seen[1].u.plot.real < 9.2233721e18);
    assert_int_equal(seen[2].u.plot.type, PLOT_INT);
    assert_true(seen[2].u.plot.integer == INT64_MAX);
    assert_true(seen[3].u.plot.integer == (int64_t)sizeof count);
    assert_int_equal(seen[4].u.plot.type, PLOT_INT);
    assert_true(seen[4].u.plot.integer == -1);
    assert_true(seen[5].u.plot.integer == UINT32_MAX);
    pipeline_free(pipeline);
}
