/* SPDX-License-Identifier: MIT */
/* Limits of a kernel's tasks. The firmware itself is notified when one is passed: on a board without a host, too.
 * Needs KYMO_TASKS, a glue that makes the calls of kymo/tasks.h (kymo_context_switch() alone does not), and
 * KYMO_TASK_LIMITS, the number of tasks that may have limits. Without these knobs the calls do nothing. */
#ifndef KYMO_LIMITS_H
#define KYMO_LIMITS_H

#include "kymo/kymo.h"

KYMO_C_BEGIN

/* Must stay valid until the task ends. What is 0 is no limit. */
struct kymo_task_limits {
    const char *name;      /* for the call-back */
    uint32_t ready_us;     /* the longest from a wake-up until the task runs */
    uint32_t load_percent; /* of a core, interrupts included, ... */
    uint32_t window_us;   /* ... in so long a time, or in that between two checks if it is longer */
    uint32_t stack_bytes; /* the fewest of its stack that were never used, as the glue measures */
};

enum kymo_limit { KYMO_LIMIT_READY, KYMO_LIMIT_LOAD, KYMO_LIMIT_STACK };

/* Called by kymo_task_limits_check() only. "value" is the measured value, in the unit of the limit: the longest latency
 * since the last call, which may still go on, the load in percent, the unused bytes. */
typedef void (*kymo_limit_passed)(const struct kymo_task_limits *limits, enum kymo_limit limit,
                                  uint32_t value);

#if KYMO_ENABLE && KYMO_TASKS && KYMO_TASK_LIMITS

/* Sets the limits of a task, 0: of the one that calls; again, to change them. They hold from the task's next switch on
 * and are gone when it ends. In tasks. False: no room, no kernel's glue says what runs, the rate of the clock is not
 * known, a time is longer than 2^31 ticks of it, or load_percent without window_us. */
bool kymo_task_limit(kymo_context task, const struct kymo_task_limits *limits);

/* Calls "passed" for each limit that was passed since the last check, each once; a task that is still ready is reported
 * when it is late, and again with the whole time when it has run. Call it from any one context: a task, the idle loop,
 * an interrupt. A timer's interrupt also sees a task of the highest priority that never stops. Call it at least each
 * 2^31 ticks of the clock. Interrupts stay as they are, and "passed" may do everything that the caller may. */
void kymo_task_limits_check(kymo_limit_passed passed);

#else

KYMO_INLINE_ bool kymo_task_limit(kymo_context task, const struct kymo_task_limits *limits) {
    (void)task, (void)limits;
    return false;
}
KYMO_INLINE_ void kymo_task_limits_check(kymo_limit_passed passed) { (void)passed; }

#endif

KYMO_C_END

#endif
