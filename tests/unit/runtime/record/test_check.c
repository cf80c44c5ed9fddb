/* SPDX-License-Identifier: MIT */
/* KYMO_CHECK: each usage error is found in the call that makes it, with the zone's site, and right use is silent. */
#include <string.h>

#include "cases.h"
#include "kymo_arch.h"
#include "player.h"
#include "ring/lane.h"
#include "trace.h"

#define TASK ((kymo_context)0x20001000u)
#define OTHER_TASK ((kymo_context)0x20002000u)

KYMO_CONTEXT(timer, "timer", KYMO_CONTEXT_INTERRUPT);
KYMO_CONTEXT(radio, "radio", KYMO_CONTEXT_INTERRUPT);
KYMO_SITE_DEFINE_GLOBAL(outer_site, KYMO_SITE_ZONE, "outer", 0u, 0u, NULL);
KYMO_SITE_DEFINE_GLOBAL(inner_site, KYMO_SITE_ZONE, "inner", 0u, 0u, NULL);

static struct trace trace;
static uint64_t random_state;
static struct {
    uint32_t count;
    enum kymo_usage what;
    const struct kymo_site *site;
} failed;

void kymo_check_failed(enum kymo_usage what, const struct kymo_site *site) {
    failed.count++;
    failed.what = what;
    failed.site = site;
}

FIXTURE(set_up) {
    fake_reset();
    trace_power_up();
    trace_init(&trace);
    random_state = 0x9e3779b97f4a7c15u;
    kymo_init(&trace.transport, "check");
    failed.count = 0u;
    return 0;
}

FIXTURE(tear_down) {
    fake.lane = 0u;
    (void)trace_finish(&trace);
    return 0;
}

/* Since the last look. */
static void expect(enum kymo_usage what, const struct kymo_site *site) {
    assert_int_equal(failed.count, 1u);
    assert_int_equal(failed.what, what);
    assert_ptr_equal(failed.site, site);
    failed.count = 0u;
}

static void expect_usage(uint64_t bits) {
    (void)trace_finish(&trace);
    assert_int_equal(trace.usage, bits);
}

CASE(crossing_zones, set_up, tear_down) {
    for (uint32_t i = 0u; i < 100u; i++) {
        const kymo_zone outer = kymo_zone_begin(&outer_site);
        const kymo_zone inner = kymo_zone_begin(&inner_site);
        assert_int_equal(failed.count, 0u);
        kymo_zone_end(outer);
        expect(KYMO_USAGE_CROSSED, &outer_site);
        kymo_zone_end(inner); /* once is enough */
        trace_drain(&trace);
    }
    assert_int_equal(failed.count, 0u);
    expect_usage(1u << KYMO_USAGE_CROSSED);
}

/* More often than the table has places. */
CASE(a_missing_end, set_up, tear_down) {
    for (uint32_t i = 0u; i < 100u; i++) {
        const kymo_zone outer = kymo_zone_begin(&outer_site);
        (void)kymo_zone_begin(&inner_site);
        (void)kymo_zone_begin(&inner_site);
        kymo_zone_end(outer);
        expect(KYMO_USAGE_CROSSED, &outer_site);
        kymo_context_end(TASK); /* of none */
        if (i % 4u == 3u) {
            (void)set_up(state); /* each missing end keeps its room in the ring */
        }
    }
}

CASE(a_second_end, set_up, tear_down) {
    const kymo_zone outer = kymo_zone_begin(&outer_site);
    const kymo_zone inner = kymo_zone_begin(&inner_site);
    kymo_zone_end(inner);
    kymo_zone_end(inner);
    expect(KYMO_USAGE_UNPROMISED, &inner_site);
    const kymo_zone again = kymo_zone_begin(&inner_site);
    kymo_zone_end(inner); /* not the one that is open now */
    expect(KYMO_USAGE_UNPROMISED, &inner_site);
    kymo_zone_end(again);
    kymo_zone_end(outer);
    for (uint32_t i = 0u; i < KYMO_CHECK; i++) {
        kymo_zone_end(kymo_zone_begin(&outer_site));
        trace_drain(&trace);
    }
    kymo_zone_end(inner); /* its place had another zone since */
    expect(KYMO_USAGE_UNPROMISED, NULL);
    expect_usage(1u << KYMO_USAGE_UNPROMISED);
}

