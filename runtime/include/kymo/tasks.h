/* What the tasks of a kernel do: for the glue between a kernel's hooks and the recorder, not for applications. It
 * needs KYMO_TASKS. The order of calls is the kernel's own, so each comes with the kernel's lock held or its
 * interrupts masked, on the core concerned. Events are refused and counted where the ring is full, as all others. */
#ifndef KYMO_TASKS_H
#define KYMO_TASKS_H

#include "kymo/kymo.h"

KYMO_C_BEGIN

/* The context of a task whose kernel counts its tasks and gives no number twice: contexts from the end of 32 bits
 * down, where no variable is. No two tasks share one, also where one is made in the memory of another. Other
 * kernels use any context that no other task has had. */
KYMO_INLINE_ kymo_context kymo_task_numbered(uint32_t number) {
    return (kymo_context)(0xfffffff8u - 8u * number);
}

/* Once, before the first task: its name and release, ticks a second (0: not known), and whether of two priorities the
 * greater one is more urgent. The string stays valid. For INFO. */
void kymo_tasks_kernel(const char *name, uint32_t ticks_hz, bool greater_first);

/* A task is made, or gets a name: a context of that kind. NULL or "": it has none. The string stays valid and in
 * its place until kymo_task_ends(). KYMO_TASKS of them are told again for a host that comes late. 16 bytes and the
 * name, and 16 for its priority. */
void kymo_task_new(kymo_context task, enum kymo_context_kind kind, const char *name,
                   int32_t priority);
/* It is deleted, or deletes itself: then it runs until the lane is switched to another. 16 bytes. */
void kymo_task_ends(kymo_context task);

/* Why the task that the lane runs will wait, if it does: said before, counts for its next kymo_task_out() only, and
 * the last one said counts. */
void kymo_task_why(enum kymo_why why, uintptr_t object);
/* The same of a call that waits by another call of the kernel, which says its own reason: this one counts, also
 * when the task is preempted in between, until kymo_task_why_ends(). */
void kymo_task_why_of_call(enum kymo_why why, uintptr_t object);
void kymo_task_why_ends(void);

/* The lane is about to leave the task that it runs. It is still ready; or it waits, for so many ticks of the kernel
 * at most, 0: no limit, or not known. Then kymo_task_in(), also when that is the same task. */
void kymo_task_out(bool ready, uint32_t ticks);
/* 8 bytes, and 16 if the one before waits; nothing for the one that runs already. */
void kymo_task_in(kymo_context task);

/* It may run. "waker": KYMO_WAKER_RUNS, or the number of the interrupt that the core handles + 1, which is compared
 * with that of kymo_irq_enter(), or KYMO_WAKER_INTERRUPT. For a task that is ready or runs it says nothing. 16
 * bytes. */
void kymo_task_ready(kymo_context task, uint32_t waker);
/* 16 bytes, or 24 where it is not the task's own. */
void kymo_task_priority(kymo_context task, int32_t priority, enum kymo_priority_cause cause);
/* Bytes of its stack that were never used; the size, 0: not known. From a task: it may take long to find out. */
void kymo_task_stack(kymo_context task, uint32_t unused, uint32_t size);

/* For glue that looks at one task after the other: of those whose names are kept, the next one from "place" on, which
 * is moved, and begins again when the last was looked at. False: there is none up to the last. */
bool kymo_task_at(uint32_t *place, kymo_context *task, const char **name);

/* What tasks wait for. The name as that of a task. 16 bytes and the name. */
void kymo_task_object(uintptr_t object, enum kymo_object_class of, const char *name);
void kymo_task_object_over(uintptr_t object);
/* Something was put into the object, or taken from it: its level afterwards. 16 bytes. */
void kymo_task_put(uintptr_t object, uint32_t level);
void kymo_task_get(uintptr_t object, uint32_t level);

/* kymo_interrupt_enter() and kymo_interrupt_leave() for a kernel that calls them in pairs or not: what leaves is the
 * interrupt that entered last, if it has that number, or nothing. Nesting deeper than 16 is not recorded. */
void kymo_irq_enter(kymo_context interrupt, uint32_t number);
void kymo_irq_leave(uint32_t number);

KYMO_C_END

#endif
