/* SPDX-License-Identifier: MIT */
/* ThreadX 6.2 to 6.4, one core: include it as the last line of tx_user.h. The kernel then reports each change of a
 * thread's state, and each thread that it begins or ceases to run. README.md says how to build it. */
#ifndef KYMO_THREADX_H
#define KYMO_THREADX_H

#if !defined(KYMO_ENABLE) || KYMO_ENABLE

/* The assembler files of the port call _tx_execution_thread_enter() and so on, which kymo_threadx.c has. */
#define TX_ENABLE_EXECUTION_CHANGE_NOTIFY

#ifndef __ASSEMBLER__

#ifdef __cplusplus
extern "C" {
#endif

struct TX_THREAD_STRUCT;

/* A thread of the application's own that sends the recorded events: its priority is the lowest. 1 KiB of stack is
 * enough. */
void kymo_threadx_trace(unsigned long unused);

/* The kernel calls it with interrupts masked. Not for applications. */
void kymo_threadx_state(struct TX_THREAD_STRUCT *thread, unsigned state);

#ifdef __cplusplus
}
#endif

/* State of kymo in each thread; the kernel clears it when it creates one. */
#define KYMO_THREADX_EXTENSION                                                                     \
    unsigned long kymo_number;                                                                     \
    unsigned kymo_priority;
#ifndef TX_THREAD_USER_EXTENSION
#define TX_THREAD_USER_EXTENSION KYMO_THREADX_EXTENSION
#endif

#define TX_THREAD_STATE_CHANGE(thread, state) kymo_threadx_state((thread), (state));

#endif
#endif
#endif
