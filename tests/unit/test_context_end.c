/* Tasks that are deleted with open zones, one after the other at the same address: their zones are closed, each in a
 * row of its own, and the room that was promised to their ends is free again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "contexts.h"
#include "kymo/kymo.h"
#include "kymo_arch.h"
#include "trace.h"
#include "trace/pipeline.h"

#define TASKS 10000u
#define TASK ((kymo_context)0x20001000u)
#define OTHER_TASK ((kymo_context)0x20002000u)
#define STREAM_BYTES (4u * 1024u * 1024u)

KYMO_SITE_DEFINE_GLOBAL(work, KYMO_SITE_ZONE, "work", 0u, 0u, NULL);
KYMO_SITE_DEFINE_GLOBAL(frame, KYMO_SITE_FRAME, "frame", 0u, 0u, NULL);

static uint8_t stream[STREAM_BYTES];
static size_t stream_bytes;
static uint64_t emitted;

static struct {
    uint64_t ended[ZONE_REPAIRS], frames, lost;
    uint32_t last_row;
    uint64_t rows; /* in which a task's end closed zones */
} seen;

static size_t take(void *context, const uint8_t *bytes, size_t length) {
    (void)context;
    assert_true(stream_bytes + length <= STREAM_BYTES);
    memcpy(stream + stream_bytes, bytes, length);
    stream_bytes += length;
    return length;
}

static const struct kymo_transport transport = {.write = take};

static void drain(void) {
    while (kymo_drain(0) > 0) {}
}

static int on_event(void *context, const struct event *event) {
    (void)context;
    if (event->kind == EVENT_ZONE_END) {
        seen.ended[event->u.zone.repaired]++;
        if (event->u.zone.repaired == ZONE_END_TASK && event->track->id != seen.last_row) {
            seen.rows++;
            seen.last_row = event->track->id;
        }
    } else if (event->kind == EVENT_GAP) {
        seen.lost += event->u.gap.lost;
    }
    seen.frames += event->kind == EVENT_FRAME ? 1u : 0u;
    return 0;
}

static void read_back(void) {
    const struct pipeline_callbacks callbacks = {.event = on_event};
    kymo_finish();
    while (kymo_pending()) {
        (void)kymo_drain(0);
    }
    struct pipeline *p = pipeline_new(&callbacks, NULL);
    assert_non_null(p);
    assert_int_equal(pipeline_feed(p, stream, stream_bytes), 0);
    assert_int_equal(pipeline_end(p), 0);
    struct pipeline_totals totals;
    pipeline_totals(p, &totals);
    assert_int_equal(totals.delivered + totals.lost_ring, emitted);
    seen.lost = totals.lost_ring;
    pipeline_free(p);
}

static int set_up(void **state) {
    (void)state;
    fake_reset();
    trace_power_up();
    memset(&seen, 0, sizeof seen);
    stream_bytes = 0;
    emitted = 0;
    kymo_init(&transport, "tasks");
    drain();
    return 0;
}

static void switch_to(uintptr_t lane, kymo_context context) {
    fake.lane = lane;
    (void)kymo_context_switch(context);
    emitted++;
}

static void begin(void) {
    assert_non_null(kymo_zone_begin(&work));
    emitted++;
}

static void end_context(uintptr_t lane, kymo_context context) {
    fake.lane = lane;
    kymo_context_end(context);
    emitted++;
}

static void many_tasks_at_one_address(void **state) {
    (void)state;
    for (uint32_t i = 0u; i < TASKS; i++) {
        switch_to(0u, TASK);
        begin();
        switch_to(0u, 0u);
        end_context(0u, TASK);
        drain();
    }
    kymo_frame(&frame);
    emitted++;
    read_back();
    assert_int_equal(seen.lost, 0u);
    assert_int_equal(seen.frames, 1u);
    assert_int_equal(seen.ended[ZONE_END_TASK], TASKS);
    assert_int_equal(seen.rows, TASKS);
}

