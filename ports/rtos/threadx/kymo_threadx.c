/* SPDX-License-Identifier: MIT */
/* The functions that the hooks of kymo_threadx.h call, and the thread that sends the trace. */
#include "tx_api.h"
#include "tx_thread.h"

#if __has_include("kymo/tasks.h")
#include "kymo/tasks.h"
#else /* the form of two files */
#include "kymo.h"
#endif

#if KYMO_ENABLE

#ifndef KYMO_THREADX_H
#error                                                                                             \
    "kymo: write #include \"kymo_threadx.h\" as the last line of tx_user.h, and set TX_INCLUDE_USER_DEFINE_FILE"
#endif
#if KYMO_TASKS == 0
#error "kymo: set KYMO_TASKS, to 32 for example: kymo_threadx.c records by kymo/tasks.h"
#endif

#define TEXT_(number) #number
#define TEXT(number) TEXT_(number)
#define RELEASE                                                                                    \
    TEXT(THREADX_MAJOR_VERSION) "." TEXT(THREADX_MINOR_VERSION) "." TEXT(THREADX_PATCH_VERSION)

/* Marks a thread that has ended, until it is created again or reset. */
#define OVER (~0ul)
/* A flag in the kept priority of a thread. */
#define INHERITS 0x80000000u
/* From there on the kernel initializes, and serves no interrupt. */
#define INITIALIZES 0xf0000000ul

KYMO_CONTEXT(interrupts, "interrupt", KYMO_CONTEXT_INTERRUPT);

/* Called by the kernel, most of them by the assembler files of its port. */
void _tx_execution_initialize(void);
void _tx_execution_thread_enter(void);
void _tx_execution_thread_exit(void);
void _tx_execution_isr_enter(void);
void _tx_execution_isr_exit(void);

static unsigned long numbers;
/* The thread that the core runs, or ran last. NULL: idle, for which the kernel has no thread. */
static TX_THREAD *runs;

static kymo_context idle(void) { return kymo_task_numbered(0u); }

void _tx_execution_initialize(void) {}

/* ---- interrupts ---- */

#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
static inline uint32_t exception(void) {
    uint32_t number;
    __asm__ volatile("mrs %0, ipsr" : "=r"(number));
    return number;
}
#else
static inline uint32_t exception(void) { return KYMO_WAKER_INTERRUPT - 1u; }
#endif

static uint32_t waker(void) {
    const unsigned long state = TX_THREAD_GET_SYSTEM_STATE();
    return state != 0u && state < INITIALIZES ? exception() + 1u : KYMO_WAKER_RUNS;
}

void _tx_execution_isr_enter(void) {
    TX_INTERRUPT_SAVE_AREA
    TX_DISABLE
    kymo_irq_enter((kymo_context)&interrupts, exception());
    TX_RESTORE
}

void _tx_execution_isr_exit(void) {
    TX_INTERRUPT_SAVE_AREA
    TX_DISABLE
    kymo_irq_leave(exception());
    TX_RESTORE
}

/* ---- threads ---- */

static void is_new(TX_THREAD *thread) {
    if (numbers == 0u) {
        kymo_tasks_kernel("ThreadX " RELEASE, TX_TIMER_TICKS_PER_SECOND, false);
        kymo_task_new(idle(), KYMO_CONTEXT_IDLE, "idle", (int32_t)TX_MAX_PRIORITIES);
    }
    thread->kymo_number = ++numbers;
    thread->kymo_priority = thread->tx_thread_priority;
    kymo_task_new(kymo_task_numbered((uint32_t)numbers), KYMO_CONTEXT_TASK, thread->tx_thread_name,
                  (int32_t)thread->tx_thread_priority);
}

static kymo_context of(TX_THREAD *thread) {
    if (thread->kymo_number == 0u) {
        is_new(thread);
    }
    return kymo_task_numbered((uint32_t)thread->kymo_number);
}

/* No hook reports a change of priority. So the last reported priority is kept, and whether it was inherited. */
static void look_at_priority(TX_THREAD *thread) {
    const unsigned priority = thread->tx_thread_priority;
    const bool inherits = priority != thread->tx_thread_user_priority;
    const unsigned now = priority | (inherits ? INHERITS : 0u);
    if (now != thread->kymo_priority) {
        const bool inherited = (thread->kymo_priority & INHERITS) != 0u;
        thread->kymo_priority = now;
        kymo_task_priority(of(thread), (int32_t)priority,
                           inherits    ? KYMO_PRIORITY_INHERITED
                           : inherited ? KYMO_PRIORITY_GIVEN_BACK
                                       : KYMO_PRIORITY_SET);
    }
}

