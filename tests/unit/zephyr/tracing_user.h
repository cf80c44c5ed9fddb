/* SPDX-License-Identifier: MIT */
/* The hooks of CONFIG_TRACING_USER, as Zephyr's own header has them: some call functions, most are empty. */
#ifndef TESTS_ZEPHYR_TRACING_USER_H
#define TESTS_ZEPHYR_TRACING_USER_H

struct k_thread;

void sys_trace_thread_create(struct k_thread *thread);
void sys_trace_k_thread_switched_in(void);

#define sys_port_trace_k_thread_create(new_thread) sys_trace_thread_create(new_thread)
#define sys_port_trace_k_thread_switched_in() sys_trace_k_thread_switched_in()
#define sys_port_trace_k_thread_sched_abort(thread)
#define sys_port_trace_k_mutex_lock_blocking(mutex, timeout)

#endif
