/* SPDX-License-Identifier: MIT */
/* The glue of FreeRTOS against a kernel of a few lines that uses the trace macros as tasks.c, queue.c and so on do, and
 * a recorder that writes down what it is told. */
#include <stdio.h>
#include <string.h>

#include "cases.h"
#include "kymo/tasks.h"
#include "task.h"

/* ---- the kernel's names that the macros use ---- */

#define pdFALSE 0
#define configIDLE_TASK_NAME "IDLE"
#define tmrCOMMAND_DELETE 5
#define listLIST_ITEM_CONTAINER(item) ((item)->container)
#define listGET_LIST_ITEM_VALUE(item) ((item)->value)

struct list {
    uintptr_t words[5];
};

struct item {
    TickType_t value;
    const struct list *container;
};

struct task {
    uint64_t memory[3];
    struct item xStateListItem, xEventListItem;
    UBaseType_t uxPriority;
    uint32_t uxTCBNumber;
    char pcTaskName[8];
};

struct queue {
    void *ends[3];
    union {
        struct {
            const struct task *xMutexHolder;
        } xSemaphore;
    } u;
    struct list to_send, to_receive;
    UBaseType_t uxMessagesWaiting, uxLength;
    uint8_t ucQueueType;
};

struct timer {
    const char *pcTimerName;
};

struct group {
    uint32_t uxEventBits;
};

static struct list pxReadyTasksLists[4], delayed, overflowed, suspended;
static const struct list *const pxDelayedTaskList = &delayed;
static const struct list *const pxOverflowDelayedTaskList = &overflowed;
static const TickType_t xTickCount = 0xfffffff0u;
static BaseType_t xSchedulerRunning;
#if configNUMBER_OF_CORES > 1
static struct task *pxCurrentTCBs[configNUMBER_OF_CORES];
static unsigned the_core;
#define portGET_CORE_ID() the_core
#define pxCurrentTCB pxCurrentTCBs[the_core]
#define NO_NUMBER (KYMO_WAKER_INTERRUPT - 1u)
#else
static struct task *pxCurrentTCB;
#define NO_NUMBER 0u
#endif
static struct task one, other;
static uint32_t numbers;

/* ---- the recorder ---- */

static char told[4096];
static int masks;

static void __attribute__((format(printf, 1, 2))) tell(const char *format, ...) {
    const size_t length = strlen(told);
    va_list args;
    va_start(args, format);
    const int count = vsnprintf(told + length, sizeof told - length, format, args);
    va_end(args);
    assert_true(count > 0 && length + (size_t)count < sizeof told);
}

static unsigned number_of(kymo_context task) {
    assert_int_equal(task % 8u, 0u);
    return (unsigned)((0xfffffff8u - task) / 8u);
}

static const void *const *named; /* an object, in the reported events */

static const char *object(uintptr_t identity) {
    return identity == 0u ? "0" : named != NULL && identity == (uintptr_t)named ? "it" : "?";
}

