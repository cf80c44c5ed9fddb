/* The hooks of CONFIG_TRACING_USER that ports/rtos/zephyr defines, as Zephyr's tracing_user.h declares them. */
#ifndef TESTS_ZEPHYR_TRACING_H
#define TESTS_ZEPHYR_TRACING_H

struct k_thread;

void sys_trace_thread_create_user(struct k_thread *thread);
void sys_trace_thread_name_set_user(struct k_thread *thread);
void sys_trace_thread_switched_in_user(void);
void sys_trace_isr_enter_user(void);
void sys_trace_isr_exit_user(void);

#endif
