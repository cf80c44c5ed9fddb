/* SPDX-License-Identifier: MIT */
/* Vector table and reset for any Cortex-M. BOARD_INTERRUPTS: external interrupts in the table; they all go
 * to board_interrupt(), which a board without any need not have. */
#include "board_config.h"

#define SCB_VTOR 0xe000ed08 /* ARMv7-M ARM B3.2.5; not in a Cortex-M0 */

    .syntax unified
    .thumb

    .section .vectors, "a"
    .global core_vectors
core_vectors:
    .word core_stack_end
    .word core_reset
    .rept 13 /* NMI, faults, SVCall, PendSV and reserved ones: this firmware expects none */
    .word core_fault
    .endr
    .word core_systick
    .rept BOARD_INTERRUPTS
    .word board_interrupt
    .endr

    .text
    .thumb_func
unexpected:
    ldr r0, =core_fault
    bx r0
    .weak core_systick
    .thumb_set core_systick, unexpected
    .weak board_interrupt
    .thumb_set board_interrupt, unexpected

    .global core_reset
    .thumb_func
    .type core_reset, %function
core_reset:
    /* A debugger or boot loader may jump here with another stack, other vectors, interrupts on. */
    cpsid i
    ldr r0, =core_stack_end
    mov sp, r0
#ifndef __ARM_ARCH_6M__
    ldr r0, =SCB_VTOR
    ldr r1, =core_vectors
    str r1, [r0]
    dsb
#endif
    ldr r0, =core_data_start
    ldr r1, =core_data_end
    ldr r2, =core_data_image
    b 2f
1:  ldr r3, [r2]
    adds r2, #4
    str r3, [r0]
    adds r0, #4
2:  cmp r0, r1
    blo 1b
    ldr r0, =core_bss_start
    ldr r1, =core_bss_end
    movs r2, #0
    b 4f
3:  str r2, [r0]
    adds r0, #4
4:  cmp r0, r1
    blo 3b
    cpsie i
    bl main
    bl board_exit
    .ltorg

    .section .stack, "aw", %nobits
    .balign 8
    .space BOARD_STACK_BYTES
