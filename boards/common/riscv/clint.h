/* SPDX-License-Identifier: MIT */
/* The part of board.h that RISC-V boards with a CLINT share: timer, ticks, sleep, second core, and the
 * trap handler. The addresses are those of SiFive's chips and of QEMU's "virt" machine.
 *
 * board_config.h gives the rate of mtime as BOARD_MTIME_HZ, at least 1000. */
#ifndef RISCV_CLINT_H
#define RISCV_CLINT_H

/* Ends the emulation with that status, or stops the core: 0 is success, 64 and above is 64 + the
 * exception code of a fault. In board.c, or in semihosting.c. */
_Noreturn void board_end(int status);

/* start.S calls it with mcause: the tick, or the end of the firmware. Weak: a test with a scheduler
 * brings its own. */
void board_trap(unsigned long cause);

#endif