void kymo_tasks_kernel(const char *name, uint32_t ticks_hz, bool greater_first) {
    assert_string_equal(name, "FreeRTOS V11.3.0");
    assert_int_equal(ticks_hz, configTICK_RATE_HZ);
    assert_true(greater_first);
}
void kymo_task_new(kymo_context task, enum kymo_context_kind kind, const char *name,
                   int32_t priority) {
    tell("%s %u %s %d;", kind == KYMO_CONTEXT_IDLE ? "idle" : "new", number_of(task), name,
         priority);
}
void kymo_task_ends(kymo_context task) { tell("ends %u;", number_of(task)); }
void kymo_task_waits(uint32_t ticks) { tell("waits %u;", ticks); }
void kymo_task_in(kymo_context task) { tell("in %u;", number_of(task)); }
void kymo_task_ready(kymo_context task, uint32_t waker) {
    tell(waker == KYMO_WAKER_RUNS ? "wakes %u;" : "interrupt wakes %u;", number_of(task));
}
void kymo_task_suspended(kymo_context task) { tell("suspends %u;", number_of(task)); }
void kymo_task_priority(kymo_context task, int32_t priority, enum kymo_priority_cause cause) {
    tell("priority %u %d %d;", number_of(task), priority, cause);
}
void kymo_task_why(enum kymo_why why, uintptr_t of) { tell("why %d %s;", why, object(of)); }
void kymo_task_why_of_call(enum kymo_why why, uintptr_t of) {
    assert_int_equal(masks, 1);
    tell("call %d %s;", why, object(of));
}
void kymo_task_why_ends(void) {
    assert_int_equal(masks, 1);
    tell("call ends;");
}
void kymo_task_object(uintptr_t identity, enum kymo_object_class of, const char *name) {
    assert_true(identity != 0u);
    tell("object %d %s;", of, name != NULL ? name : "-");
}
void kymo_task_object_over(uintptr_t identity) { tell("over %s;", object(identity)); }
void kymo_task_put(uintptr_t identity, uint32_t level) {
    tell("put %s %u;", object(identity), level);
}
void kymo_task_get(uintptr_t identity, uint32_t level) {
    tell("get %s %u;", object(identity), level);
}
void kymo_irq_enter(kymo_context interrupt, uint32_t number) {
    assert_true(interrupt != 0u && number == NO_NUMBER);
    tell("(;");
}
void kymo_irq_leave(uint32_t number) {
    assert_int_equal(number, NO_NUMBER);
    tell(");");
}
void kymo_object_event(enum kymo_event_kind kind, uint64_t identity) {
    tell("%s %s;",
         kind == KYMO_KIND_LOCK_WAIT     ? "wait"
         : kind == KYMO_KIND_LOCK_OBTAIN ? "obtain"
                                         : "release",
         object((uintptr_t)identity));
}
void kymo_alloc(const struct kymo_site *pool, const void *address, size_t bytes) {
    assert_string_equal(pool->name, "FreeRTOS heap");
    assert_non_null(address);
    tell("alloc %zu;", bytes);
}
void kymo_free(const struct kymo_site *pool, const void *address) {
    assert_string_equal(pool->name, "FreeRTOS heap");
    tell(address != NULL ? "free;" : "?");
}
kymo_zone kymo_zone_begin(const struct kymo_site *site) {
    tell("sleep %s;", site->name);
    return NULL;
}
void kymo_zone_end(kymo_zone zone) { tell(zone == NULL ? "awake;" : "?"); }

/* ---- the kernel's calls, for the task that sends ---- */

static TickType_t ticks;
static jmp_buf sent;
static uint32_t drains, pends;

void vTaskEnterCritical(void) { masks++; }
void vTaskExitCritical(void) { masks--; }
void vTaskSuspendAll(void) { masks++; }
BaseType_t xTaskResumeAll(void) { return masks--; }
TickType_t xTaskGetTickCount(void) { return ticks; }
void vTaskDelay(TickType_t time) {
    ticks += time;
    if (ticks > 250u) {
        longjmp(sent, 1);
    }
}
UBaseType_t uxTaskGetStackHighWaterMark(TaskHandle_t task) {
    assert_int_equal(masks, 1);
    return task == &other ? 105u : 0u;
}
bool kymo_drain(size_t budget) {
    assert_int_equal(budget, 0u);
    return drains++ % 3u != 0u;
}
void kymo_stop(void) { tell("stop;"); }
void kymo_finish(void) { tell("finish;"); }
bool kymo_pending(void) {
    assert_true(strncmp(told, "stop;", 5) == 0); /* a task that looks is woken, which is an event */
    return pends != 0u && pends-- != 0u;
}
bool kymo_task_at(uint32_t *place, kymo_context *task, const char **name) {
    const uint32_t at = (*place)++;
    *task = 0xfffffff8u - 8u * other.uxTCBNumber;
    *name = other.pcTaskName;
    return at == 0u;
}
void kymo_task_stack(kymo_context task, uint32_t unused, uint32_t size) {
    tell("stack %u %u %u;", number_of(task), unused, size);
}

/* ---- the test's kernel ---- */

static void create(struct task *task, const char *name, UBaseType_t priority) {
    *task = (struct task){.uxTCBNumber = ++numbers, .uxPriority = priority};
    snprintf(task->pcTaskName, sizeof task->pcTaskName, "%s", name);
    traceTASK_CREATE(task);
    task->xStateListItem.container = &pxReadyTasksLists[priority];
    traceMOVED_TASK_TO_READY_STATE(task);
}

static void run(struct task *task) {
    traceTASK_SWITCHED_OUT();
    pxCurrentTCB = task;
    traceTASK_SWITCHED_IN();
}

#if configNUMBER_OF_CORES > 1
/* What a core runs first is known when it leaves. */
static void leave_for_the_first_time(void) {
    static bool has_left;
    for (the_core = 0u; the_core < configNUMBER_OF_CORES; the_core++) {
        pxCurrentTCB = &one;
        told[0] = '\0';
        run(&other);
        assert_string_equal(told, has_left ? "in 2;" : "in 1;in 2;");
    }
    has_left = true;
    the_core = 0u;
}
#else
static void leave_for_the_first_time(void) {}
#endif

