/* What kymo_freertos.c takes of FreeRTOS's headers, and what its macros meet in the kernel's files. */
#ifndef FREERTOS_H
#define FREERTOS_H

#include <stdint.h>

#define configUSE_TRACE_FACILITY 1
#include "kymo_freertos.h"

typedef struct {
    uint64_t words[12];
} StaticTask_t;

#endif
