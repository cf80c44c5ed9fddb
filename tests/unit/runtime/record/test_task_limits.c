/* SPDX-License-Identifier: MIT */
/* Limits of tasks (kymo/limits.h), against a scheduler of the test's own whose times are exact: a tick of the clock is
 * a microsecond, and passes only where the test says so. */
#include "cases.h"
#include "kymo/limits.h"
#include "kymo/tasks.h"
#include "kymo_arch.h"

#define IDLE 9u

/* ---- reports ---- */

static struct told {
    const struct kymo_task_limits *limits;
    enum kymo_limit limit;
    uint32_t value;
} told;
static uint32_t told_count;

static void on_passed(const struct kymo_task_limits *limits, enum kymo_limit limit,
                      uint32_t value) {
    told = (struct told){limits, limit, value};
    told_count++;
}

static void check_tells_nothing(void) {
    told_count = 0u;
    kymo_task_limits_check(on_passed);
    assert_int_equal(told_count, 0u);
}

static void check_tells(const struct kymo_task_limits *limits, enum kymo_limit limit,
                        uint32_t value) {
    told_count = 0u;
    kymo_task_limits_check(on_passed);
    assert_int_equal(told_count, 1u);
    assert_ptr_equal(told.limits, limits);
    assert_int_equal(told.limit, limit);
    assert_int_equal(told.value, value);
}

/* ---- the scheduler ---- */

static kymo_context of(uint32_t number) { return kymo_task_numbered(number); }
static void pass(uint32_t us) { fake.clock += us; }
static void wake(uint32_t number) { kymo_task_ready(of(number), KYMO_WAKER_RUNS); }
static void preempt_by(uint32_t number) {
    kymo_task_out(true, 0u);
    kymo_task_in(of(number));
}
static void wait_for(uint32_t number) {
    kymo_task_why(KYMO_WHY_DELAY, 0u);
    kymo_task_out(false, 0u);
    kymo_task_in(of(number));
}
/* The task wakes up, runs so long after it, for so long, and waits again. */
static void job(uint32_t number, uint32_t late_us, uint32_t runs_us) {
    wake(number);
    pass(late_us);
    preempt_by(number);
    pass(runs_us);
    wait_for(IDLE);
}

FIXTURE(power_up) {
    fake_reset();
    fake.clock_step = 0u;
    fake.clock_hz = 1000000u;
    for (fake.lane = KYMO_LANES; fake.lane-- != 0u;) {
        kymo_task_in(of(IDLE));
    }
    fake.lane = 0u;
    return 0;
}

FIXTURE(end_all) {
    for (uint32_t number = 1u; number < IDLE; number++) {
        kymo_task_ends(of(number));
    }
    return 0;
}

static void set(uint32_t number, const struct kymo_task_limits *limits) {
    assert_true(kymo_task_limit(of(number), limits));
    job(number, 0u, 0u); /* known from here on */
}

static const struct kymo_task_limits quick = {.name = "quick", .ready_us = 200u};
static const struct kymo_task_limits modest = {
    .name = "modest", .load_percent = 50u, .window_us = 1000u};
static const struct kymo_task_limits deep = {.name = "deep", .stack_bytes = 64u};

/* ---- latency ---- */

CASE(a_late_task_is_told_of_once, power_up, end_all) {
    set(1u, &quick);
    job(1u, 200u, 10u);
    check_tells_nothing();
    job(1u, 201u, 10u);
    check_tells(&quick, KYMO_LIMIT_READY, 201u);
    check_tells_nothing();
    job(1u, 300u, 10u);
    job(1u, 250u, 10u);
    check_tells(&quick, KYMO_LIMIT_READY, 300u);
    job(1u, 210u, 10u);
    check_tells(&quick, KYMO_LIMIT_READY, 210u);
}

CASE(one_that_is_still_ready_is_told_of, power_up, end_all) {
    set(1u, &quick);
    wake(1u);
    pass(150u);
    check_tells_nothing();
    pass(350u);
    check_tells(&quick, KYMO_LIMIT_READY, 500u);
    pass(100u);
    check_tells_nothing();
    pass(100u);
    preempt_by(1u);
    check_tells(&quick, KYMO_LIMIT_READY, 700u);
}

/* The time in which a task is suspended makes it not late. */
CASE(one_that_is_suspended_is_not_late, power_up, end_all) {
    set(1u, &quick);
    wake(1u);
    pass(150u);
    kymo_task_suspended(of(1u));
    pass(500u);
    check_tells_nothing();
    wake(1u);
    pass(250u);
    preempt_by(1u);
    check_tells(&quick, KYMO_LIMIT_READY, 250u);
    wake(2u);
    preempt_by(2u);
    kymo_task_suspended(of(1u)); /* while it is ready again */
    wake(1u);
    pass(300u);
    preempt_by(1u);
    check_tells(&quick, KYMO_LIMIT_READY, 300u);
}

/* Kernels also say "ready" of a task that is, or runs: at a change of its priority, for example. */
CASE(only_a_wake_up_counts, power_up, end_all) {
    set(1u, &quick);
    wake(1u);
    pass(100u);
    wake(1u);
    pass(150u);
    preempt_by(1u);
    check_tells(&quick, KYMO_LIMIT_READY, 250u);
    wake(1u);
    pass(500u);
    preempt_by(IDLE);
    wake(1u);
    pass(500u);
    preempt_by(1u);
    check_tells_nothing();
}

