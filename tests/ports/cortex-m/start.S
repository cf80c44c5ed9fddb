/* SPDX-License-Identifier: MIT */
/* Vectors of the check. STACK_TOP: where the machine's RAM serves as stack. CHECK_PROCESS_STACK: main code has one of
 * its own, as an RTOS's tasks have. */
    .syntax unified
    .thumb

    .section .vectors, "a"
vectors:
    .word STACK_TOP
    .word start
    .rept 12 /* NMI, faults, SVCall and reserved ones */
    .word fault
    .endr
    .word pend_sv
    .word sys_tick
    .rept 240
    .word fault
    .endr

    .text
    .global start
    .thumb_func
start:
    .fnstart
#ifdef CHECK_PROCESS_STACK
    ldr r0, =STACK_TOP - 0x1000
    msr psp, r0
    movs r0, #2
    msr control, r0
    isb
#endif
    push {r3, lr} /* as a start-up function written in C, whose return address is what reset left in lr */
    .save {r3, lr}
    bl check
    bl machine_finish
    .fnend
    .word vectors /* so that a linker that drops what nobody uses keeps them */
