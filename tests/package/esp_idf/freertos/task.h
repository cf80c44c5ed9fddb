/* SPDX-License-Identifier: MIT */
#ifndef MODEL_TASK_H
#define MODEL_TASK_H

#include "freertos/FreeRTOS.h"

typedef struct model_task *TaskHandle_t;
typedef void (*TaskFunction_t)(void *);

#define tskKERNEL_VERSION_NUMBER "V10.5.1"
#define tskIDLE_PRIORITY 0u
#define pdFALSE 0

/* The two fields that are used. */
typedef struct {
    TaskHandle_t xHandle;
    const char *pcTaskName;
} TaskStatus_t;

BaseType_t xTaskCreatePinnedToCore(TaskFunction_t function, const char *name, uint32_t stack_bytes,
                                   void *parameter, UBaseType_t priority, TaskHandle_t *task,
                                   BaseType_t core);
void vTaskDelete(TaskHandle_t task);
void vTaskDelay(TickType_t ticks);
TickType_t xTaskGetTickCount(void);
TaskHandle_t xTaskGetCurrentTaskHandle(void);
char *pcTaskGetName(TaskHandle_t task);
UBaseType_t uxTaskGetSystemState(TaskStatus_t *tasks, UBaseType_t size, uint32_t *run_time);
void vTaskSuspendAll(void);
BaseType_t xTaskResumeAll(void);

#endif
