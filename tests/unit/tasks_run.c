#include "tasks_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "trace.h"

#define STREAM_BYTES (4u * 1024u * 1024u)

KYMO_SITE_DEFINE_GLOBAL(work, KYMO_SITE_ZONE, "work", 0u, 0u, NULL);
const struct kymo_site *const tasks_work = &work;

static uint8_t stream[STREAM_BYTES];
static size_t stream_bytes;
uint64_t emitted;

struct tasks_seen seen;

static size_t take(void *context, const uint8_t *bytes, size_t length) {
    (void)context;
    assert_true(stream_bytes + length <= STREAM_BYTES);
    memcpy(stream + stream_bytes, bytes, length);
    stream_bytes += length;
    return length;
}

static const struct kymo_transport transport = {.write = take};

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
    assert_int_equal(pipeline_feed(p, stream, stream_bytes), 0);
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
    stream_bytes = 0;
    emitted = 0;
    kymo_init(&transport, "tasks");
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
