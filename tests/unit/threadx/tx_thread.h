/* SPDX-License-Identifier: MIT */
/* The part of the kernel's own header that kymo_threadx.c uses. The test sets it. */
#ifndef TX_THREAD_H
#define TX_THREAD_H

#include "tx_api.h"

extern TX_THREAD *_tx_thread_current_ptr, *_tx_thread_execute_ptr;
extern volatile ULONG _tx_thread_system_state;
extern int masks;

#define TX_THREAD_GET_SYSTEM_STATE() _tx_thread_system_state
#define TX_INTERRUPT_SAVE_AREA int save;
#define TX_DISABLE save = masks++;
#define TX_RESTORE masks = save;

#endif
