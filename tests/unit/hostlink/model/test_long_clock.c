/* SPDX-License-Identifier: MIT */
/* A right firmware that loses nothing, over hundreds of spans of the clock: tasks, interrupts and zones around each
 * span's end, which come out of hostlink as they were, in their rows, at their times, with nothing repaired. */
#include <string.h>

#include "cases.h"
#include "kymo/kymo.h"
#include "kymo_arch.h"
#include "ring/ring.h"
#include "trace.h"
#include "trace/pipeline.h"

#define LANES 2u
#define TASKS 3u
#define DEPTH_MAX 4u
#define SPANS 300u
#define CALLS 16u  /* about the end of each span */
#define PLACES 48u /* ticks before the end of a span at which they begin, at most */
#define WAITING 4096u

KYMO_SITE_DEFINE_GLOBAL(work, KYMO_SITE_ZONE, "work", 0u, 0u, NULL);
KYMO_SITE_DEFINE_GLOBAL(frame, KYMO_SITE_FRAME, "frame", 0u, 0u, NULL);
KYMO_CONTEXT(timer, "timer", KYMO_CONTEXT_INTERRUPT);

/* Rows: the main code of each lane, the interrupt on each lane, the tasks. */
#define TIMER_ROW LANES
#define TASK_ROW (2u * LANES)
#define ROWS (TASK_ROW + TASKS)

/* Ticks before a call and after it. */
struct window {
    uint64_t from, to;
};

static struct row {
    uint32_t depth;
    kymo_zone zone[DEPTH_MAX];
    struct window begun[DEPTH_MAX];
    uint32_t written, read; /* zones that have ended, and those of them that arrived */
    struct ended {
        struct window begin, end;
    } ended[WAITING];
} rows[ROWS];

static struct on_lane {
    uint32_t row;
    bool interrupted;
    uint32_t before_row;
    kymo_context before;
} lanes[LANES];

static struct pipeline *pipeline;
static uint32_t seed;

static uint32_t below(uint32_t limit) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % limit;
}

/* ---- arrived events ---- */

static uint32_t row_of(const struct track *track) {
    static const char *const names[] = {"task 0", "task 1", "task 2"};
    for (uint32_t i = 0u; i < TASKS; i++) {
        if (strcmp(track->name, names[i]) == 0) {
            return TASK_ROW + i;
        }
    }
    assert_true(track->core < LANES);
    return strncmp(track->name, "timer", 5u) == 0 ? TIMER_ROW + track->core : track->core;
}

static int on_event(void *context, const struct event *event) {
    (void)context;
    assert_int_not_equal(event->kind, EVENT_GAP);
    assert_int_not_equal(event->kind, EVENT_REPAIR);
    if (event->kind == EVENT_ZONE_END) {
        struct row *row = &rows[row_of(event->track)];
        assert_int_equal(event->u.zone.repaired, ZONE_ENDED);
        assert_int_not_equal(row->read, row->written);
        const struct ended *ended = &row->ended[row->read++ % WAITING];
        const uint64_t ticks = (uint64_t)(event->time_ns - event->u.zone.start_ns);
        assert_in_range(ticks, ended->end.from - ended->begin.to,
                        ended->end.to - ended->begin.from);
    }
    return 0;
}

static size_t take(void *context, const uint8_t *bytes, size_t length) {
    (void)context;
    assert_int_equal(pipeline_feed(pipeline, bytes, length), 0);
    return length;
}

static const struct kymo_transport transport = {.write = take};

static void drain(void) {
    while (kymo_drain(0)) {}
}

/* ---- the firmware's part ---- */

static struct on_lane *here(void) { return &lanes[fake.lane]; }

static void begin(struct row *row) {
    const uint64_t from = fake.clock;
    row->zone[row->depth] = kymo_zone_begin(&work);
    row->begun[row->depth] = (struct window){from, fake.clock};
    assert_non_null(row->zone[row->depth++]);
}

static void end(struct row *row) {
    const uint64_t from = fake.clock;
    kymo_zone_end(row->zone[--row->depth]);
    assert_true(row->written - row->read < WAITING);
    row->ended[row->written++ % WAITING] =
        (struct ended){row->begun[row->depth], {from, fake.clock}};
}

static kymo_context task(uint32_t row) {
    return row >= TASK_ROW ? (kymo_context)(0x20001000u + 0x100u * row) : 0u;
}

/* To another task, which no lane runs, or to the lane's main code. */
static void switch_task(void) {
    const uint32_t row = below(2u) == 0u ? (uint32_t)fake.lane : TASK_ROW + below(TASKS);
    for (uint32_t i = 0u; i < LANES; i++) {
        if (lanes[i].row == row || (lanes[i].interrupted && lanes[i].before_row == row)) {
            return;
        }
    }
    here()->row = row;
    (void)kymo_context_switch(task(row));
}

static void enter(void) {
    here()->before_row = here()->row;
    here()->interrupted = true;
    here()->row = TIMER_ROW + (uint32_t)fake.lane;
    here()->before = kymo_interrupt_enter((kymo_context)&timer);
}

