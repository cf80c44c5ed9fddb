/* SPDX-License-Identifier: MIT */
/* Entry of the check, in machine mode (linked at 0x80000000, every hart arrives) or in supervisor mode
 * (started by OpenSBI, which sends one hart, its number in a0). KYMO_PRIVILEGE says which; for user
 * mode, and for supervisor mode with CHECK_NO_SBI, it starts in machine mode and goes down. CHECK_HART is the hart
 * that runs the check. */

#if KYMO_PRIVILEGE != 1 || defined(CHECK_NO_SBI)
#define IN_MACHINE_MODE
#endif

#if KYMO_PRIVILEGE == 1
#define TVEC stvec
#define EPC sepc
#define CAUSE scause
#define RETURN sret
#else
#define TVEC mtvec
#define EPC mepc
#define CAUSE mcause
#define RETURN mret
#endif

#if __riscv_xlen == 64
#define STORE sd
#define LOAD ld
#define WORD 8
#else
#define STORE sw
#define LOAD lw
#define WORD 4
#endif

#define FRAME 256

    .section .text.start, "ax"
    .global _start
_start:
    li s0, 0                        /* where walks of the stack end */
    la t0, trap
    csrw TVEC, t0
#ifdef IN_MACHINE_MODE
    csrr t0, mhartid
    li t1, CHECK_HART
    beq t0, t1, 1f
0:  wfi
    j 0b
1:
#endif
    la sp, stack_end
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
#if KYMO_PRIVILEGE != 3 && defined(IN_MACHINE_MODE)
    /* All of memory to the lower modes (pmpcfg0: NAPOT, read, write, execute), and the counters. */
    li t0, -1
    csrw pmpaddr0, t0
    li t0, 0x1f
    csrw pmpcfg0, t0
    li t0, 7
    csrw mcounteren, t0
    csrw scounteren, t0
    li t0, 0x1800
    csrc mstatus, t0
#if KYMO_PRIVILEGE == 1
    li t0, 0x800
    csrs mstatus, t0
    li t0, 2                        /* its software interrupt, and all exceptions, are its own */
    csrw mideleg, t0
    li t0, 0xffff
    csrw medeleg, t0
#endif
    la t0, 2f
    csrw mepc, t0
    mret
2:
#endif
    call contract_check
    call machine_finish

    .balign 4
    .global machine_trap
machine_trap:
    .option push
    .option norvc
    ebreak
    .option pop
    ret

/* An interrupt is counted and its source taken away; an exception ends the check. */
    .balign 4
trap:
    addi sp, sp, -FRAME
    STORE ra, 0(sp)
    STORE t0, 8(sp)
    STORE t1, 16(sp)
    STORE t2, 24(sp)
    STORE a0, 32(sp)
    STORE a1, 40(sp)
    STORE a2, 48(sp)
    STORE a3, 56(sp)
    STORE a4, 64(sp)
    STORE a5, 72(sp)
    STORE a6, 80(sp)
    STORE a7, 88(sp)
    STORE t3, 96(sp)
    STORE t4, 104(sp)
    STORE t5, 112(sp)
    STORE t6, 120(sp)
    /* The record of a frame, for kymo/unwind.h. */
    csrr t0, EPC
    addi t0, t0, 1
    STORE t0, FRAME - WORD(sp)
    STORE ra, FRAME - 3 * WORD(sp)
    STORE s0, FRAME - 2 * WORD(sp)
    addi s0, sp, FRAME
    csrr a0, CAUSE
    call handle
    LOAD s0, FRAME - 2 * WORD(sp)
    LOAD ra, 0(sp)
    LOAD t0, 8(sp)
    LOAD t1, 16(sp)
    LOAD t2, 24(sp)
    LOAD a0, 32(sp)
    LOAD a1, 40(sp)
    LOAD a2, 48(sp)
    LOAD a3, 56(sp)
    LOAD a4, 64(sp)
    LOAD a5, 72(sp)
    LOAD a6, 80(sp)
    LOAD a7, 88(sp)
    LOAD t3, 96(sp)
    LOAD t4, 104(sp)
    LOAD t5, 112(sp)
    LOAD t6, 120(sp)
    addi sp, sp, FRAME
    RETURN

    .section .stack, "aw", @nobits
    .balign 16
    .space 8192
stack_end:
