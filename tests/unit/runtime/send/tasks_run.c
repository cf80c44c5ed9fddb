/* SPDX-License-Identifier: MIT */
#include "tasks_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "kept.h"
#include "trace.h"

KYMO_SITE_DEFINE_GLOBAL(work, KYMO_SITE_ZONE, "work", 0u, 0u, NULL);
const struct kymo_site *const tasks_work = &work;

uint64_t emitted;

struct tasks_seen seen;

void drain(void) {
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

void read_back(void) {
    const struct pipeline_callbacks callbacks = {.event = on_event};
    kymo_finish();
    while (kymo_pending()) {
        (void)kymo_drain(0);
    }
    struct pipeline *p = pipeline_new(&callbacks, NULL);
    assert_non_null(p);
    assert_int_equal(pipeline_feed(p, kept.bytes, kept.length), 0);
    assert_int_equal(pipeline_end(p), 0);
    struct pipeline_totals totals;
    pipeline_totals(p, &totals);
    assert_int_equal(totals.delivered + totals.lost_ring, emitted);
    seen.lost = totals.lost_ring;
    pipeline_free(p);
}

int set_up(void **state) {
    (void)state;
    fake_reset();
    trace_power_up();
    memset(&seen, 0, sizeof seen);
    kept.length = 0;
    emitted = 0;
    kymo_init(&kept_transport, "tasks");
    drain();
    return 0;
}

void switch_to(uintptr_t lane, kymo_context context) {
    fake.lane = lane;
    (void)kymo_context_switch(context);
    emitted++;
}

void begin(void) {
    assert_non_null(kymo_zone_begin(tasks_work));
    emitted++;
}

void end_context(uintptr_t lane, kymo_context context) {
    fake.lane = lane;
    kymo_context_end(context);
    emitted++;
}
