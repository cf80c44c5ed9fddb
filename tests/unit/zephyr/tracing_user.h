/* The hooks of CONFIG_TRACING_USER, as Zephyr's own header has them. The one of the scheduler is empty there. */
#ifndef TESTS_ZEPHYR_TRACING_USER_H
#define TESTS_ZEPHYR_TRACING_USER_H

struct k_thread;

void sys_trace_thread_create_user(struct k_thread *thread);
void sys_trace_thread_name_set_user(struct k_thread *thread);
void sys_trace_thread_switched_in_user(void);
void sys_trace_isr_enter_user(void);
void sys_trace_isr_exit_user(void);

#define sys_port_trace_k_thread_sched_abort(thread)

#endif