void kymo_threadx_state(TX_THREAD *thread, unsigned state) {
    if (state == TX_READY) {
        thread->kymo_number = thread->kymo_number != OVER ? thread->kymo_number : 0u;
        kymo_task_ready(of(thread), waker());
        look_at_priority(thread);
    } else if (state == TX_SUSPENDED && thread != runs && thread->kymo_number != OVER) {
        kymo_task_suspended(of(thread));
    } else if ((state == TX_COMPLETED || state == TX_TERMINATED) && thread->kymo_number != OVER) {
        kymo_task_ends(of(thread));
        thread->kymo_number = OVER;
    }
}

/* ---- why threads wait ---- */

/* All objects begin so. */
struct object {
    ULONG id;
    const char *name;
};

/* Describes the object that a thread waits for. Repeated if another one had the same place meanwhile. */
static void tell_object(const struct object *object, enum kymo_object_class class) {
    static struct {
        const struct object *object;
        const char *name;
    } places[KYMO_TASKS];
    const uintptr_t place = ((uintptr_t)object >> 3) % KYMO_TASKS;
    if (places[place].object != object || places[place].name != object->name) {
        places[place].object = object;
        places[place].name = object->name;
        kymo_task_object((uintptr_t)object, class, object->name);
    }
}

static void waits_for(const struct object *object, enum kymo_object_class class,
                      enum kymo_why why) {
    if (object != NULL) {
        tell_object(object, class);
    }
    kymo_task_why(why, (uintptr_t)object);
}

static void tell_why(const TX_THREAD *thread) {
    const struct object *object = (const struct object *)thread->tx_thread_suspend_control_block;
    switch (thread->tx_thread_state) {
    case TX_SLEEP:
        kymo_task_why(KYMO_WHY_DELAY, 0u);
        break;
    case TX_SUSPENDED:
        kymo_task_why(KYMO_WHY_SUSPENDED, 0u);
        break;
    case TX_QUEUE_SUSP:
        waits_for(object, KYMO_OBJECT_QUEUE,
                  ((const TX_QUEUE *)(const void *)object)->tx_queue_enqueued == 0u
                      ? KYMO_WHY_EMPTY
                      : KYMO_WHY_FULL);
        break;
    case TX_SEMAPHORE_SUSP:
        waits_for(object, KYMO_OBJECT_SEMAPHORE, KYMO_WHY_SEMAPHORE);
        break;
    case TX_EVENT_FLAG:
        waits_for(object, KYMO_OBJECT_FLAGS, KYMO_WHY_FLAGS);
        break;
    case TX_BLOCK_MEMORY:
    case TX_BYTE_MEMORY:
        waits_for(object, KYMO_OBJECT_POOL, KYMO_WHY_MEMORY);
        break;
    case TX_MUTEX_SUSP:
        waits_for(object, KYMO_OBJECT_LOCK, KYMO_WHY_LOCK);
        break;
    case TX_IO_DRIVER:
    case TX_FILE:
    case TX_TCP_IP:
        kymo_task_why(KYMO_WHY_IO, 0u);
        break;
    default:
        break;
    }
}

/* ---- the running thread ---- */

static void leave(void) {
    const bool is_ready = runs == NULL || runs->tx_thread_state == TX_READY;
    if (!is_ready) {
        tell_why(runs);
    }
    kymo_task_out(is_ready, 0u);
}

static void run(TX_THREAD *next) {
    if (next != runs) {
        leave();
        runs = next;
        kymo_task_in(next != NULL ? of(next) : idle());
    }
}

/* Also called when the same thread continues. */
void _tx_execution_thread_enter(void) {
    TX_INTERRUPT_SAVE_AREA
    TX_DISABLE
    run(_tx_thread_current_ptr);
    look_at_priority(_tx_thread_current_ptr);
    TX_RESTORE
}

/* It comes also without a thread. Where another one is ready, the kernel enters that next. */
void _tx_execution_thread_exit(void) {
    TX_INTERRUPT_SAVE_AREA
    TX_DISABLE
    if (_tx_thread_execute_ptr == NULL && numbers != 0u) {
        run(NULL);
    }
    TX_RESTORE
}

/* ---- the thread that sends ---- */

void kymo_threadx_trace(unsigned long unused) {
    (void)unused;
    for (;;) {
        while (kymo_drain(0u)) {}
        (void)tx_thread_sleep(1u);
    }
}

#elif defined(KYMO_THREADX_EXTENSION)
#error                                                                                             \
    "kymo: KYMO_ENABLE is 0 for the recorder only; compile the whole project with -DKYMO_ENABLE=0"
#endif
