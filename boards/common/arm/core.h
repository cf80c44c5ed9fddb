/* SPDX-License-Identifier: MIT */
/* Shared by boards with a Cortex-A: the parts of board.h that need the core only. */
#ifndef ARM_CORE_H
#define ARM_CORE_H

/* Ends the emulation with that status, by semihosting, or stops the core where nobody serves that. 0 is
 * success, 2 and 3 a board that could not start, 64 and above a fault of the firmware. */
_Noreturn void core_end(int status);
#define CORE_NO_LINK 2
#define CORE_NO_CLOCK 3

/* start.S calls it on an unexpected exception. "number": AArch64: the class (ESR_EL1.EC); AArch32: the
 * number of the vector. */
_Noreturn void core_fault(unsigned number);

/* A started core begins here (start.S); each but core 0 goes on with the board's
 * core_main(), its number as the argument. */
void core_start(void);
void core_main(unsigned core);
/* Puts a core that has no work to sleep; does not return (start.S, AArch64). */
void core_sleep(void);

/* Ends with CORE_NO_CLOCK unless the generic timer counts and tells its rate. */
void core_check_clock(void);

/* The interrupt of the virtual timer has come. */
void core_timer_interrupt(void);

/* ---- the board's ---- */

/* start.S calls it on an interrupt, which must be gone when it returns. */
void board_interrupt(void);
/* Lets the interrupt of this core's virtual timer through to this core. */
void board_route_timer(void);

#endif
