/* SPDX-License-Identifier: MIT */
/* What the component uses of ESP-IDF's FreeRTOS, as it declares it. */
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

#endif