CASE(an_end_without_a_begin, set_up, tear_down) {
    kymo_zone_end((kymo_zone)(uintptr_t)&trace);
    expect(KYMO_USAGE_UNPROMISED, NULL);
    kymo_zone_end((kymo_zone)(uintptr_t)0xffffffffu);
    expect(KYMO_USAGE_UNPROMISED, NULL);
    /* A zone of the lane that has no ring, where no zone begins. */
    kymo_zone_end((kymo_zone)(uintptr_t)(0x80000000u | KYMO_LANES << 8));
    expect(KYMO_USAGE_UNPROMISED, NULL);
    kymo_zone_end(NULL); /* one that was refused */
    assert_int_equal(failed.count, 0u);
    assert_null(kymo_zone_begin(NULL));
    expect(KYMO_USAGE_NO_SITE, NULL);
    (void)kymo_context_switch(TASK + 4u);
    expect(KYMO_USAGE_CONTEXT, NULL);
}

CASE(an_end_in_another_context, set_up, tear_down) {
    (void)kymo_context_switch(TASK);
    const kymo_zone outer = kymo_zone_begin(&outer_site);
    (void)kymo_context_switch(OTHER_TASK);
    kymo_zone_end(outer);
    expect(KYMO_USAGE_CROSSED, &outer_site);
    expect_usage(1u << KYMO_USAGE_CROSSED);
}

CASE(a_text_for_an_outer_zone, set_up, tear_down) {
    const kymo_zone outer = kymo_zone_begin(&outer_site);
    kymo_zone_text(outer, "text", 4u);
    const kymo_zone inner = kymo_zone_begin(&inner_site);
    kymo_zone_value(inner, 1u);
    assert_int_equal(failed.count, 0u);
    kymo_zone_value(outer, 1u);
    expect(KYMO_USAGE_CROSSED, &outer_site);
    kymo_zone_end(inner);
    kymo_zone_color(inner, 1u);
    expect(KYMO_USAGE_UNPROMISED, &inner_site);
    kymo_zone_name(outer, "name", 4u);
    kymo_zone_end(outer);
    kymo_zone_text(NULL, "text", 4u);
    assert_int_equal(failed.count, 0u);
}

CASE(interrupts_out_of_order, set_up, tear_down) {
    const kymo_context first = kymo_interrupt_enter((kymo_context)&timer);
    const kymo_context second = kymo_interrupt_enter((kymo_context)&radio);
    kymo_interrupt_leave(first);
    expect(KYMO_USAGE_INTERRUPT, &radio);
    kymo_interrupt_leave(second); /* once is enough */
    assert_int_equal(failed.count, 0u);
    (void)kymo_context_switch(0u);
    kymo_interrupt_leave(second);
    expect(KYMO_USAGE_UNPROMISED, NULL);
    (void)kymo_context_switch(0u);
    const kymo_context third = kymo_interrupt_enter((kymo_context)&timer);
    kymo_interrupt_leave(third);
    assert_int_equal(failed.count, 0u);
    kymo_interrupt_leave(third);
    expect(KYMO_USAGE_UNPROMISED, NULL);
    const kymo_context fourth = kymo_interrupt_enter((kymo_context)&timer);
    (void)kymo_context_switch(TASK); /* and not back */
    kymo_interrupt_leave(fourth);
    expect(KYMO_USAGE_INTERRUPT, NULL);
}

