/* SPDX-License-Identifier: MIT */
/* Records the events of kymo_freertos.h's trace macros, and sends them by a task. */
#ifdef ESP_PLATFORM
#include "freertos/FreeRTOS.h"
#include "freertos/task.h"
#else
#include "FreeRTOS.h"
#include "task.h"
#endif

#if __has_include("kymo/tasks.h")
#include "kymo/tasks.h"
#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
#include "kymo_arch.h"
#endif
#else /* the form of two files */
#include "kymo.h"
#endif

#if KYMO_ENABLE

#ifndef KYMO_FREERTOS_H
#error "kymo: write #include \"kymo_freertos.h\" as the last line of FreeRTOSConfig.h"
#endif
#if defined(configNUMBER_OF_CORES) && configNUMBER_OF_CORES > KYMO_LANES
#error "kymo: set KYMO_LANES to configNUMBER_OF_CORES at least"
#endif
#if KYMO_TASKS == 0
#error "kymo: set KYMO_TASKS, to 32 for example: kymo_freertos.c records by kymo/tasks.h"
#endif

#define TICK_EXCEPTION 15u
/* Types of a queue. */
#define IS_MUTEX 1u
#define IS_COUNTING 2u
#define IS_BINARY 3u
#define IS_RECURSIVE_MUTEX 4u

_Static_assert(KYMO_FREERTOS_DELAY == KYMO_WHY_DELAY && KYMO_FREERTOS_EMPTY == KYMO_WHY_EMPTY &&
                   KYMO_FREERTOS_FULL == KYMO_WHY_FULL &&
                   KYMO_FREERTOS_NOTIFICATION == KYMO_WHY_NOTIFICATION &&
                   KYMO_FREERTOS_FLAGS == KYMO_WHY_FLAGS &&
                   KYMO_FREERTOS_SUSPENDED == KYMO_WHY_SUSPENDED,
               "the header's numbers are those of the wire");
_Static_assert(KYMO_FREERTOS_OF_TIMER == KYMO_OBJECT_TIMER &&
                   KYMO_FREERTOS_OF_FLAGS == KYMO_OBJECT_FLAGS &&
                   KYMO_FREERTOS_OF_STREAM == KYMO_OBJECT_STREAM,
               "and so are those of classes");

KYMO_CONTEXT(tick, "tick", KYMO_CONTEXT_INTERRUPT);
KYMO_CONTEXT(interrupts, "interrupt", KYMO_CONTEXT_INTERRUPT);

static kymo_context of(unsigned long number) { return kymo_task_numbered((uint32_t)number); }

/* ---- which interrupt it is ---- */

#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'

/* 0: none. */
static inline uint32_t exception(void) {
    uint32_t number;
    __asm__ volatile("mrs %0, ipsr" : "=r"(number));
    return number;
}

static inline uint32_t waker(void) {
    const uint32_t number = exception();
    return number != 0u ? number + 1u : KYMO_WAKER_RUNS;
}

#elif defined(ESP_PLATFORM) || (defined(configNUMBER_OF_CORES) && configNUMBER_OF_CORES > 1)

#ifdef ESP_PLATFORM
#define IS_IN_ISR() xPortInIsrContext()
#else
#define IS_IN_ISR() portCHECK_IF_IN_ISR()
#endif

static inline uint32_t exception(void) { return KYMO_WAKER_INTERRUPT - 1u; }
static inline uint32_t waker(void) { return IS_IN_ISR() ? KYMO_WAKER_INTERRUPT : KYMO_WAKER_RUNS; }

#elif defined(__riscv)

extern const StackType_t xISRStackTop;

#ifdef configISR_STACK_SIZE_WORDS
#define ISR_STACK_BYTES (configISR_STACK_SIZE_WORDS * sizeof(StackType_t))
#else
#define ISR_STACK_BYTES 2048u /* the linker script knows */
#endif
#define IS_INTERRUPT (~(~(uintptr_t)0u >> 1))

static inline uint32_t exception(void) { return 0u; }

/* The last trap's cause stays when it is over: where the stack is the interrupts' own, this one is served. */
static inline uint32_t waker(void) {
    uintptr_t stack, cause;
    __asm__ volatile("mv %0, sp" : "=r"(stack));
    if ((uintptr_t)xISRStackTop - stack >= ISR_STACK_BYTES) {
        return KYMO_WAKER_RUNS;
    }
    __asm__ volatile("csrr %0, mcause" : "=r"(cause));
    return (cause & IS_INTERRUPT) != 0u ? (uint32_t)(cause & ~IS_INTERRUPT) + 1u : KYMO_WAKER_RUNS;
}

#else

static inline uint32_t exception(void) { return 0u; }
static inline uint32_t waker(void) { return KYMO_WAKER_RUNS; }

#endif

void kymo_freertos_interrupt_enter(void) {
    const uint32_t number = exception();
    kymo_irq_enter(number == TICK_EXCEPTION ? (kymo_context)&tick : (kymo_context)&interrupts,
                   number);
}

