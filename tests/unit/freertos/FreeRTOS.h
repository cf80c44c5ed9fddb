/* SPDX-License-Identifier: MIT */
/* The part of FreeRTOS's headers that kymo_freertos.c uses, and the names in the kernel's files that its macros use. */
#ifndef FREERTOS_H
#define FREERTOS_H

#include <stddef.h>
#include <stdint.h>

#define configUSE_TRACE_FACILITY 1
#define configTICK_RATE_HZ 1000
#define INCLUDE_uxTaskGetStackHighWaterMark 1
#define KYMO_FREERTOS_LEVELS 1
#include "kymo_freertos.h"

typedef uint32_t TickType_t;
typedef uint32_t StackType_t;
typedef unsigned long UBaseType_t;
typedef long BaseType_t;

typedef struct {
    uintptr_t words[5];
} StaticList_t;

typedef struct {
    void *pvDummy1[3];
    void *u;
    StaticList_t xDummy3[2];
} StaticQueue_t;

#endif