/* An interrupt that is never left is passed over by the next one out, and later events are right again. */
CASE(an_interrupt_that_is_not_left, set_up, tear_down) {
    for (uint32_t i = 0u; i < 10u; i++) {
        const kymo_context outer = kymo_interrupt_enter((kymo_context)&timer);
        (void)kymo_interrupt_enter((kymo_context)&radio);
        kymo_interrupt_leave(outer);
        expect(KYMO_USAGE_INTERRUPT, &radio);
        kymo_interrupt_leave(kymo_interrupt_enter((kymo_context)&timer));
        assert_int_equal(failed.count, 0u);
        trace_drain(&trace);
    }
}

/* ---- hostlink's side ---- */

static struct {
    char text[16];
    uint32_t count, named;
} said;

static void note(void *user, uint32_t lane, uint32_t context, const struct wire_event *event) {
    const size_t length = strlen(said.text);
    (void)user, (void)lane, (void)context;
    if (KYMO_KIND_IS_COUNTED(event->kind) && length + 1u < sizeof said.text) {
        said.text[length] = event->kind == KYMO_KIND_ZONE_BEGIN ? '('
                            : event->kind == KYMO_KIND_ZONE_END ? ')'
                            : event->kind == KYMO_KIND_MESSAGE  ? '!'
                                                                : '?';
    }
    if (event->kind == KYMO_KIND_MESSAGE) {
        said.count++;
        said.named = event->words != 0u ? event->word[0] : UINT32_MAX;
    }
}

/* The second end and the zone without a site are left out, and a message names the zone where that happened. */
CASE(what_is_wrong_is_left_out_and_said, set_up, tear_down) {
    memset(&said, 0, sizeof said);
    trace.event = note;
    const kymo_zone outer = kymo_zone_begin(&outer_site);
    const kymo_zone inner = kymo_zone_begin(&inner_site);
    kymo_zone_end(inner);
    kymo_zone_end(inner);
    kymo_zone_end(outer);
    (void)kymo_zone_begin(NULL);
    assert_int_equal(trace_finish(&trace), 0u);
    assert_string_equal(said.text, "(()!)!");
    assert_int_equal(said.count, 2u);
    assert_int_equal(trace.usage, 1u << KYMO_USAGE_UNPROMISED | 1u << KYMO_USAGE_NO_SITE);
}

CASE(a_message_names_the_zone, set_up, tear_down) {
    memset(&said, 0, sizeof said);
    trace.event = note;
    const kymo_zone outer = kymo_zone_begin(&outer_site);
    (void)kymo_zone_begin(&inner_site);
    kymo_zone_end(outer);
    assert_int_equal(trace_finish(&trace), 0u);
    assert_string_equal(said.text, "((!)");
    assert_int_equal(said.named, (uint32_t)(&outer_site - __start_kymo_sites));
}

CASE(a_zone_that_a_handler_leaves_open, set_up, tear_down) {
    const kymo_zone outer = kymo_zone_begin(&outer_site);
    const kymo_context before = kymo_interrupt_enter((kymo_context)&timer);
    (void)kymo_zone_begin(&inner_site);
    kymo_interrupt_leave(before);
    expect(KYMO_USAGE_CROSSED, &inner_site);
    kymo_zone_end(outer);
    assert_int_equal(failed.count, 0u);
}

CASE(too_many_open_zones, set_up, tear_down) {
    static kymo_zone open[KYMO_CHECK + 2u];
    for (uint32_t i = 0u; i < KYMO_CHECK; i++) {
        open[i] = kymo_zone_begin(&outer_site);
        assert_non_null(open[i]);
    }
    assert_int_equal(failed.count, 0u);
    for (uint32_t i = KYMO_CHECK; i < KYMO_CHECK + 2u; i++) {
        open[i] = kymo_zone_begin(&inner_site);
        expect(KYMO_USAGE_OPEN, &inner_site);
        kymo_zone_value(open[i], 1u);
    }
    for (uint32_t i = KYMO_CHECK + 2u; i-- > 0u;) {
        kymo_zone_end(open[i]);
    }
    assert_int_equal(failed.count, 0u);
    expect_usage(1u << KYMO_USAGE_OPEN);
}

