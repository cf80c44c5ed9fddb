/* SPDX-License-Identifier: MIT */
/* States of a kernel's tasks: for the glue between a kernel's hooks and the recorder, not for applications. Needs
 * KYMO_TASKS. Call each function with the kernel's lock held or its interrupts masked, on the core concerned, so that
 * the order of calls is the kernel's own. As with all events, a full ring refuses and counts them. */
#ifndef KYMO_TASKS_H
#define KYMO_TASKS_H

#include "kymo/kymo.h"

KYMO_C_BEGIN

/* The context of a task whose kernel counts its tasks and uses no number twice: contexts count down from the end of
 * 32 bits, where no variable is. No two tasks share one, even if one is created in the memory of another. The glue of
 * other kernels uses any context that no other task has had. */
KYMO_INLINE_ kymo_context kymo_task_numbered(uint32_t number) {
    return (kymo_context)(0xfffffff8u - 8u * number);
}

/* Call it once, before the first task: the kernel's name and release, its ticks a second (0: not known), and whether
 * the greater of two priorities is more urgent. The string must stay valid. Sent in INFO packets. */
void kymo_tasks_kernel(const char *name, uint32_t ticks_hz, bool greater_first);

/* A task is created, or gets a name: a context of that kind. NULL or "": no name. The string must stay valid and in
 * its place until kymo_task_ends(). The names of KYMO_TASKS tasks are sent again to a host that connects later. 16
 * bytes and the name, and 16 for its priority. */
void kymo_task_new(kymo_context task, enum kymo_context_kind kind, const char *name,
                   int32_t priority);
/* The task is deleted. One that deletes itself runs until the lane switches to another. 16 bytes. */
void kymo_task_ends(kymo_context task);

/* Why the task that the lane runs will wait, if it does. Call it before the wait: the last call before the next
 * kymo_task_out() counts, and only for that one. */
void kymo_task_why(enum kymo_why why, uintptr_t object);
/* The same for a call that waits by another call of the kernel, which gives its own reason: this one counts, also
 * when the task is preempted in between, until kymo_task_why_ends(). */
void kymo_task_why_of_call(enum kymo_why why, uintptr_t object);
void kymo_task_why_ends(void);

/* The lane is about to leave the task that it runs, which waits for at most so many ticks of the kernel; 0: no limit,
 * or not known; KYMO_WHY_TICKS_MAX, and no more than that: so many or more. With several cores the kernel's lock must
 * still be held: once it is free, another core may wake the task. 16 bytes. */
void kymo_task_waits(uint32_t ticks);
/* The same where the task may also be still ready. Call kymo_task_in() next, even for the same task. */
KYMO_INLINE_ void kymo_task_out(bool ready, uint32_t ticks) {
    if (!ready) {
        kymo_task_waits(ticks);
    }
}
/* The lane now runs this task. 8 bytes; 0 if it is the same task. */
void kymo_task_in(kymo_context task);

/* The task becomes ready. "waker": KYMO_WAKER_RUNS, or the number of the interrupt that the core handles + 1, which is
 * compared with that of kymo_irq_enter(), or KYMO_WAKER_INTERRUPT. Has no effect on a task that is ready or runs. 16
 * bytes. */
void kymo_task_ready(kymo_context task, uint32_t waker);
/* Another context suspends the task: whatever it waited for, it is not ready until kymo_task_ready(). One that runs on
 * another core leaves that by kymo_task_out() soon, without a reason. Has no effect on the task that the lane runs. 16
 * bytes. */
void kymo_task_suspended(kymo_context task);
/* The task's priority changes. 16 bytes, or 24 where it is inherited or given back. */
void kymo_task_priority(kymo_context task, int32_t priority, enum kymo_priority_cause cause);
/* Bytes of its stack that were never used, and its size, 0: not known. Measure them in a task: that may take long. */
void kymo_task_stack(kymo_context task, uint32_t unused, uint32_t size);

/* For glue that visits one task after the other: the next task from "place" on whose name is kept. Moves "place", and
 * starts again after the last. Returns false if no task is left before the last. */
bool kymo_task_at(uint32_t *place, kymo_context *task, const char **name);

/* An object that tasks wait for is created, or gets a name, which must stay valid as that of a task. 16 bytes and the
 * name. */
void kymo_task_object(uintptr_t object, enum kymo_object_class of, const char *name);
void kymo_task_object_over(uintptr_t object);
/* An item was put into the object, or taken from it: its level afterwards. 16 bytes. */
void kymo_task_put(uintptr_t object, uint32_t level);
void kymo_task_get(uintptr_t object, uint32_t level);

/* kymo_interrupt_enter() and kymo_interrupt_leave() for a kernel whose calls may not come in pairs: a leave ends the
 * interrupt that entered last if it has that number, else it has no effect. Nesting deeper than 16 is not recorded. */
void kymo_irq_enter(kymo_context interrupt, uint32_t number);
void kymo_irq_leave(uint32_t number);

KYMO_C_END

#endif