void kymo_freertos_interrupt_leave(void) { kymo_irq_leave(exception()); }

/* ---- tasks ---- */

/* From a control block to its name. */
static uintptr_t name_offset;

/* "idle": how the names of the idle tasks begin. NULL: the scheduler has made them, just before it started. */
static enum kymo_context_kind kind_of(const char *name, unsigned long priority, const char *idle) {
    while (idle != NULL && *idle != '\0' && *idle == *name) {
        idle++;
        name++;
    }
    return idle != NULL && *idle == '\0' && priority == tskIDLE_PRIORITY ? KYMO_CONTEXT_IDLE
                                                                         : KYMO_CONTEXT_TASK;
}

/* Where kymo counts SysTick too, the kernel must not change its period, which the recorder knows from its start. */
#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M' && KYMO_CLOCK < 2

static uint32_t period_at_first;

static uint32_t systick_period(void) {
    return kymo_cortexm_clock == KYMO_CORTEXM_SYSTICK ? *(volatile uint32_t *)0xe000e014u : 0u;
}

static void keep_period(void) {
    if (period_at_first == 0u) {
        period_at_first = systick_period();
    }
}

static void check_period(void) {
    static const char wrong[] = "kymo: times are wrong: FreeRTOS changed SysTick; see \"Clock\" in "
                                "ports/rtos/freertos/README.md\n";
    if (systick_period() != period_at_first) {
        (void)kymo_print(wrong, sizeof wrong - 1u);
    }
}

#else

static void keep_period(void) {}
static void check_period(void) {}

#endif

void kymo_freertos_task_new(const void *tcb, unsigned long number, const char *name,
                            unsigned long priority, const char *idle) {
    kymo_tasks_kernel("FreeRTOS " tskKERNEL_VERSION_NUMBER, configTICK_RATE_HZ, true);
    keep_period();
    name_offset = (uintptr_t)name - (uintptr_t)tcb;
    kymo_task_new(of(number), kind_of(name, priority, idle), name, (int32_t)priority);
}

void kymo_freertos_task_over(unsigned long number) { kymo_task_ends(of(number)); }

void kymo_freertos_core_leaves(unsigned core, unsigned long number) {
    static bool has_left[KYMO_LANES];
    if (core < KYMO_LANES && !has_left[core]) {
        has_left[core] = true;
        kymo_task_in(of(number));
    }
}

void kymo_freertos_task_out(int is_ready, unsigned long ticks) {
    kymo_task_out(is_ready != 0, ticks < KYMO_WHY_TICKS_MAX ? (uint32_t)ticks : KYMO_WHY_TICKS_MAX);
}

void kymo_freertos_task_in(unsigned long number) { kymo_task_in(of(number)); }

void kymo_freertos_task_ready(unsigned long number) { kymo_task_ready(of(number), waker()); }

void kymo_freertos_task_suspended(unsigned long number) { kymo_task_suspended(of(number)); }

void kymo_freertos_task_priority(unsigned long number, unsigned long priority, unsigned cause) {
    kymo_task_priority(of(number), (int32_t)priority, (enum kymo_priority_cause)cause);
}

/* ---- why tasks wait ---- */

void kymo_freertos_waits(unsigned why, const void *object) {
    kymo_task_why((enum kymo_why)why, (uintptr_t)object);
}

/* The list of tasks that wait to receive is a member of its queue, after that of the tasks that wait to send. */
void kymo_freertos_waits_listed(const void *event_list) {
    if (event_list == NULL) {
        kymo_task_why(KYMO_WHY_DELAY, 0u);
    } else {
        kymo_task_why(KYMO_WHY_EMPTY, (uintptr_t)event_list - sizeof(StaticList_t) -
                                          offsetof(StaticQueue_t, xDummy3));
    }
}

static bool is_mutex(unsigned type) { return type == IS_MUTEX || type == IS_RECURSIVE_MUTEX; }

/* The waits of a lock are also recorded without events of tasks. */
void kymo_freertos_queue_waits(unsigned type, const void *queue) {
    if (is_mutex(type)) {
        kymo_object_event(KYMO_KIND_LOCK_WAIT, (uintptr_t)queue);
    }
    kymo_task_why(is_mutex(type)                             ? KYMO_WHY_LOCK
                  : type == IS_COUNTING || type == IS_BINARY ? KYMO_WHY_SEMAPHORE
                                                             : KYMO_WHY_EMPTY,
                  (uintptr_t)queue);
}

/* The kernel reports streams, and only those, while other contexts may come in between. A core changes only its own
 * task's state: ESP-IDF's lock serves for its mask of interrupts. */