CASE(a_task_that_is_deleted, set_up, tear_down) {
    for (uint32_t i = 0u; i < 3u * KYMO_CHECK; i++) {
        (void)kymo_context_switch(TASK);
        (void)kymo_zone_begin(&outer_site);
        (void)kymo_context_switch(0u);
        kymo_context_end(TASK);
        if (i % 8u == 7u) {
            (void)set_up(state);
        }
    }
    assert_int_equal(failed.count, 0u);
}

static void move(kymo_context task) {
    (void)kymo_context_switch(task);
    const kymo_zone outer = kymo_zone_begin(&outer_site);
    (void)kymo_context_switch(0u);
    const kymo_zone main = kymo_zone_begin(&outer_site);
    fake.lane = 1u;
    (void)kymo_context_switch(task);
    const kymo_zone inner = kymo_zone_begin(&inner_site);
    kymo_zone_end(inner);
    const kymo_zone crossed = kymo_zone_begin(&inner_site);
    assert_int_equal(failed.count, 0u);
    kymo_zone_end(outer); /* also over two lanes */
    expect(KYMO_USAGE_CROSSED, &outer_site);
    kymo_zone_end(crossed);
    (void)kymo_context_switch(0u);
    const kymo_zone other_main = kymo_zone_begin(&outer_site);
    fake.lane = 0u;
    kymo_zone_end(main); /* another row than that of the other lane */
    fake.lane = 1u;
    kymo_zone_end(other_main);
    assert_int_equal(failed.count, 0u);
}

CASE(a_task_that_moves, set_up, tear_down) { move(TASK); }

/* A board has its sites in read-only memory, often below the objects of its tasks. */
CASE(a_task_behind_the_sites, set_up, tear_down) {
    const uintptr_t behind = (uintptr_t)__stop_kymo_sites + 4096u;
    move((kymo_context)(behind & ~(uintptr_t)4095u));
}

/* ---- right use, at random: tasks on lanes, interrupts, full rings ---- */

#define TASKS 4u
#define DEPTH 2u

static struct {
    uint32_t depth;
    kymo_zone open[DEPTH];
} tasks[TASKS];

static uint32_t below(uint32_t limit) { return player_random(&random_state) % limit; }

static void interrupted(uint32_t nested) {
    const kymo_context before =
        kymo_interrupt_enter((kymo_context)(nested == 0u ? &timer : &radio));
    const kymo_zone open = kymo_zone_begin(&inner_site);
    if (nested == 0u && below(2u) == 0u) {
        interrupted(1u);
    }
    kymo_zone_value(open, nested);
    kymo_zone_end(open);
    kymo_interrupt_leave(before);
}

static void handler(void) { interrupted(0u); }

static void step(uint32_t task) {
    if (tasks[task].depth < DEPTH && below(2u) == 0u) {
        tasks[task].open[tasks[task].depth++] = kymo_zone_begin(&outer_site);
    } else if (tasks[task].depth > 0u) {
        kymo_zone_end(tasks[task].open[--tasks[task].depth]);
    }
    if (below(3u) == 0u) {
        fake_interrupt();
    }
}

CASE(right_use_is_silent, set_up, tear_down) {
    fake.interrupt = handler;
    for (uint32_t i = 0u; i < TASKS; i++) {
        tasks[i].depth = 0u;
    }
    for (uint32_t i = 0u; i < 100000u; i++) {
        const uint32_t task = below(TASKS);
        fake.lane = below(KYMO_LANES);
        (void)kymo_context_switch(TASK + 64u * task);
        step(task);
        step(task);
        if (below(20u) == 0u) {
            (void)kymo_drain(below(300u) + 1u);
        }
    }
    assert_int_equal(failed.count, 0u);
    for (uint32_t i = 0u; i < KYMO_USAGES; i++) {
        assert_false(kymo_usage_seen[i]);
    }
}
