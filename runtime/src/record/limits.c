/* SPDX-License-Identifier: MIT */
/* Limits of tasks: see kymo/limits.h. The kernel's hooks keep times only, and one that is set bounds their work; the
 * check compares and calls back. Hooks write, the check reads: neither waits for the other. */
#include "limits.h"

#include "../ring/claim.h"
#include "divide.h"
#include "kymo/limits.h"
#include "task_events.h"

#if KYMO_ENABLE && KYMO_TASKS && KYMO_TASK_LIMITS

_Static_assert(
    KYMO_LANES == 1 || !KYMO_CLAIM_ONE_LANE,
    "KYMO_TASK_LIMITS with more than one lane needs atomic words, which this core lacks");

#define US_PER_SECOND 1000000u
#define TICKS_MAX 0x7fffffffu
#define EACH(one)                                                                                  \
    struct limited *one = limited;                                                                 \
    one < limited + KYMO_TASK_LIMITS;                                                              \
    one++

enum limited_state { LEFT, WAITS, READY, RUNS }; /* LEFT: does not run, and no wake-up counts */

/* The state that the hooks keep. A time is the low 32 bits of the clock. */
struct limited_times {
    uint32_t state;
    uint32_t since; /* RUNS, or is READY */
    uint32_t ran;   /* before "since" */
    uint32_t late_count, late_ticks;
};

static struct limited {
    kymo_context task; /* 0: none; set last */
    const struct kymo_task_limits *limits;
    uint32_t is_taken;
    uint32_t ready_ticks, window_ticks;
    uint32_t changes; /* odd: a hook changes the times */
    struct limited_times times;
    uint32_t unused_bytes;
    /* By the check. */
    uint32_t late_told, since_told, unused_told;
    uint32_t window_at, window_ran;
} limited[KYMO_TASK_LIMITS];

static struct limited *runs_limited[KYMO_LANES_ALL];

static uint32_t ticks_now(void) { return (uint32_t)kymo_arch_clock(); }

static struct limited *limited_task(kymo_context task) {
    for (EACH(one)) {
        if (KYMO_LOAD(one->task) == task) {
            return task != 0u ? one : NULL;
        }
    }
    return NULL;
}

/* ---- the kernel's hooks ---- */

static struct limited_times *change_times(struct limited *one) {
    KYMO_STORE(one->changes, one->changes + 1u);
    KYMO_RELEASE();
    return &one->times;
}

static void times_changed(struct limited *one) { KYMO_PUBLISH(one->changes, one->changes + 1u); }

void kymo_limits_ready(kymo_context task) {
    struct limited *one = limited_task(task);
    if (one != NULL && one->times.state == WAITS) {
        struct limited_times *times = change_times(one);
        times->state = READY;
        times->since = ticks_now();
        times_changed(one);
    }
}

void kymo_limits_suspended(kymo_context task) {
    struct limited *one = limited_task(task);
    if (one != NULL && one->times.state != RUNS) {
        change_times(one)->state = WAITS;
        times_changed(one);
    }
}

static void stop_limited(struct limited *one, enum limited_state state) {
    struct limited_times *times = change_times(one);
    times->state = state;
    times->ran += ticks_now() - times->since;
    times_changed(one);
}

static void start_limited(struct limited *one) {
    struct limited_times *times = change_times(one);
    const uint32_t now = ticks_now();
    const uint32_t late = now - times->since;
    if (times->state == READY && late > one->ready_ticks) {
        /* The longest since the check has reported one. */
        if (late > times->late_ticks || times->late_count == KYMO_LOAD(one->late_told)) {
            times->late_ticks = late;
        }
        times->late_count++;
    }
    times->state = RUNS;
    times->since = now;
    times_changed(one);
}

/* At once: another core may wake it, and run it, before this one has switched. */
void kymo_limits_wait(size_t lane) {
    if (runs_limited[lane] != NULL) {
        stop_limited(runs_limited[lane], WAITS);
        runs_limited[lane] = NULL;
    }
}

void kymo_limits_run(size_t lane, kymo_context task) {
    struct limited *left = runs_limited[lane];
    if (left != NULL) {
        if (left->task == task) {
            return;
        }
        stop_limited(left, LEFT);
    }
    struct limited *runs = limited_task(task);
    runs_limited[lane] = runs;
    if (runs != NULL) {
        start_limited(runs);
    }
}

void kymo_limits_stack(kymo_context task, uint32_t unused_bytes) {
    struct limited *one = limited_task(task);
    if (one != NULL) {
        KYMO_STORE(one->unused_bytes, unused_bytes);
    }
}

/* On another core it may still run. */
void kymo_limits_over(kymo_context task) {
    struct limited *one = limited_task(task);
    if (one == NULL) {
        return;
    }
    for (size_t lane = 0u; lane < KYMO_LANES_ALL; lane++) {
        if (runs_limited[lane] == one) {
            runs_limited[lane] = NULL;
        }
    }
    KYMO_STORE(one->task, (kymo_context)0u);
    KYMO_PUBLISH(one->is_taken, 0u);
}

/* ---- the application ---- */

