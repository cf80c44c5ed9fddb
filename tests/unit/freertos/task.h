/* SPDX-License-Identifier: MIT */
/* The calls of FreeRTOS that kymo_freertos.c makes. */
#ifndef TASK_H
#define TASK_H

#include "FreeRTOS.h"

#define tskKERNEL_VERSION_NUMBER "V11.3.0"
#define tskIDLE_PRIORITY 0u

typedef struct task *TaskHandle_t;

#if configNUMBER_OF_CORES > 1
#include <stdbool.h>
extern bool in_interrupt;
#define portCHECK_IF_IN_ISR() in_interrupt
#endif

void vTaskEnterCritical(void);
void vTaskExitCritical(void);
#define taskENTER_CRITICAL() vTaskEnterCritical()
#define taskEXIT_CRITICAL() vTaskExitCritical()
void vTaskSuspendAll(void);
BaseType_t xTaskResumeAll(void);
void vTaskDelay(TickType_t ticks);
TickType_t xTaskGetTickCount(void);
UBaseType_t uxTaskGetStackHighWaterMark(TaskHandle_t task);

#endif
