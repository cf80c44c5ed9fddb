/* SPDX-License-Identifier: MIT */
/* The part of ThreadX's headers that kymo_threadx.c uses, with their names and types. */
#ifndef TX_API_H
#define TX_API_H

#include <stddef.h>

#include "kymo_threadx.h"

typedef unsigned long ULONG;
typedef unsigned UINT;

#define THREADX_MAJOR_VERSION 6
#define THREADX_MINOR_VERSION 4
#define THREADX_PATCH_VERSION 2
#define TX_TIMER_TICKS_PER_SECOND ((ULONG)100)
#define TX_MAX_PRIORITIES 32

#define TX_READY 0u
#define TX_COMPLETED 1u
#define TX_TERMINATED 2u
#define TX_SUSPENDED 3u
#define TX_SLEEP 4u
#define TX_QUEUE_SUSP 5u
#define TX_SEMAPHORE_SUSP 6u
#define TX_EVENT_FLAG 7u
#define TX_BLOCK_MEMORY 8u
#define TX_BYTE_MEMORY 9u
#define TX_IO_DRIVER 10u
#define TX_FILE 11u
#define TX_TCP_IP 12u
#define TX_MUTEX_SUSP 13u
#define TX_PRIORITY_CHANGE 14u

typedef struct TX_THREAD_STRUCT {
    ULONG tx_thread_id;
    char *tx_thread_name;
    UINT tx_thread_priority, tx_thread_state, tx_thread_user_priority;
    void *tx_thread_suspend_control_block;
    TX_THREAD_USER_EXTENSION
} TX_THREAD;

typedef struct {
    ULONG tx_queue_id;
    char *tx_queue_name;
    UINT tx_queue_enqueued;
} TX_QUEUE;

UINT tx_thread_sleep(ULONG ticks);

#endif
