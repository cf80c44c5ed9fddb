/* SPDX-License-Identifier: MIT */
/* Shared by all Cortex-M boards of the demo. */
#ifndef CORE_H
#define CORE_H

#include <stdint.h>

/* Starts the port's clock and records which counter it is; ends with CORE_NO_CLOCK if none counts. */
void core_clock_start(void);
#define CORE_NO_CLOCK 3

/* Lets an external interrupt through to the core, where start.S calls board_interrupt(). */
void core_interrupt_enable(unsigned number);
void core_interrupt_disable(unsigned number);

/* Under an emulator with semihosting, or a debugger, ends with that exit status. Else the core stops. */
_Noreturn void core_end(int status);

#endif
