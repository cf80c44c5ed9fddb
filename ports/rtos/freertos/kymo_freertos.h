/* SPDX-License-Identifier: MIT */
/* FreeRTOS 10.4 to 11.x, one core or several: include it as the last line of FreeRTOSConfig.h. The kernel's trace
 * macros record the states of tasks and why they wait. README.md says how to build it, and lists the events. */
#ifndef KYMO_FREERTOS_H
#define KYMO_FREERTOS_H

#if !defined(__ASSEMBLER__) && !defined(__IASMARM__) && (!defined(KYMO_ENABLE) || KYMO_ENABLE)

#if configUSE_TRACE_FACILITY != 1
#error                                                                                             \
    "kymo: set configUSE_TRACE_FACILITY to 1 in FreeRTOSConfig.h: tasks are told apart by their trace number"
#endif

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A task of the application's own that sends the recorded events, and looks at a stack now and then: its priority is
 * just above that of the idle task. 256 words of stack are enough. */
void kymo_freertos_trace(void *unused);

/* Ends the trace: nothing more is recorded, and the calling task waits until that task has sent all of it, at most so
 * many ticks. Returns 0 if it has not. */
int kymo_freertos_finish(unsigned long ticks);

/* The macros below call these, in the kernel's critical sections or with its scheduler suspended. Not for
 * applications. "number" is the trace number of a task, which no other task ever has. */
void kymo_freertos_task_new(const void *tcb, unsigned long number, const char *name,
                            unsigned long priority, const char *idle);
void kymo_freertos_task_over(unsigned long number);
void kymo_freertos_core_leaves(unsigned core, unsigned long number);
void kymo_freertos_task_out(int is_ready, unsigned long ticks);
void kymo_freertos_task_in(unsigned long number);
void kymo_freertos_task_ready(unsigned long number);
void kymo_freertos_task_suspended(unsigned long number);
void kymo_freertos_task_priority(unsigned long number, unsigned long priority, unsigned cause);
void kymo_freertos_waits(unsigned why, const void *object);
void kymo_freertos_waits_listed(const void *event_list);
void kymo_freertos_queue_waits(unsigned type, const void *queue);
void kymo_freertos_stream_waits(unsigned why, const void *stream);
void kymo_freertos_stream_done(void);
void kymo_freertos_queue_new(unsigned type, const void *queue, const char *name);
void kymo_freertos_object_new(unsigned of, const void *object, const char *name);
void kymo_freertos_object_over(const void *object);
void kymo_freertos_put(const void *object, unsigned long level);
void kymo_freertos_get(const void *object, unsigned long level);
void kymo_freertos_mutex_take(const void *mutex);
void kymo_freertos_mutex_give(const void *mutex);
void kymo_freertos_interrupt_enter(void);
void kymo_freertos_interrupt_leave(void);
void kymo_freertos_malloc(const void *address, unsigned long bytes);
void kymo_freertos_free(const void *address);
void kymo_freertos_sleep_begin(void);
void kymo_freertos_sleep_end(void);

#ifdef __cplusplus
}
#endif

/* ---- tasks ---- */

#define traceTASK_CREATE(tcb)                                                                      \
    kymo_freertos_task_new((tcb), (unsigned long)(tcb)->uxTCBNumber, (tcb)->pcTaskName,            \
                           (unsigned long)(tcb)->uxPriority,                                       \
                           xSchedulerRunning == pdFALSE ? configIDLE_TASK_NAME : 0)
#define traceTASK_DELETE(tcb) kymo_freertos_task_over((unsigned long)(tcb)->uxTCBNumber)

/* ESP-IDF's kernel has a list of them for one core, too. */
#if defined(ESP_PLATFORM) || (defined(configNUMBER_OF_CORES) && configNUMBER_OF_CORES > 1)
#define KYMO_FREERTOS_CURRENT_ pxCurrentTCBs[portGET_CORE_ID()]
/* No hook tells of the first task of a core but the one that starts the scheduler. */
#define KYMO_FREERTOS_LEAVES_()                                                                    \
    kymo_freertos_core_leaves((unsigned)portGET_CORE_ID(),                                         \
                              (unsigned long)KYMO_FREERTOS_CURRENT_->uxTCBNumber)
#else
#define KYMO_FREERTOS_CURRENT_ pxCurrentTCB
#define KYMO_FREERTOS_LEAVES_() ((void)0)
#endif

/* The kernel's own lists say whether the task that leaves is ready, and until when it waits. */
#define KYMO_FREERTOS_LIST_OF_(tcb) listLIST_ITEM_CONTAINER(&(tcb)->xStateListItem)
#define traceTASK_SWITCHED_OUT()                                                                   \
    do {                                                                                           \
        const void *const kymo_list = KYMO_FREERTOS_LIST_OF_(KYMO_FREERTOS_CURRENT_);              \
        KYMO_FREERTOS_LEAVES_();                                                                   \
        if (kymo_list == &pxReadyTasksLists[KYMO_FREERTOS_CURRENT_->uxPriority]) {                 \
            kymo_freertos_task_out(1, 0u);                                                         \
        } else if (kymo_list == pxDelayedTaskList || kymo_list == pxOverflowDelayedTaskList) {     \
            kymo_freertos_task_out(                                                                \
                0, (TickType_t)(listGET_LIST_ITEM_VALUE(&KYMO_FREERTOS_CURRENT_->xStateListItem) - \
                                xTickCount));                                                      \
        } else {                                                                                   \
            kymo_freertos_task_out(0, 0u);                                                         \
        }                                                                                          \
    } while (0)
