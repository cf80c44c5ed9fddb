/* SPDX-License-Identifier: MIT */
/* Reset and trap entry in machine mode, for rv64 and rv32. Every hart starts here with nothing set up
 * but the program counter. What the linker script gives: __bss_start and __bss_end, and, for an image
 * in flash, __data_start, __data_end and __data_load, all of them multiples of a word. */

#include "board_config.h"

#if __riscv_xlen == 64
#define STORE sd
#define LOAD ld
#define WORD 8
#define WORD_SHIFT 3
#else
#define STORE sw
#define LOAD lw
#define WORD 4
#define WORD_SHIFT 2
#endif

/* Machine software interrupt, bit 3 of mip and mie (privileged manual 3.1.9). */
#define MSI 8
#define CLINT_MSIP 0x02000000

    .section .text.start, "ax"
    .global _start
_start:
    csrw mie, zero
    csrci mstatus, 8
    la t0, trap_entry
    csrw mtvec, t0
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop

    csrr s0, mhartid
    li t0, BOARD_CORES
    bgeu s0, t0, sleep_for_ever
    la sp, __stacks
    li t0, BOARD_STACK_BYTES
    addi t1, s0, 1
    mul t0, t0, t1
    add sp, sp, t0
    bnez s0, wait_for_call

    la t0, __data_start
    la t1, __data_end
    la t2, __data_load
    beq t0, t2, 2f
1:  bgeu t0, t1, 2f
    LOAD t3, 0(t2)
    STORE t3, 0(t0)
    addi t0, t0, WORD
    addi t2, t2, WORD
    j 1b
2:
    la t0, __bss_start
    la t1, __bss_end
1:  bgeu t0, t1, 2f
    STORE zero, 0(t0)
    addi t0, t0, WORD
    j 1b
2:  li s0, 0                        /* where walks of the stack end: kymo/unwind.h */
    call main
    call board_exit

/* The other harts sleep until hart 0 has cleared .bss, chosen an entry for them in board_entries and
 * sent a software interrupt (board_start_core). They look at no variable before. */
wait_for_call:
    li t0, MSI
    csrw mie, t0
1:  wfi
    csrr t0, mip
    andi t0, t0, MSI
    beqz t0, 1b
    csrw mie, zero
    li t0, CLINT_MSIP
    slli t1, s0, 2
    add t0, t0, t1
    sw zero, 0(t0)
    fence rw, rw
    la t0, board_entries
    slli t1, s0, WORD_SHIFT
    add t0, t0, t1
    LOAD t0, 0(t0)
    jalr t0

sleep_for_ever:
    csrw mie, zero
1:  wfi
    j 1b

/* Saves the registers that the calling convention lets a C function change, and calls board_trap(mcause).
 * Interrupts stay off inside, so nothing needs mepc and mstatus on the stack. No floating point is
 * compiled in, so there are no such registers to save. */
    .balign 4
trap_entry:
    addi sp, sp, -20 * WORD
    STORE ra, 0 * WORD(sp)
    STORE t0, 1 * WORD(sp)
    STORE t1, 2 * WORD(sp)
    STORE t2, 3 * WORD(sp)
    STORE a0, 4 * WORD(sp)
    STORE a1, 5 * WORD(sp)
    STORE a2, 6 * WORD(sp)
    STORE a3, 7 * WORD(sp)
    STORE a4, 8 * WORD(sp)
    STORE a5, 9 * WORD(sp)
    STORE a6, 10 * WORD(sp)
    STORE a7, 11 * WORD(sp)
    STORE t3, 12 * WORD(sp)
    STORE t4, 13 * WORD(sp)
    STORE t5, 14 * WORD(sp)
    STORE t6, 15 * WORD(sp)
    /* The record of a frame, with the interrupted address + 1 for the return address, and the interrupted return
     * address below: kymo/unwind.h. */
    csrr t0, mepc
    addi t0, t0, 1
    STORE t0, 19 * WORD(sp)
    STORE s0, 18 * WORD(sp)
    STORE ra, 17 * WORD(sp)
    addi s0, sp, 20 * WORD
    csrr a0, mcause
    call board_trap
    LOAD s0, 18 * WORD(sp)
    LOAD ra, 0 * WORD(sp)
    LOAD t0, 1 * WORD(sp)
    LOAD t1, 2 * WORD(sp)
    LOAD t2, 3 * WORD(sp)
    LOAD a0, 4 * WORD(sp)
    LOAD a1, 5 * WORD(sp)
    LOAD a2, 6 * WORD(sp)
    LOAD a3, 7 * WORD(sp)
    LOAD a4, 8 * WORD(sp)
    LOAD a5, 9 * WORD(sp)
    LOAD a6, 10 * WORD(sp)
    LOAD a7, 11 * WORD(sp)
    LOAD t3, 12 * WORD(sp)
    LOAD t4, 13 * WORD(sp)
    LOAD t5, 14 * WORD(sp)
    LOAD t6, 15 * WORD(sp)
    addi sp, sp, 20 * WORD
    mret

    .section .stacks, "aw", @nobits
    .balign 16
    .global __stacks
__stacks:
    .space BOARD_CORES * BOARD_STACK_BYTES