CASE(a_time_that_wraps, power_up, end_all) {
    fake.clock = fake.seen = 0xffffff80u;
    set(1u, &quick);
    job(1u, 300u, 10u);
    check_tells(&quick, KYMO_LIMIT_READY, 300u);
}

/* ---- load ---- */

/* A limit of load that comes later measures from the check before it, not from the first limit on. */
CASE(load_is_limited_later, power_up, end_all) {
    set(1u, &quick);
    job(1u, 0u, 100000u);
    check_tells_nothing();
    assert_true(kymo_task_limit(of(1u), &modest));
    job(1u, 0u, 400u);
    pass(600u);
    check_tells_nothing();
    job(1u, 0u, 600u);
    pass(400u);
    check_tells(&modest, KYMO_LIMIT_LOAD, 60u);
}

CASE(load_in_a_window, power_up, end_all) {
    set(1u, &modest);
    job(1u, 0u, 500u);
    pass(499u);
    check_tells_nothing(); /* it is not over */
    pass(1u);
    check_tells_nothing();
    job(1u, 0u, 300u);
    job(1u, 100u, 300u);
    pass(300u);
    check_tells(&modest, KYMO_LIMIT_LOAD, 60u);
    pass(1000u);
    check_tells_nothing();
}

CASE(one_that_never_stops, power_up, end_all) {
    set(1u, &modest);
    wake(1u);
    preempt_by(1u);
    pass(2000u);
    check_tells(&modest, KYMO_LIMIT_LOAD, 100u);
    pass(1000u);
    check_tells(&modest, KYMO_LIMIT_LOAD, 100u);
    pass(500u);
    preempt_by(IDLE);
    pass(700u);
    check_tells_nothing();
}

/* ---- stack ---- */

CASE(a_stack_that_is_nearly_full, power_up, end_all) {
    set(1u, &deep);
    check_tells_nothing();
    kymo_task_stack(of(1u), 64u, 1024u);
    check_tells_nothing();
    kymo_task_stack(of(1u), 60u, 1024u);
    check_tells(&deep, KYMO_LIMIT_STACK, 60u);
    kymo_task_stack(of(1u), 60u, 1024u);
    check_tells_nothing();
    kymo_task_stack(of(1u), 0u, 1024u);
    check_tells(&deep, KYMO_LIMIT_STACK, 0u);
}

/* ---- lives ---- */

CASE(limits_end_with_the_task, power_up, end_all) {
    set(1u, &quick);
    set(2u, &modest);
    set(3u, &deep);
    assert_false(kymo_task_limit(of(4u), &quick));
    job(1u, 300u, 10u);
    kymo_task_ends(of(1u));
    check_tells_nothing();
    assert_true(kymo_task_limit(of(4u), &quick));
    check_tells_nothing(); /* nothing of the life before */
    job(1u, 300u, 10u);
    check_tells_nothing();
    job(4u, 0u, 0u);
    job(4u, 400u, 10u);
    check_tells(&quick, KYMO_LIMIT_READY, 400u);
}

/* It runs on until the switch; its place may have another task by then. */
CASE(a_task_ends_itself, power_up, end_all) {
    set(1u, &modest);
    wake(1u);
    preempt_by(1u);
    pass(100u);
    kymo_task_ends(of(1u));
    assert_true(kymo_task_limit(of(2u), &modest));
    pass(900u);
    wait_for(IDLE);
    pass(10u);
    check_tells_nothing();
}

CASE(a_task_sets_its_own_and_changes_them, power_up, end_all) {
    static const struct kymo_task_limits other = {.name = "other", .ready_us = 50u};
    preempt_by(1u);
    assert_true(kymo_task_limit(0u, &quick));
    preempt_by(IDLE);
    preempt_by(1u);
    wait_for(IDLE);
    job(1u, 100u, 10u);
    check_tells_nothing();
    assert_true(kymo_task_limit(of(1u), &other));
    job(1u, 100u, 10u);
    check_tells(&other, KYMO_LIMIT_READY, 100u);
}

CASE(what_cannot_be_limited, power_up, end_all) {
    static const struct kymo_task_limits windowless = {.name = "", .load_percent = 50u};
    static const struct kymo_task_limits endless = {.name = "", .ready_us = 0x80000000u};
    kymo_task_in(0u); /* a kernel without glue: nobody says what runs */
    assert_false(kymo_task_limit(of(1u), &quick));
    kymo_task_in(of(IDLE));
    assert_false(kymo_task_limit(of(1u), &windowless));
    assert_false(kymo_task_limit(of(1u), &endless));
    fake.clock_hz = 0u;
    assert_false(kymo_task_limit(of(1u), &quick));
}

/* The task waits on one core and is woken and run by another before the first has switched. */
CASE(a_task_that_moves_meanwhile, power_up, end_all) {
    set(1u, &modest);
    wake(1u);
    preempt_by(1u);
    pass(100u);
    kymo_task_why(KYMO_WHY_DELAY, 0u);
    kymo_task_out(false, 0u);
    fake.lane = 1u;
    wake(1u);
    preempt_by(1u);
    fake.lane = 0u;
    pass(100u);
    kymo_task_in(of(IDLE));
    pass(600u);
    fake.lane = 1u;
    wait_for(IDLE);
    pass(200u);
    fake.lane = 0u;
    check_tells(&modest, KYMO_LIMIT_LOAD, 80u);
}