/* What others have promised stays: their zones end as ever. */
static void zones_of_others_stay(void **state) {
    kymo_zone open[8];
    (void)state;
    switch_to(0u, OTHER_TASK);
    for (uint32_t i = 0u; i < 8u; i++) {
        open[i] = kymo_zone_begin(&work);
        emitted++;
    }
    for (uint32_t i = 0u; i < 1000u; i++) {
        switch_to(0u, TASK);
        begin();
        begin();
        switch_to(0u, OTHER_TASK);
        end_context(0u, TASK);
        drain();
    }
    for (uint32_t i = 8u; i-- > 0u;) {
        kymo_zone_end(open[i]);
        emitted++;
    }
    read_back();
    assert_int_equal(seen.lost, 0u);
    assert_int_equal(seen.ended[ZONE_END_TASK], 2000u);
    assert_int_equal(seen.ended[ZONE_ENDED], 8u);
    assert_int_equal(kymo_lanes[0].usage, 0u);
}

#if KYMO_LANES > 1

/* The task ran on one core and is deleted by another; both lanes have unread events. */
static void deleted_by_another_core(void **state) {
    (void)state;
    for (uint32_t i = 0u; i < TASKS; i++) {
        switch_to(1u, TASK);
        begin();
        switch_to(1u, 0u);
        end_context(0u, TASK);
        if (i % 3u == 2u) {
            drain();
        }
    }
    read_back();
    assert_int_equal(seen.lost, 0u);
    assert_int_equal(seen.ended[ZONE_END_TASK], TASKS);
}

/* Each has a number of its own, so no later end makes good for one that is read before its task's zones are. */
static void deleted_before_its_zones_are_read(void **state) {
    (void)state;
    for (uint32_t i = 0u; i < TASKS; i++) {
        const kymo_context task = TASK + i * 64u;
        switch_to(1u, task);
        begin();
        switch_to(1u, 0u);
        end_context(0u, task);
        if (i % 3u == 2u) {
            drain();
        }
    }
    read_back();
    assert_int_equal(seen.lost, 0u);
    assert_int_equal(seen.ended[ZONE_END_TASK], TASKS);
    assert_int_equal(kymo_contexts_usage(), 0u);
}

/* It moves in its zones: what it began on one core it ends on the other, but for one zone. */
static void deleted_after_it_moved(void **state) {
    (void)state;
    for (uint32_t i = 0u; i < TASKS; i++) {
        switch_to(1u, TASK);
        begin();
        const kymo_zone moved = kymo_zone_begin(&work);
        emitted++;
        switch_to(1u, 0u);
        switch_to(2u, TASK);
        kymo_zone_end(moved);
        emitted++;
        switch_to(2u, 0u);
        end_context(2u, TASK);
        drain();
    }
    read_back();
    assert_int_equal(seen.lost, 0u);
    assert_int_equal(seen.ended[ZONE_END_TASK], TASKS);
    assert_int_equal(seen.ended[ZONE_ENDED], TASKS);
}

#endif

/* More contexts than are counted: what leaks is said. */
static void too_many_contexts(void **state) {
    (void)state;
    for (uint32_t i = 0u; i <= KYMO_CONTEXTS; i++) {
        switch_to(0u, TASK + i * 64u);
        begin();
        drain();
    }
    assert_int_equal(kymo_contexts_usage(), 0u);
    for (uint32_t i = 0u; i <= KYMO_CONTEXTS; i++) {
        end_context(0u, TASK + i * 64u);
        drain();
    }
    assert_int_equal(kymo_contexts_usage(), 1u << KYMO_USAGE_CONTEXTS);
    read_back();
    assert_int_equal(seen.ended[ZONE_END_TASK], KYMO_CONTEXTS + 1u);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(many_tasks_at_one_address, set_up),
        cmocka_unit_test_setup(zones_of_others_stay, set_up),
#if KYMO_LANES > 1
        cmocka_unit_test_setup(deleted_by_another_core, set_up),
        cmocka_unit_test_setup(deleted_before_its_zones_are_read, set_up),
        cmocka_unit_test_setup(deleted_after_it_moved, set_up),
#endif
        cmocka_unit_test_setup(too_many_contexts, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
