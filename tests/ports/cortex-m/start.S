/* Vectors of the check. STACK_TOP: where the machine's RAM serves as stack. */
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
    bl check
    bl machine_finish
    .word vectors /* so that a linker that drops what nobody uses keeps them */