/* False: more than TICKS_MAX, or the clock's rate is not known. */
static bool ticks_of(uint32_t us, uint32_t *ticks) {
    const uint64_t hz = kymo_arch_clock_hz();
    uint64_t rest;
    if (hz == 0u || hz > UINT32_MAX) {
        return false;
    }
    const uint64_t all = kymo_divide(us * hz, US_PER_SECOND, &rest);
    *ticks = (uint32_t)all;
    return all <= TICKS_MAX;
}

static uint32_t us_of(uint32_t ticks) {
    uint64_t rest;
    return (uint32_t)kymo_divide((uint64_t)ticks * US_PER_SECOND, kymo_arch_clock_hz(), &rest);
}

/* Takes a free place, with nothing known of its task. */
static struct limited *take_limited(void) {
    for (EACH(one)) {
        if (kymo_claim(&one->is_taken, 0u, 1u)) {
            one->times.state = LEFT;
            one->late_told = one->times.late_count;
            one->window_ran = one->times.ran;
            one->window_at = ticks_now();
            one->since_told = one->window_at - 1u; /* none */
            one->unused_bytes = one->unused_told = UINT32_MAX;
            return one;
        }
    }
    return NULL;
}

bool kymo_task_limit(kymo_context task, const struct kymo_task_limits *limits) {
    uint32_t ready_ticks, window_ticks;
    if (!ticks_of(limits->ready_us, &ready_ticks) || !ticks_of(limits->window_us, &window_ticks) ||
        (limits->load_percent != 0u && window_ticks == 0u)) {
        return false;
    }
    const kymo_context runs = kymo_task_that_runs();
    task = task != 0u ? task : runs;
    struct limited *one = limited_task(task);
    if (one == NULL && (runs == 0u || (one = take_limited()) == NULL)) {
        return false;
    }
    one->ready_ticks = limits->ready_us != 0u ? ready_ticks : TICKS_MAX;
    one->window_ticks = window_ticks;
    KYMO_STORE(one->limits, limits);
    KYMO_PUBLISH(one->task, task);
    return true;
}

/* ---- the check ---- */

/* The times, and the clock between two looks at them: no task ran in between unseen. False: a hook has changed them
 * meanwhile. */
static bool look_at_times(const struct limited *one, struct limited_times *seen, uint32_t *now) {
    const uint32_t changes = KYMO_ACQUIRE(one->changes);
    *now = ticks_now();
    seen->state = KYMO_LOAD(one->times.state);
    seen->since = KYMO_LOAD(one->times.since);
    seen->ran = KYMO_LOAD(one->times.ran);
    seen->late_count = KYMO_LOAD(one->times.late_count);
    seen->late_ticks = KYMO_LOAD(one->times.late_ticks);
    KYMO_ACQUIRED();
    return changes % 2u == 0u && KYMO_LOAD(one->changes) == changes;
}

static void check_ready(struct limited *one, const struct limited_times *seen, uint32_t now,
                        kymo_limit_passed passed) {
    if (seen->late_count != one->late_told) {
        KYMO_STORE(one->late_told, seen->late_count);
        passed(one->limits, KYMO_LIMIT_READY, us_of(seen->late_ticks));
    }
    if (seen->state == READY && now - seen->since > one->ready_ticks &&
        seen->since != one->since_told) {
        one->since_told = seen->since;
        passed(one->limits, KYMO_LIMIT_READY, us_of(now - seen->since));
    }
}

static void check_load(struct limited *one, const struct limited_times *seen, uint32_t now,
                       kymo_limit_passed passed) {
    const uint32_t span = now - one->window_at;
    const uint32_t ran = seen->ran + (seen->state == RUNS ? now - seen->since : 0u);
    const uint64_t hundredfold = (uint64_t)(ran - one->window_ran) * 100u;
    uint64_t rest;
    const bool limits_load = one->limits->load_percent != 0u;
    if (limits_load && span < one->window_ticks) {
        return;
    }
    /* Without a limit too, so that one that is set later measures from there on. */
    one->window_at = now;
    one->window_ran = ran;
    if (limits_load && hundredfold > (uint64_t)one->limits->load_percent * span) {
        passed(one->limits, KYMO_LIMIT_LOAD, (uint32_t)kymo_divide(hundredfold, span, &rest));
    }
}

static void check_stack(struct limited *one, kymo_limit_passed passed) {
    const uint32_t unused_bytes = KYMO_LOAD(one->unused_bytes);
    if (unused_bytes < one->limits->stack_bytes && unused_bytes < one->unused_told) {
        one->unused_told = unused_bytes;
        passed(one->limits, KYMO_LIMIT_STACK, unused_bytes);
    }
}

void kymo_task_limits_check(kymo_limit_passed passed) {
    struct limited_times seen;
    uint32_t now;
    for (EACH(one)) {
        if (KYMO_ACQUIRE(one->task) == 0u || !look_at_times(one, &seen, &now)) {
            continue;
        }
        if (one->limits->ready_us != 0u) {
            check_ready(one, &seen, now, passed);
        }
        check_load(one, &seen, now, passed);
        check_stack(one, passed);
    }
}

#endif