FIXTURE(start) {
    numbers = 0u;
    xSchedulerRunning = 1;
    create(&one, "one", 1u);
    create(&other, "other", 2u);
    leave_for_the_first_time();
    pxCurrentTCB = &one;
    told[0] = '\0';
    named = NULL;
    return 0;
}

static void is_told(const char *text) {
    assert_string_equal(told, text);
    assert_int_equal(masks, 0);
    told[0] = '\0';
}

CASE(tasks_are_made, start) {
    struct task idle;
    create(&other, "other", 2u);
    create(&other, "IDLE", 0u); /* of the application */
    xSchedulerRunning = pdFALSE;
    create(&idle, "IDLE1", 0u);
    create(&other, "IDL", 0u);
    create(&other, "IDLER", 3u);
    is_told("new 3 other 2;wakes 3;new 4 IDLE 0;wakes 4;idle 5 IDLE1 0;wakes 5;new 6 IDL 0;wakes 6;"
            "new 7 IDLER 3;wakes 7;");
    traceTASK_DELETE(&other);
    is_told("ends 7;");
}

#if configNUMBER_OF_CORES > 1
bool in_interrupt;

/* Each core leaves its own task, also where the other one has made that wait. */
CASE(each_core_has_its_task, start) {
    struct task third;
    create(&third, "third", 3u);
    the_core = 1u;
    pxCurrentTCB = &other;
    traceTASK_SUSPEND(&one); /* runs on the other core */
    one.xStateListItem.container = &suspended;
    run(&third);
    the_core = 0u;
    run(&other);
    traceTASK_SUSPEND(&other);
    in_interrupt = true;
    traceMOVED_TASK_TO_READY_STATE(&one);
    in_interrupt = false;
    is_told("new 3 third 3;wakes 3;suspends 1;in 3;waits 0;in 2;why 8 0;interrupt wakes 1;");
}
#endif

/* The kernel's lists decide, whatever a call said before. */
CASE(leaves, start) {
    run(&other);
    is_told("in 2;");
    traceTASK_DELAY();
    other.xStateListItem = (struct item){xTickCount + 7u, &delayed};
    run(&one);
    is_told("why 1 0;waits 7;in 1;");
    one.xStateListItem = (struct item){5u, &overflowed};
    run(&other);
    is_told("waits 21;in 2;");
    other.xStateListItem.container = &suspended;
    run(&one);
    is_told("waits 0;in 1;");
}

CASE(priorities, start) {
    traceTASK_PRIORITY_SET(&one, 3);
    traceTASK_PRIORITY_INHERIT(&one, 5);
    traceTASK_PRIORITY_DISINHERIT(&one, 3);
    is_told("priority 1 3 0;priority 1 5 1;priority 1 3 2;");
}

/* Each call that may wait, once. The timers' task says that it delays, and waits for its queue. */
CASE(reasons, start) {
    static const char *const of_type[] = {"why 2 it;", "wait it;why 5 it;", "why 4 it;",
                                          "why 4 it;", "wait it;why 5 it;", "why 2 it;"};
    struct queue queue = {.uxLength = 1u};
    named = (const void *const *)(const void *)&queue;
    for (uint8_t type = 0; type < 6u; type++) {
        queue.ucQueueType = type;
        traceBLOCKING_ON_QUEUE_RECEIVE(&queue);
        is_told(of_type[type]);
        traceBLOCKING_ON_QUEUE_PEEK(&queue);
        is_told(of_type[type]);
    }
    traceBLOCKING_ON_QUEUE_SEND(&queue);
    is_told("why 3 it;");
    traceTASK_DELAY_UNTIL(0u);
    is_told("why 1 0;");
    pxCurrentTCB->xEventListItem.container = &queue.to_receive;
    traceTASK_DELAY_UNTIL(0u);
    is_told("why 2 it;");
    traceTASK_SUSPEND(&other);
    traceTASK_SUSPEND(&one);
    is_told("suspends 2;why 8 0;");
    traceTASK_NOTIFY_TAKE_BLOCK(0u);
    traceTASK_NOTIFY_WAIT_BLOCK(0u);
    is_told("why 6 0;why 6 0;");
    traceEVENT_GROUP_WAIT_BITS_BLOCK(&queue, 1u);
    traceEVENT_GROUP_SYNC_BLOCK(&queue, 1u, 2u);
    is_told("why 7 it;why 7 it;");
    traceBLOCKING_ON_STREAM_BUFFER_SEND(&queue);
    traceSTREAM_BUFFER_SEND(&queue, 1u);
    traceSTREAM_BUFFER_SEND_FAILED(&queue);
    is_told("call 3 it;call ends;call ends;");
    traceBLOCKING_ON_STREAM_BUFFER_RECEIVE(&queue);
    traceSTREAM_BUFFER_RECEIVE(&queue, 1u);
    traceSTREAM_BUFFER_RECEIVE_FAILED(&queue);
    is_told("call 2 it;call ends;call ends;");
}