#ifdef ESP_PLATFORM
static portMUX_TYPE stream_lock = portMUX_INITIALIZER_UNLOCKED;
#define MASK() taskENTER_CRITICAL(&stream_lock)
#define UNMASK() taskEXIT_CRITICAL(&stream_lock)
#else
#define MASK() taskENTER_CRITICAL()
#define UNMASK() taskEXIT_CRITICAL()
#endif

void kymo_freertos_stream_waits(unsigned why, const void *stream) {
    MASK();
    kymo_task_why_of_call((enum kymo_why)why, (uintptr_t)stream);
    UNMASK();
}

void kymo_freertos_stream_done(void) {
    MASK();
    kymo_task_why_ends();
    UNMASK();
}

/* ---- objects ---- */

void kymo_freertos_queue_new(unsigned type, const void *queue, const char *name) {
    kymo_task_object((uintptr_t)queue,
                     is_mutex(type)                             ? KYMO_OBJECT_LOCK
                     : type == IS_COUNTING || type == IS_BINARY ? KYMO_OBJECT_SEMAPHORE
                                                                : KYMO_OBJECT_QUEUE,
                     name);
}

void kymo_freertos_object_new(unsigned class, const void *object, const char *name) {
    kymo_task_object((uintptr_t)object, (enum kymo_object_class) class, name);
}

void kymo_freertos_object_over(const void *object) { kymo_task_object_over((uintptr_t)object); }

void kymo_freertos_put(const void *object, unsigned long level) {
    kymo_task_put((uintptr_t)object, (uint32_t)level);
}

void kymo_freertos_get(const void *object, unsigned long level) {
    kymo_task_get((uintptr_t)object, (uint32_t)level);
}

void kymo_freertos_mutex_take(const void *mutex) {
    kymo_object_event(KYMO_KIND_LOCK_OBTAIN, (uintptr_t)mutex);
}

void kymo_freertos_mutex_give(const void *mutex) {
    kymo_object_event(KYMO_KIND_LOCK_RELEASE, (uintptr_t)mutex);
}

/* ---- memory and sleep ---- */

#if KYMO_TRACING_MODE >= 2
KYMO_POOL(heap, "FreeRTOS heap");

void kymo_freertos_malloc(const void *address, unsigned long bytes) {
    if (address != NULL) {
        KYMO_ALLOC(heap, address, (size_t)bytes);
    }
}

void kymo_freertos_free(const void *address) { KYMO_FREE(heap, address); }
#else
void kymo_freertos_malloc(const void *address, unsigned long bytes) { (void)address, (void)bytes; }
void kymo_freertos_free(const void *address) { (void)address; }
#endif

KYMO_SITE_DEFINE_GLOBAL(sleep, KYMO_SITE_ZONE, "tickless sleep", 0u, 0u, NULL);
static kymo_zone sleeps;

void kymo_freertos_sleep_begin(void) { sleeps = kymo_zone_begin(&sleep); }
void kymo_freertos_sleep_end(void) { kymo_zone_end(sleeps); }

/* ---- the task that sends ---- */

#if defined(INCLUDE_uxTaskGetStackHighWaterMark) && INCLUDE_uxTaskGetStackHighWaterMark == 1

#define STACK_TICKS ((TickType_t)(configTICK_RATE_HZ / 10u))

/* One task in a tenth of a second, as this looks at all words of the stack that were never used. */
static void look_at_a_stack(void) {
    static uint32_t place;
    static TickType_t looked_at;
    kymo_context task;
    const char *name;
    if ((TickType_t)(xTaskGetTickCount() - looked_at) < STACK_TICKS) {
        return;
    }
    looked_at = xTaskGetTickCount();
    vTaskSuspendAll(); /* so that it is not deleted */
    if (kymo_task_at(&place, &task, &name)) {
        const TaskHandle_t handle = (TaskHandle_t)((uintptr_t)name - name_offset);
        kymo_task_stack(task, (uint32_t)(uxTaskGetStackHighWaterMark(handle) * sizeof(StackType_t)),
                        0u);
    }
    (void)xTaskResumeAll();
}

#else

static void look_at_a_stack(void) {}

#endif

void kymo_freertos_trace(void *unused) {
    (void)unused;
    check_period();
    for (;;) {
        while (kymo_drain(0u)) {}
        look_at_a_stack();
        vTaskDelay(1);
    }
}

/* Without draining, as it may have preempted the other task in the middle of that; and stopped, as each look records
 * events. */
int kymo_freertos_finish(unsigned long ticks) {
    const TickType_t begin = xTaskGetTickCount();
    bool is_pending;
    kymo_stop();
    kymo_finish();
    while ((is_pending = kymo_pending()) && (TickType_t)(xTaskGetTickCount() - begin) < ticks) {
        vTaskDelay(1);
    }
    return is_pending ? 0 : 1;
}

#elif defined(KYMO_FREERTOS_DELAY)
#error                                                                                             \
    "kymo: KYMO_ENABLE is 0 for the recorder only; compile the whole project with -DKYMO_ENABLE=0"
#endif