#define traceTASK_SWITCHED_IN()                                                                    \
    kymo_freertos_task_in((unsigned long)KYMO_FREERTOS_CURRENT_->uxTCBNumber)
#define traceMOVED_TASK_TO_READY_STATE(tcb)                                                        \
    kymo_freertos_task_ready((unsigned long)(tcb)->uxTCBNumber)

/* Causes: 0 set, 1 inherited, 2 given back. */
#define KYMO_FREERTOS_PRIORITY_(tcb, priority, cause)                                              \
    kymo_freertos_task_priority((unsigned long)(tcb)->uxTCBNumber, (unsigned long)(priority),      \
                                (cause))
#define traceTASK_PRIORITY_SET(tcb, priority) KYMO_FREERTOS_PRIORITY_(tcb, priority, 0u)
#define traceTASK_PRIORITY_INHERIT(tcb, priority) KYMO_FREERTOS_PRIORITY_(tcb, priority, 1u)
#define traceTASK_PRIORITY_DISINHERIT(tcb, priority) KYMO_FREERTOS_PRIORITY_(tcb, priority, 2u)

/* ---- why tasks wait ---- */

/* Numbers of enum kymo_why. */
#define KYMO_FREERTOS_DELAY 1u
#define KYMO_FREERTOS_EMPTY 2u
#define KYMO_FREERTOS_FULL 3u
#define KYMO_FREERTOS_NOTIFICATION 6u
#define KYMO_FREERTOS_FLAGS 7u
#define KYMO_FREERTOS_SUSPENDED 8u

#define traceTASK_DELAY() kymo_freertos_waits(KYMO_FREERTOS_DELAY, 0)
/* The timers' task says it, too, where it waits for its queue. */
#define traceTASK_DELAY_UNTIL(time)                                                                \
    kymo_freertos_waits_listed(listLIST_ITEM_CONTAINER(&KYMO_FREERTOS_CURRENT_->xEventListItem))
#define traceTASK_SUSPEND(tcb)                                                                     \
    do {                                                                                           \
        if ((tcb) == KYMO_FREERTOS_CURRENT_) {                                                     \
            kymo_freertos_waits(KYMO_FREERTOS_SUSPENDED, 0);                                       \
        } else {                                                                                   \
            kymo_freertos_task_suspended((unsigned long)(tcb)->uxTCBNumber);                       \
        }                                                                                          \
    } while (0)
#define traceTASK_NOTIFY_TAKE_BLOCK(index) kymo_freertos_waits(KYMO_FREERTOS_NOTIFICATION, 0)
#define traceTASK_NOTIFY_WAIT_BLOCK(index) kymo_freertos_waits(KYMO_FREERTOS_NOTIFICATION, 0)
#define traceBLOCKING_ON_QUEUE_RECEIVE(queue)                                                      \
    kymo_freertos_queue_waits((queue)->ucQueueType, (queue))
#define traceBLOCKING_ON_QUEUE_PEEK(queue) kymo_freertos_queue_waits((queue)->ucQueueType, (queue))
#define traceBLOCKING_ON_QUEUE_SEND(queue) kymo_freertos_waits(KYMO_FREERTOS_FULL, (queue))
#define traceEVENT_GROUP_WAIT_BITS_BLOCK(group, bits)                                              \
    kymo_freertos_waits(KYMO_FREERTOS_FLAGS, (group))
#define traceEVENT_GROUP_SYNC_BLOCK(group, set, bits)                                              \
    kymo_freertos_waits(KYMO_FREERTOS_FLAGS, (group))
/* A stream waits by a notification, and may be preempted before. */
#define traceBLOCKING_ON_STREAM_BUFFER_SEND(stream)                                                \
    kymo_freertos_stream_waits(KYMO_FREERTOS_FULL, (stream))
#define traceBLOCKING_ON_STREAM_BUFFER_RECEIVE(stream)                                             \
    kymo_freertos_stream_waits(KYMO_FREERTOS_EMPTY, (stream))
#define traceSTREAM_BUFFER_SEND(stream, bytes) kymo_freertos_stream_done()
#define traceSTREAM_BUFFER_SEND_FAILED(stream) kymo_freertos_stream_done()
#define traceSTREAM_BUFFER_RECEIVE(stream, bytes) kymo_freertos_stream_done()
#define traceSTREAM_BUFFER_RECEIVE_FAILED(stream) kymo_freertos_stream_done()

/* ---- objects ---- */

#define KYMO_FREERTOS_IS_MUTEX_(queue) ((queue)->ucQueueType == 1u || (queue)->ucQueueType == 4u)

