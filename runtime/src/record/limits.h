/* SPDX-License-Identifier: MIT */
/* The task events of kymo/tasks.h, for the limits of kymo/limits.h. Call each with the kernel's lock held or its
 * interrupts masked; "lane" is the caller's. Private to the runtime. */
#ifndef KYMO_RECORD_LIMITS_H
#define KYMO_RECORD_LIMITS_H

#include "../ring/lane.h"

#if KYMO_TASK_LIMITS

void kymo_limits_ready(kymo_context task);
/* Another context suspends the task, which may still run on another core. */
void kymo_limits_suspended(kymo_context task);
/* The task that the lane runs will wait. */
void kymo_limits_wait(size_t lane);
/* The lane runs the task, in place of another or as before. */
void kymo_limits_run(size_t lane, kymo_context task);
void kymo_limits_stack(kymo_context task, uint32_t unused_bytes);
void kymo_limits_over(kymo_context task);

#else

static inline void kymo_limits_ready(kymo_context task) { (void)task; }
static inline void kymo_limits_suspended(kymo_context task) { (void)task; }
static inline void kymo_limits_wait(size_t lane) { (void)lane; }
static inline void kymo_limits_run(size_t lane, kymo_context task) { (void)lane, (void)task; }
static inline void kymo_limits_stack(kymo_context task, uint32_t unused_bytes) {
    (void)task, (void)unused_bytes;
}
static inline void kymo_limits_over(kymo_context task) { (void)task; }

#endif

#endif
