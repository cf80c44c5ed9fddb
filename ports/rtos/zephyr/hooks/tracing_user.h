/* Stands before Zephyr's own tracing_user.h, which has no hook for the end of a thread: no path of the
 * kernel calls the one of k_thread_abort(). All paths call this one: the scheduler does, under its lock,
 * when the thread runs nowhere any more, or is the caller. */
#ifndef KYMO_ZEPHYR_TRACING_USER_H
#define KYMO_ZEPHYR_TRACING_USER_H

#pragma GCC system_header /* include_next is an extension of the language */
#include_next <tracing_user.h>

#ifdef __cplusplus
extern "C" {
#endif

void kymo_zephyr_thread_ends(struct k_thread *thread);

#ifdef __cplusplus
}
#endif

#undef sys_port_trace_k_thread_sched_abort
#define sys_port_trace_k_thread_sched_abort(thread) kymo_zephyr_thread_ends(thread)

#endif
