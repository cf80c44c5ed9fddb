/* SPDX-License-Identifier: MIT */
/* Tasks with stacks of their own, as a kernel has them, switched by calls: task_switch.S. */
#ifndef TASKS_H
#define TASKS_H

#include <stdint.h>

/* Saves what calls keep on the current stack, whose pointer goes to *from, and returns in the task that was left with
 * the stack pointer "to". */
void task_switch(uintptr_t *from, uintptr_t to);
/* The same into a task that begins: after the end "top" of its stack, a multiple of 16, with a return address of 0 and
 * rubbish in the registers that calls keep. */
void task_begin(uintptr_t *from, uintptr_t top, void (*entry)(void));
/* On Cortex-M: the caller goes on with the process stack pointer, as tasks do, and handlers have the stack that ends at
 * "top". Elsewhere nothing: there they have that of what they interrupted. */
void task_own_pointer(uintptr_t top);

#endif
