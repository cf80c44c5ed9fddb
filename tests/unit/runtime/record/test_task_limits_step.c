/* SPDX-License-Identifier: MIT */
/* A check of limits (kymo/limits.h) in an interrupt that comes at each instruction of a kernel's hook: times that the
 * hook has half changed are no reason to call back, and are right at the next check. */
#include "cases.h"
#include "kymo/limits.h"
#include "kymo/tasks.h"
#include "kymo_arch.h"
#include "preempt.h"
#include "preempt_each.h"

#define HZ 1000000u

static const struct kymo_task_limits half = {
    .name = "half", .load_percent = 50u, .window_us = 10000u};
static uint32_t told_count, told_percent;

static void on_passed(const struct kymo_task_limits *limits, enum kymo_limit limit,
                      uint32_t percent) {
    assert_ptr_equal(limits, &half);
    assert_int_equal(limit, KYMO_LIMIT_LOAD);
    told_count++;
    told_percent = percent;
}

static kymo_context of(uint32_t number) { return kymo_task_numbered(number); }

/* The task runs for 40 % of the window up to the switch, and 100 % of the next. */
static void begin(void) {
    fake.clock_hz = HZ;
    kymo_task_ends(of(1u));
    kymo_task_in(of(2u));
    assert_true(kymo_task_limit(of(1u), &half));
    fake.clock += 6000u;
    kymo_task_in(of(1u));
    fake.clock += 4000u;
    told_count = 0u;
}

static void switch_away(void) { kymo_task_in(of(2u)); }
static void look(void) { kymo_task_limits_check(on_passed); }

static void check(bool has_room) {
    (void)has_room;
    look();
    assert_int_equal(told_count, 0u);
    kymo_task_in(of(1u));
    fake.clock += 20000u;
    look();
    assert_int_equal(told_count, 1u);
    assert_in_range(told_percent, 90u, 100u);
}

CASE(a_check_preempts_a_switch) {
    static const struct preempted_call test = {begin, switch_away, look, check};
    preempt_each_with_room(&test);
}

CASES_BETWEEN(preempt_set_up, NULL);
