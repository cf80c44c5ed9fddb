/* Vectors of the check. STACK_TOP: where the machine's RAM serves as stack. */
    .syntax unified
    .thumb

    .section .vectors, "a"
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
    ldr r0, =check
    blx r0
    .ltorg
