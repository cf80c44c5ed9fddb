/* SPDX-License-Identifier: MIT */
/* Entry of the contract test in AArch32 state at privilege level CHECK_LEVEL, as QEMU starts the core there, and
 * its vectors. CHECK_CORE 1: core 0 starts core 1 by PSCI, which runs the test. */

#if CHECK_LEVEL == 2
#define MODE 0x1a
#else
#define MODE 0x13
#endif

#include "../../../boards/common/armv7-a/interrupt.inc"

    .syntax unified
    .arm
    .arch_extension virt

    .section .text.start, "ax"
    .global _start
_start:
    .fnstart
    .cantunwind
#if CHECK_CORE == 1
    ldr r0, =0x84000003             /* CPU_ON: core 1, at "go" */
    mov r1, #1
    ldr r2, =go
    mov r3, #0
    hvc #0
0:  wfi
    b 0b
go:
#endif
    ldr sp, =stack_end
    mrs r1, cpsr
    and r1, r1, #0x1f
    cmp r1, #MODE
    mov r0, #15                     /* MACHINE_IS_NOT_FIT */
    bne finish
    ldr r0, =vectors
#if CHECK_LEVEL == 2
    mcr p15, 4, r0, c12, c0, 0      /* HVBAR */
    mov r0, #0x18                   /* HCR: IMO and FMO send interrupts to Hyp mode */
    mcr p15, 4, r0, c1, c1, 0
#else
    mcr p15, 0, r0, c12, c0, 0      /* VBAR */
#endif
    isb
    bl check
finish:
    bl machine_finish
    .fnend
    .ltorg

    .text
    .balign 32
vectors:
    b unexpected
#if CHECK_LEVEL == 2
    b unexpected
    b trap
#else
    b trap
    b unexpected
#endif
    .rept 3
    b unexpected
    .endr
    b interrupt
    b unexpected

unexpected:
    cpsid aif, #MODE
    ldr sp, =stack_end
    mov r0, #0
    bl fault

.macro entry handler, behind
#if CHECK_LEVEL == 2
    /* For kymo/unwind.h, as interrupt_in_svc has it. */
    .fnstart
    .unwind_raw 0, 0x9b, 0xb1, 0x0f, 0x85, 0x80, 0x88, 0x00, 0x00, 0xb0
    sub sp, sp, #8
    push {r0-r3, r11, r12, lr}
    mrs r0, elr_hyp
    str r0, [sp, #28]
    mov r11, sp
    bic sp, sp, #7
    bl \handler
    mov sp, r11
    pop {r0-r3, r11, r12, lr}
    add sp, sp, #8
    eret
    .fnend
#else
    interrupt_in_svc \handler, \behind
#endif
.endm

interrupt:
    entry handle, 4

trap:
    entry callstack_trap, 0

/* In SVC mode an SVC would overwrite the return address. */
    .global machine_trap
machine_trap:
    .fnstart
#if CHECK_LEVEL == 2
    svc #0
#else
    udf #0
#endif
    bx lr
    .fnend
    .ltorg

    .section .bss
    .balign 16
    .space 8192
stack_end:
