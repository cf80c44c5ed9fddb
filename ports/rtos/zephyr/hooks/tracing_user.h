/* SPDX-License-Identifier: MIT */
/* Found before Zephyr's own tracing_user.h: includes it, and puts kymo's hooks in place of the empty ones that
 * report threads and the objects they wait for. Zephyr 3.4 to 4.x. */
#ifndef KYMO_ZEPHYR_TRACING_USER_H
#define KYMO_ZEPHYR_TRACING_USER_H

#pragma GCC system_header /* include_next is an extension of the language */
#include_next <tracing_user.h>

#ifdef __cplusplus
extern "C" {
#endif

struct k_thread;
struct k_mutex;

void kymo_zephyr_thread_new(struct k_thread *thread);
void kymo_zephyr_thread_ends(struct k_thread *thread);
void kymo_zephyr_switched_out(void);
void kymo_zephyr_switched_in(void);
void kymo_zephyr_ready(struct k_thread *thread);
void kymo_zephyr_suspended(struct k_thread *thread);
void kymo_zephyr_priority(struct k_thread *thread, int priority);
void kymo_zephyr_waits(unsigned why, const void *object);
/* For a call that may be preempted before it waits, or that waits by another call. */
void kymo_zephyr_call_waits(unsigned why, const void *object);
void kymo_zephyr_call_ends(void);
void kymo_zephyr_mutex_waits(struct k_mutex *mutex);
void kymo_zephyr_mutex_locked(struct k_mutex *mutex, int result);
void kymo_zephyr_mutex_unlocks(struct k_mutex *mutex);
void kymo_zephyr_mutex_unlocked(void);
void kymo_zephyr_put(const void *object, unsigned level);
void kymo_zephyr_got(const void *object, unsigned level);

#ifdef __cplusplus
}
#endif

/* ---- threads ---- */

#undef sys_port_trace_k_thread_create
#define sys_port_trace_k_thread_create(thread) kymo_zephyr_thread_new(thread)
#undef sys_port_trace_k_thread_name_set
#define sys_port_trace_k_thread_name_set(thread, result) kymo_zephyr_thread_new(thread)
/* All ways to end a thread come here: under the scheduler's lock, when it runs nowhere any more, or is the caller. */
#undef sys_port_trace_k_thread_sched_abort
#define sys_port_trace_k_thread_sched_abort(thread) kymo_zephyr_thread_ends(thread)
#undef sys_port_trace_k_thread_switched_out
#define sys_port_trace_k_thread_switched_out() kymo_zephyr_switched_out()
#undef sys_port_trace_k_thread_switched_in
#define sys_port_trace_k_thread_switched_in() kymo_zephyr_switched_in()
#undef sys_port_trace_k_thread_sched_ready
#define sys_port_trace_k_thread_sched_ready(thread) kymo_zephyr_ready(thread)
#undef sys_port_trace_k_thread_suspend_exit
#define sys_port_trace_k_thread_suspend_exit(thread) kymo_zephyr_suspended(thread)
#undef sys_port_trace_k_thread_sched_priority_set
#define sys_port_trace_k_thread_sched_priority_set(thread, prio) kymo_zephyr_priority(thread, prio)

/* ---- why threads wait: the numbers of enum kymo_why ---- */

#define KYMO_ZEPHYR_DELAY 1u
#define KYMO_ZEPHYR_EMPTY 2u
#define KYMO_ZEPHYR_FULL 3u
#define KYMO_ZEPHYR_SEMAPHORE 4u
#define KYMO_ZEPHYR_FLAGS 7u
#define KYMO_ZEPHYR_JOIN 9u
#define KYMO_ZEPHYR_MEMORY 10u
#define KYMO_ZEPHYR_CONDITION 12u

#undef sys_port_trace_k_thread_join_blocking
#define sys_port_trace_k_thread_join_blocking(thread, timeout)                                     \
    kymo_zephyr_waits(KYMO_ZEPHYR_JOIN, thread)
#undef sys_port_trace_k_sem_take_blocking
#define sys_port_trace_k_sem_take_blocking(sem, timeout)                                           \
    kymo_zephyr_waits(KYMO_ZEPHYR_SEMAPHORE, sem)
#undef sys_port_trace_k_msgq_put_blocking
#define sys_port_trace_k_msgq_put_blocking(msgq, timeout) kymo_zephyr_waits(KYMO_ZEPHYR_FULL, msgq)
#undef sys_port_trace_k_msgq_get_blocking
#define sys_port_trace_k_msgq_get_blocking(msgq, timeout) kymo_zephyr_waits(KYMO_ZEPHYR_EMPTY, msgq)
#undef sys_port_trace_k_queue_get_blocking
#define sys_port_trace_k_queue_get_blocking(queue, timeout)                                        \
    kymo_zephyr_waits(KYMO_ZEPHYR_EMPTY, queue)
#undef sys_port_trace_k_stack_pop_blocking
#define sys_port_trace_k_stack_pop_blocking(stack, timeout)                                        \
    kymo_zephyr_waits(KYMO_ZEPHYR_EMPTY, stack)
#undef sys_port_trace_k_mbox_message_put_blocking
#define sys_port_trace_k_mbox_message_put_blocking(mbox, timeout)                                  \
    kymo_zephyr_waits(KYMO_ZEPHYR_FULL, mbox)
#undef sys_port_trace_k_mbox_get_blocking
#define sys_port_trace_k_mbox_get_blocking(mbox, timeout) kymo_zephyr_waits(KYMO_ZEPHYR_EMPTY, mbox)
/* Put and get until 4.0, write and read afterwards. */
#undef sys_port_trace_k_pipe_put_blocking
#define sys_port_trace_k_pipe_put_blocking(pipe, timeout) kymo_zephyr_waits(KYMO_ZEPHYR_FULL, pipe)
#undef sys_port_trace_k_pipe_get_blocking
#define sys_port_trace_k_pipe_get_blocking(pipe, timeout) kymo_zephyr_waits(KYMO_ZEPHYR_EMPTY, pipe)
#undef sys_port_trace_k_pipe_write_blocking
#define sys_port_trace_k_pipe_write_blocking(pipe, timeout)                                        \
    kymo_zephyr_waits(KYMO_ZEPHYR_FULL, pipe)
#undef sys_port_trace_k_pipe_read_blocking
#define sys_port_trace_k_pipe_read_blocking(pipe, timeout)                                         \
    kymo_zephyr_waits(KYMO_ZEPHYR_EMPTY, pipe)
#undef sys_port_trace_k_event_wait_blocking
#define sys_port_trace_k_event_wait_blocking(event, events, options, timeout)                      \
    kymo_zephyr_waits(KYMO_ZEPHYR_FLAGS, event)
#undef sys_port_trace_k_heap_aligned_alloc_blocking
#define sys_port_trace_k_heap_aligned_alloc_blocking(heap, timeout)                                \
    kymo_zephyr_waits(KYMO_ZEPHYR_MEMORY, heap)
#undef sys_port_trace_k_mem_slab_alloc_blocking
#define sys_port_trace_k_mem_slab_alloc_blocking(slab, timeout)                                    \
    kymo_zephyr_waits(KYMO_ZEPHYR_MEMORY, slab)
#undef sys_port_trace_k_timer_status_sync_blocking
#define sys_port_trace_k_timer_status_sync_blocking(timer, timeout)                                \
    kymo_zephyr_waits(KYMO_ZEPHYR_DELAY, timer)

#undef sys_port_trace_k_condvar_wait_enter
#define sys_port_trace_k_condvar_wait_enter(condvar)                                               \
    kymo_zephyr_call_waits(KYMO_ZEPHYR_CONDITION, condvar)
#undef sys_port_trace_k_condvar_wait_exit
#define sys_port_trace_k_condvar_wait_exit(condvar, result) kymo_zephyr_call_ends()
#undef sys_port_trace_k_poll_api_poll_enter
#define sys_port_trace_k_poll_api_poll_enter(events) kymo_zephyr_call_waits(KYMO_ZEPHYR_FLAGS, 0)
#undef sys_port_trace_k_poll_api_poll_exit
#define sys_port_trace_k_poll_api_poll_exit(events, result) kymo_zephyr_call_ends()

/* ---- locks ---- */

#undef sys_port_trace_k_mutex_lock_blocking
#define sys_port_trace_k_mutex_lock_blocking(mutex, timeout) kymo_zephyr_mutex_waits(mutex)
#undef sys_port_trace_k_mutex_lock_exit
#define sys_port_trace_k_mutex_lock_exit(mutex, timeout, result)                                   \
    kymo_zephyr_mutex_locked(mutex, result)
#undef sys_port_trace_k_mutex_unlock_enter
#define sys_port_trace_k_mutex_unlock_enter(mutex) kymo_zephyr_mutex_unlocks(mutex)
#undef sys_port_trace_k_mutex_unlock_exit
#define sys_port_trace_k_mutex_unlock_exit(mutex, result) kymo_zephyr_mutex_unlocked()

/* ---- levels ---- */

#ifdef CONFIG_KYMO_LEVELS
#undef sys_port_trace_k_sem_give_exit
#define sys_port_trace_k_sem_give_exit(sem) kymo_zephyr_put(sem, (unsigned)(sem)->count)
#undef sys_port_trace_k_sem_take_exit
#define sys_port_trace_k_sem_take_exit(sem, timeout, result)                                       \
    do {                                                                                           \
        if ((result) == 0) {                                                                       \
            kymo_zephyr_got(sem, (unsigned)(sem)->count);                                          \
        }                                                                                          \
    } while (0)
#undef sys_port_trace_k_msgq_put_exit
#define sys_port_trace_k_msgq_put_exit(msgq, timeout, result)                                      \
    do {                                                                                           \
        if ((result) == 0) {                                                                       \
            kymo_zephyr_put(msgq, (unsigned)(msgq)->used_msgs);                                    \
        }                                                                                          \
    } while (0)
#undef sys_port_trace_k_msgq_get_exit
#define sys_port_trace_k_msgq_get_exit(msgq, timeout, result)                                      \
    do {                                                                                           \
        if ((result) == 0) {                                                                       \
            kymo_zephyr_got(msgq, (unsigned)(msgq)->used_msgs);                                    \
        }                                                                                          \
    } while (0)
#endif

#endif