/* Numbers of enum kymo_object_class. */
#define KYMO_FREERTOS_OF_TIMER 3u
#define KYMO_FREERTOS_OF_FLAGS 5u
#define KYMO_FREERTOS_OF_STREAM 6u

#define traceQUEUE_CREATE(queue) kymo_freertos_queue_new((queue)->ucQueueType, (queue), 0)
#define traceQUEUE_REGISTRY_ADD(queue, name)                                                       \
    kymo_freertos_queue_new((queue)->ucQueueType, (queue), (name))
#define traceQUEUE_DELETE(queue) kymo_freertos_object_over(queue)
#define traceEVENT_GROUP_CREATE(group) kymo_freertos_object_new(KYMO_FREERTOS_OF_FLAGS, (group), 0)
#define traceEVENT_GROUP_DELETE(group) kymo_freertos_object_over(group)
#define traceSTREAM_BUFFER_CREATE(stream, is_message)                                              \
    kymo_freertos_object_new(KYMO_FREERTOS_OF_STREAM, (stream), 0)
#define traceSTREAM_BUFFER_DELETE(stream) kymo_freertos_object_over(stream)
#define traceTIMER_CREATE(timer)                                                                   \
    kymo_freertos_object_new(KYMO_FREERTOS_OF_TIMER, (timer), (timer)->pcTimerName)
#define traceTIMER_COMMAND_RECEIVED(timer, command, value)                                         \
    do {                                                                                           \
        if ((command) == tmrCOMMAND_DELETE) {                                                      \
            kymo_freertos_object_over(timer);                                                      \
        }                                                                                          \
    } while (0)

/* Its creation gives a mutex once, which nobody holds. KYMO_FREERTOS_LEVELS: see README.md. */
#if defined(KYMO_FREERTOS_LEVELS) && KYMO_FREERTOS_LEVELS
#define KYMO_FREERTOS_PUT_(queue)                                                                  \
    kymo_freertos_put((queue), (unsigned long)((queue)->uxMessagesWaiting < (queue)->uxLength      \
                                                   ? (queue)->uxMessagesWaiting + 1u               \
                                                   : (queue)->uxLength))
#define KYMO_FREERTOS_GET_(queue)                                                                  \
    kymo_freertos_get((queue), (unsigned long)((queue)->uxMessagesWaiting - 1u))
#define traceTIMER_EXPIRED(timer) kymo_freertos_put((timer), 0u)
#define traceEVENT_GROUP_SET_BITS(group, bits)                                                     \
    kymo_freertos_put((group), (unsigned long)((group)->uxEventBits | (bits)))
#else
#define KYMO_FREERTOS_PUT_(queue) ((void)0)
#define KYMO_FREERTOS_GET_(queue) ((void)0)
#endif
#define traceQUEUE_RECEIVE(queue)                                                                  \
    do {                                                                                           \
        if (KYMO_FREERTOS_IS_MUTEX_(queue)) {                                                      \
            kymo_freertos_mutex_take(queue);                                                       \
        } else {                                                                                   \
            KYMO_FREERTOS_GET_(queue);                                                             \
        }                                                                                          \
    } while (0)
#define traceQUEUE_SEND(queue)                                                                     \
    do {                                                                                           \
        if (!KYMO_FREERTOS_IS_MUTEX_(queue)) {                                                     \
            KYMO_FREERTOS_PUT_(queue);                                                             \
        } else if ((queue)->u.xSemaphore.xMutexHolder) {                                           \
            kymo_freertos_mutex_give(queue);                                                       \
        }                                                                                          \
    } while (0)
#define traceQUEUE_RECEIVE_FROM_ISR(queue) KYMO_FREERTOS_GET_(queue)
#define traceQUEUE_SEND_FROM_ISR(queue) KYMO_FREERTOS_PUT_(queue)
/* Only ESP-IDF's kernel calls these: others call the two above. */
#define traceQUEUE_SEMAPHORE_RECEIVE(queue) traceQUEUE_RECEIVE(queue)
#define traceQUEUE_GIVE_FROM_ISR(queue) KYMO_FREERTOS_PUT_(queue)

/* ---- the rest ---- */

#ifdef ESP_PLATFORM
#define traceISR_ENTER(number) kymo_freertos_interrupt_enter()
#else
#define traceISR_ENTER() kymo_freertos_interrupt_enter()
#endif
#define traceISR_EXIT() kymo_freertos_interrupt_leave()
#define traceISR_EXIT_TO_SCHEDULER() kymo_freertos_interrupt_leave()

#define traceMALLOC(address, bytes) kymo_freertos_malloc((address), (unsigned long)(bytes))
#define traceFREE(address, bytes) kymo_freertos_free(address)

#define traceLOW_POWER_IDLE_BEGIN() kymo_freertos_sleep_begin()
#define traceLOW_POWER_IDLE_END() kymo_freertos_sleep_end()

#elif !defined(__ASSEMBLER__) && !defined(__IASMARM__)

/* Nothing is recorded, so nothing waits to be sent. */
#define kymo_freertos_finish(ticks) ((void)(ticks), 1)

#endif
#endif
