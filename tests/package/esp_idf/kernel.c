/* SPDX-License-Identifier: MIT */
/* A kernel of one core with the calls and hooks that the component uses: tasks change in vTaskDelay() and at their end,
 * in turn, and each round of them is a tick. It is compiled as ESP-IDF's, with the component's header in front. */
#include <assert.h>
#include <string.h>
#include <ucontext.h>

#include "esp_cpu.h"
#include "esp_timer.h"
#include "freertos/FreeRTOS.h"
#include "freertos/task.h"
#include "model.h"

#define TASKS 8u

struct model_task {
    ucontext_t state;
    char pcTaskName[16];
    UBaseType_t uxTCBNumber, uxPriority;
    TaskFunction_t function;
    void *parameter;
    TickType_t wakes;
    bool lives;
    _Alignas(16) char stack[65536];
};

static struct model_task tasks[TASKS];
static ucontext_t outside;
static struct model_task *pxCurrentTCBs[1];
#define current pxCurrentTCBs[0]
static BaseType_t xSchedulerRunning = 1;
static TickType_t ticks;
static int64_t time_us;

bool model_is_masked;

UBaseType_t model_mask(void) {
    const UBaseType_t before = model_is_masked;
    model_is_masked = true;
    return before;
}
void model_unmask(UBaseType_t before) { model_is_masked = before != 0u; }
BaseType_t xPortGetCoreID(void) { return 0; }
BaseType_t xPortInIsrContext(void) { return 0; }
void vTaskSuspendAll(void) {}
BaseType_t xTaskResumeAll(void) { return 0; }
int64_t esp_timer_get_time(void) { return time_us += 2; }
/* At 160 MHz; wraps in the middle of the trace. */
uint32_t esp_cpu_get_cycle_count(void) { return (uint32_t)esp_timer_get_time() * 160u - 16000000u; }

static void run(void) {
    current->function(current->parameter);
    assert(!"a task returned");
}

BaseType_t xTaskCreatePinnedToCore(TaskFunction_t function, const char *name, uint32_t stack_bytes,
                                   void *parameter, UBaseType_t priority, TaskHandle_t *task,
                                   BaseType_t core) {
    static UBaseType_t number;
    (void)stack_bytes;
    (void)core;
    struct model_task *made = tasks;
    while (made->lives) {
        made++;
        assert(made != tasks + TASKS);
    }
    strncpy(made->pcTaskName, name, sizeof made->pcTaskName - 1u);
    made->uxTCBNumber = ++number;
    made->uxPriority = priority;
    made->function = function;
    made->parameter = parameter;
    made->wakes = ticks;
    made->lives = true;
    getcontext(&made->state);
    made->state.uc_stack.ss_sp = made->stack;
    made->state.uc_stack.ss_size = sizeof made->stack;
    makecontext(&made->state, run, 0);
    if (task != NULL) {
        *task = made;
    }
    traceTASK_CREATE(made);
    return pdPASS;
}

/* The next in turn whose time has come; a tick passes where a round begins. */
static void switch_task(void) {
    struct model_task *const from = current;
    do {
        current++;
        if (current == tasks + TASKS) {
            current = tasks;
            ticks++;
            time_us += 1000000 / configTICK_RATE_HZ;
            model_tick();
        }
    } while (!current->lives || (int32_t)(ticks - current->wakes) < 0);
    traceTASK_SWITCHED_IN();
    swapcontext(&from->state, &current->state);
}

void vTaskDelete(TaskHandle_t task) {
    assert(task == NULL);
    current->lives = false;
    traceTASK_DELETE(current);
    switch_task();
}

void vTaskDelay(TickType_t delay) {
    current->wakes = ticks + delay;
    switch_task();
}

TickType_t xTaskGetTickCount(void) { return ticks; }
TaskHandle_t xTaskGetCurrentTaskHandle(void) { return current; }
char *pcTaskGetName(TaskHandle_t task) { return task->pcTaskName; }

UBaseType_t uxTaskGetSystemState(TaskStatus_t *list, UBaseType_t size, uint32_t *run_time) {
    UBaseType_t count = 0u;
    assert(run_time == NULL);
    for (size_t i = 0u; i < TASKS; i++) {
        if (tasks[i].lives && count < size) {
            list[count].xHandle = &tasks[i];
            list[count++].pcTaskName = tasks[i].pcTaskName;
        }
    }
    return count;
}

void model_start(TaskFunction_t function) {
    xTaskCreatePinnedToCore(function, "main", 0u, NULL, 1u, NULL, 0);
    current = tasks;
    traceTASK_SWITCHED_IN();
    swapcontext(&outside, &current->state);
}

void model_end(void) { setcontext(&outside); }
