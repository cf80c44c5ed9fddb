/* SPDX-License-Identifier: MIT */
/* Between the test of the contract in kymo/arch.h (contract.c, the same for every port) and the machine on
 * which it runs. Compiled with
 *   CHECK_LANE               the lane that the port must find
 *   CHECK_HZ, CHECK_HZ_MOST  the clock's rate: exactly the first, or, if there is a second, between them
 *   CHECK_ENTRY              the code at which each stack ends; if not defined, that is not tested
 *   CHECK_NO_TRAP            if defined, there is no machine_trap(): a walk from a signal's handler leaves out the
 *                            interrupted code
 *   CHECK_COUNTERS           what kymo_counters_start() must return
 *   CHECK_EVENT              an event that the core counts on KYMO_COUNTER_EVENTS counters, and that these calls cause;
 *   CHECK_NO_EVENT           and one that it does not count. Not defined: the port chooses no events here */
#ifndef CONTRACT_H
#define CONTRACT_H

#include <stdbool.h>

#include "kymo/arch.h"

/* Exit statuses of the emulator: which promise was broken. */
enum contract_broken {
    CLOCK_STANDS = 1,
    CLOCK_GOES_BACK,
    CLOCK64_DIFFERS,
    CLOCK64_GOES_BACK,
    CLOCK64_MISSES_THE_WRAP,
    RATE_DIFFERS,
    LANE_DIFFERS,
    MASK_LEAVES_INTERRUPTS_ON,
    UNMASK_OF_INNER_ENABLES,
    UNMASK_LEAVES_INTERRUPTS_OFF,
    UNMASK_ENABLES_WHAT_WAS_OFF,
    UNMASK_LOSES_A_STATUS_BIT,
    INTERRUPT_STRUCK_INSIDE,
    INTERRUPT_DID_NOT_COME,
    MACHINE_IS_NOT_FIT,
    STACK_HAS_OTHER_CALLERS,
    STACK_IGNORES_SKIP_OR_COUNT,
    STACK_ENDS_AT_THE_INTERRUPT,
    STACK_GOES_WRONG_WHEN_DAMAGED,
    OTHER_COUNTERS_COUNT,
    COUNTER_GOES_BACK,
    OTHER_EVENTS_COUNT,
    EVENT_DOES_NOT_COUNT,
    STACK_ENDS_ELSEWHERE,
    STACK_LACKS_THE_TRAPPED_CALLER,
    FAULT = 32, /* and the exception's number */
};

/* Runs the whole test; 0, or the number of the defect. */
int contract_check(void);

/* callstack.c: that part of it which is about kymo/unwind.h. */
int callstack_check(void);
/* In the handler of machine_raise(). */
void callstack_interrupt(void);
/* In the handler of machine_trap(). */
void callstack_trap(void);

/* For the machine's interrupt handler: the interrupt of machine_raise() has come, and is taken away. */
void contract_interrupt(void);

/* Functions that each machine has. */
_Noreturn void machine_finish(int status); /* ends the emulator with that status */
int machine_check_clock(void); /* what can be tested of this clock beyond the contract */

/* A function whose first instruction traps, also in the handler of an interrupt; it goes on after that instruction. */
void machine_trap(void);

/* Not for ports with KYMO_ARCH_ATOMIC 1. */
bool machine_enabled(void); /* interrupts are let through */
void machine_enable(bool on);
void machine_raise(void);     /* makes an interrupt pending; returns when it is */
int machine_check_mask(void); /* what must come through a mask besides interrupts */

#endif
