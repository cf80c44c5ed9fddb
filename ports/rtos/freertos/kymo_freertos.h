/* FreeRTOS 10.4 to 11.x, one core: include as the last line of FreeRTOSConfig.h. Records tasks, switches, the tick
 * interrupt and mutexes by the kernel's trace macros. README.md says how to build it. */
#ifndef KYMO_FREERTOS_H
#define KYMO_FREERTOS_H

#if !defined(__ASSEMBLER__) && !defined(__IASMARM__)

#if configUSE_TRACE_FACILITY != 1
#error                                                                                             \
    "kymo: set configUSE_TRACE_FACILITY to 1 in FreeRTOSConfig.h: tasks are told apart by their trace number"
#endif
#if defined(configNUMBER_OF_CORES) && configNUMBER_OF_CORES > 1
#error "kymo: kymo_freertos.h records one core; set configNUMBER_OF_CORES to 1"
#endif

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The macros below call these, in the kernel's critical sections or with its scheduler suspended. Not for
 * applications. "tcb" is the task's control block and "number" its trace number, which no other task ever has. */
void kymo_freertos_task_new(const void *tcb, unsigned long number, const char *name);
void kymo_freertos_task_over(const void *tcb, unsigned long number);
void kymo_freertos_task_in(const void *tcb, unsigned long number);
void kymo_freertos_interrupt_enter(void);
void kymo_freertos_interrupt_leave(void);
void kymo_freertos_mutex_new(const void *mutex);
void kymo_freertos_mutex_name(const void *mutex, const char *name);
void kymo_freertos_mutex_over(const void *mutex);
void kymo_freertos_mutex_wait(const void *mutex);
void kymo_freertos_mutex_take(const void *mutex);
void kymo_freertos_mutex_give(const void *mutex);

#ifdef __cplusplus
}
#endif

#define traceTASK_CREATE(tcb)                                                                      \
    kymo_freertos_task_new((tcb), (unsigned long)(tcb)->uxTCBNumber, (tcb)->pcTaskName)
#define traceTASK_DELETE(tcb) kymo_freertos_task_over((tcb), (unsigned long)(tcb)->uxTCBNumber)
#define traceTASK_SWITCHED_IN()                                                                    \
    kymo_freertos_task_in(pxCurrentTCB, (unsigned long)pxCurrentTCB->uxTCBNumber)

#define traceISR_ENTER() kymo_freertos_interrupt_enter()
#define traceISR_EXIT() kymo_freertos_interrupt_leave()
#define traceISR_EXIT_TO_SCHEDULER() kymo_freertos_interrupt_leave()

/* Types of a queue: 1 a mutex, 4 a recursive one. */
#define KYMO_FREERTOS_MUTEX_(queue, call)                                                          \
    do {                                                                                           \
        if ((queue)->ucQueueType == 1u || (queue)->ucQueueType == 4u) {                            \
            call;                                                                                  \
        }                                                                                          \
    } while (0)

#define traceCREATE_MUTEX(queue) kymo_freertos_mutex_new(queue)
#define traceQUEUE_REGISTRY_ADD(queue, name)                                                       \
    KYMO_FREERTOS_MUTEX_(queue, kymo_freertos_mutex_name((queue), (name)))
#define traceQUEUE_DELETE(queue) KYMO_FREERTOS_MUTEX_(queue, kymo_freertos_mutex_over(queue))
#define traceBLOCKING_ON_QUEUE_RECEIVE(queue)                                                      \
    KYMO_FREERTOS_MUTEX_(queue, kymo_freertos_mutex_wait(queue))
#define traceQUEUE_RECEIVE(queue) KYMO_FREERTOS_MUTEX_(queue, kymo_freertos_mutex_take(queue))
/* Its creation gives a mutex once, which nobody holds. */
#define traceQUEUE_SEND(queue)                                                                     \
    KYMO_FREERTOS_MUTEX_(                                                                          \
        queue, if ((queue)->u.xSemaphore.xMutexHolder) { kymo_freertos_mutex_give(queue); })

#endif
#endif