static void leave(void) {
    struct row *row = &rows[here()->row];
    while (row->depth != 0u) {
        end(row);
    }
    here()->row = here()->before_row;
    here()->interrupted = false;
    kymo_interrupt_leave(here()->before);
}

static void call(void) {
    struct row *row = &rows[here()->row];
    switch (below(12u)) {
    case 0u:
    case 1u:
    case 2u:
        if (!here()->interrupted) {
            switch_task();
        }
        return;
    case 3u:
    case 4u:
    case 5u:
        if (row->depth < DEPTH_MAX) {
            begin(row);
        }
        return;
    case 6u:
    case 7u:
    case 8u:
        if (row->depth != 0u) {
            end(row);
        }
        return;
    case 9u:
        if (here()->interrupted) {
            leave();
        } else {
            enter();
        }
        return;
    case 10u:
        fake.lane ^= 1u;
        return;
    default:
        if (below(2u) == 0u) {
            kymo_frame(&frame);
        } else {
            kymo_clock_keepalive();
        }
        return;
    }
}

/* ---- the clock ---- */

/* On to just before the end of the lane's span, or where that is over already, some way. */
static void pass_span(uint32_t ticks_before) {
    const kymo_clock_t left = kymo_lanes[fake.lane].limit - (kymo_clock_t)fake.clock;
    if (left <= KYMO_CLOCK_SPAN && left > PLACES) {
        fake.clock += left - ticks_before;
    } else {
        fake.clock += KYMO_CLOCK_SPAN / 3u;
    }
}

/* Longer than its low 32 bits say, by steps that a clock of 32 bits may be left alone for. */
static void pass_wrap(void) {
    for (uint32_t i = 0u; i < 9u; i++) {
        fake.clock += 0x20000000u;
        drain();
    }
}

static int set_up(void **state) {
    const struct pipeline_callbacks callbacks = {.event = on_event};
    (void)state;
    trace_power_up();
    fake_reset();
    fake.clock_hz = 1000000000u; /* a tick is a nanosecond */
    memset(rows, 0, sizeof rows);
    for (uint32_t i = 0u; i < LANES; i++) {
        lanes[i] = (struct on_lane){.row = i};
    }
    pipeline = pipeline_new(&callbacks, NULL);
    assert_non_null(pipeline);
    kymo_init(&transport, "long clock");
    kymo_context_name(task(TASK_ROW), KYMO_CONTEXT_TASK, "task 0");
    kymo_context_name(task(TASK_ROW + 1u), KYMO_CONTEXT_TASK, "task 1");
    kymo_context_name(task(TASK_ROW + 2u), KYMO_CONTEXT_TASK, "task 2");
    drain();
    return 0;
}

static void finish(void) {
    struct pipeline_totals totals;
    kymo_finish();
    while (kymo_drain(0) || kymo_pending()) {}
    assert_int_equal(pipeline_end(pipeline), 0);
    pipeline_totals(pipeline, &totals);
    pipeline_free(pipeline);
    assert_true(totals.final);
    assert_int_equal(totals.lost, 0u);
    assert_int_equal(totals.repairs, 0u);
    for (uint32_t i = 0u; i < ROWS; i++) {
        assert_int_equal(rows[i].read, rows[i].written);
    }
}

/* All zones, in any row and on any lane. */
static void end_all(void) {
    for (fake.lane = 0u; fake.lane < LANES; fake.lane++) {
        if (here()->interrupted) {
            leave();
        }
        (void)kymo_context_switch(0u);
        here()->row = (uint32_t)fake.lane;
        while (rows[fake.lane].depth != 0u) {
            end(&rows[fake.lane]);
        }
    }
    fake.lane = 0u;
    for (uint32_t i = TASK_ROW; i < ROWS; i++) {
        (void)kymo_context_switch(task(i));
        while (rows[i].depth != 0u) {
            end(&rows[i]);
        }
    }
}

CASE(what_is_right_is_not_repaired, set_up) {
    seed = 1u;
    for (uint32_t i = 0u; i < SPANS; i++) {
        pass_span(i % PLACES);
        for (uint32_t calls = 0u; calls < CALLS; calls++) {
            call();
        }
        drain();
        if (i % 32u == 0u) {
            pass_wrap();
        }
    }
    end_all();
    finish();
}

/* The clock's span is over where a zone has just ended and a task is switched to. */
CASE(a_switch_begins_a_span, set_up) {
    for (uint32_t before = 0u; before < PLACES; before++) {
        (void)kymo_context_switch(task(TASK_ROW));
        here()->row = TASK_ROW;
        begin(&rows[TASK_ROW]);
        (void)kymo_context_switch(task(TASK_ROW + 1u));
        begin(&rows[TASK_ROW + 1u]);
        drain();
        pass_span(before);
        end(&rows[TASK_ROW + 1u]);
        (void)kymo_context_switch(task(TASK_ROW));
        end(&rows[TASK_ROW]);
        drain();
    }
    (void)kymo_context_switch(0u);
    finish();
}