/* Its creation gives it, which is no release; the kernel takes and gives with the holder that stood before. */
CASE(mutex_is_a_lock, start) {
    static const uint8_t types[] = {1, 4};
    for (uint32_t i = 0; i < sizeof types; i++) {
        const uint8_t type = types[i];
        struct queue mutex = {.ucQueueType = type, .uxLength = 1u};
        named = (const void *const *)(const void *)&mutex;
        traceQUEUE_CREATE(&mutex);
        traceQUEUE_SEND(&mutex);
        traceQUEUE_REGISTRY_ADD(&mutex, "bus");
        is_told("object 0 -;object 0 bus;");
        traceQUEUE_RECEIVE(&mutex);
        mutex.u.xSemaphore.xMutexHolder = &one;
        traceQUEUE_SEND(&mutex);
        traceQUEUE_DELETE(&mutex);
        is_told("obtain it;release it;over it;");
    }
}

/* A queue has its ends where a mutex has its holder. */
CASE(queues_have_levels, start) {
    static const char *const made[] = {"object 1 -;", "", "object 4 -;", "object 4 -;"};
    static const uint8_t types[] = {0, 2, 3};
    for (uint32_t i = 0; i < sizeof types; i++) {
        const uint8_t type = types[i];
        struct queue queue = {
            .ucQueueType = type, .u.xSemaphore.xMutexHolder = &one, .uxLength = 2u};
        named = (const void *const *)(const void *)&queue;
        traceQUEUE_CREATE(&queue);
        is_told(made[type]);
        queue.uxMessagesWaiting = 1u;
        traceQUEUE_SEND(&queue);
        traceQUEUE_RECEIVE(&queue);
        queue.uxMessagesWaiting = 2u;
        traceQUEUE_SEND_FROM_ISR(&queue); /* overwrites */
        traceQUEUE_RECEIVE_FROM_ISR(&queue);
        is_told("put it 2;get it 0;put it 2;get it 1;");
    }
}

CASE(other_objects, start) {
    struct timer timer = {"blink"};
    struct group group = {4u};
    named = (const void *const *)(const void *)&timer;
    traceTIMER_CREATE(&timer);
    traceTIMER_EXPIRED(&timer);
    traceTIMER_COMMAND_RECEIVED(&timer, 1, 0);
    traceTIMER_COMMAND_RECEIVED(&timer, tmrCOMMAND_DELETE, 0);
    is_told("object 3 blink;put it 0;over it;");
    named = (const void *const *)(const void *)&group;
    traceEVENT_GROUP_CREATE(&group);
    traceEVENT_GROUP_SET_BITS(&group, 3u);
    traceEVENT_GROUP_DELETE(&group);
    is_told("object 5 -;put it 7;over it;");
    traceSTREAM_BUFFER_CREATE(&group, 0);
    traceSTREAM_BUFFER_DELETE(&group);
    is_told("object 6 -;over it;");
}

CASE(interrupts_memory_and_sleep, start) {
    traceISR_ENTER();
    traceISR_EXIT();
    traceISR_EXIT_TO_SCHEDULER();
    traceMALLOC(&other, 40u);
    traceMALLOC(NULL, 4000u);
    traceFREE(&other, 40u);
    traceLOW_POWER_IDLE_BEGIN();
    traceLOW_POWER_IDLE_END();
    is_told("(;););alloc 40;free;sleep tickless sleep;awake;");
}

/* The task that sends has to run meanwhile, so nothing is drained here. */
CASE(the_trace_ends, start) {
    const TickType_t begin = ticks;
    drains = 0u;
    pends = 3u;
    assert_int_equal(kymo_freertos_finish(10u), 1);
    assert_int_equal(ticks - begin, 3u);
    pends = 100u;
    assert_int_equal(kymo_freertos_finish(10u), 0);
    assert_int_equal(ticks - begin, 13u);
    pends = drains;
    assert_int_equal(kymo_freertos_finish(0u), 1);
    assert_int_equal(drains, 0u);
    is_told("stop;finish;stop;finish;stop;finish;");
}

/* It sends, and looks at a stack ten times a second. */
CASE(task_that_sends, start) {
    if (setjmp(sent) == 0) {
        kymo_freertos_trace(NULL);
    }
    assert_true(drains > 250u);
    is_told("stack 2 420 0;");
}
