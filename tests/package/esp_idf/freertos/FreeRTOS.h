/* SPDX-License-Identifier: MIT */
/* The parts of ESP-IDF's FreeRTOS that the component uses, as it declares them. */
#ifndef MODEL_FREERTOS_H
#define MODEL_FREERTOS_H

#include <stddef.h>
#include <stdint.h>

typedef int BaseType_t;
typedef unsigned int UBaseType_t;
typedef uint32_t TickType_t;

#define pdPASS 1
#define configTICK_RATE_HZ 100u
#define pdMS_TO_TICKS(ms) ((TickType_t)((uint64_t)(ms)*configTICK_RATE_HZ / 1000u))

#include "sdkconfig.h"

#define configUSE_TRACE_FACILITY 1
#define configNUMBER_OF_CORES 1
#define configIDLE_TASK_NAME "IDLE"
#ifdef CONFIG_ESP_TRACE_ENABLE
#include "esp_trace_freertos_impl.h" /* as FreeRTOSConfig.h does, by esp_trace_freertos.h */
#endif

#ifndef traceTASK_SWITCHED_IN
#define traceTASK_SWITCHED_IN()
#endif
#ifndef traceTASK_CREATE
#define traceTASK_CREATE(task)
#endif
#ifndef traceTASK_DELETE
#define traceTASK_DELETE(task)
#endif

UBaseType_t model_mask(void);
void model_unmask(UBaseType_t before);
#define portSET_INTERRUPT_MASK_FROM_ISR() model_mask()
#define portCLEAR_INTERRUPT_MASK_FROM_ISR(before) model_unmask(before)
BaseType_t xPortGetCoreID(void);
BaseType_t xPortInIsrContext(void);
#define portGET_CORE_ID() xPortGetCoreID()

/* A lock that a critical section takes. */
typedef struct {
    UBaseType_t before;
} portMUX_TYPE;
#define portMUX_INITIALIZER_UNLOCKED                                                               \
    { 0u }
#define taskENTER_CRITICAL(lock) ((lock)->before = model_mask())
#define taskEXIT_CRITICAL(lock) model_unmask((lock)->before)

typedef uint8_t StackType_t;
typedef struct {
    UBaseType_t unused[5];
} StaticList_t;
typedef struct {
    void *pvDummy1[3], *pvDummy2;
    StaticList_t xDummy3[2];
} StaticQueue_t;

#endif
