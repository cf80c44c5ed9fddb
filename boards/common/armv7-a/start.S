/* SPDX-License-Identifier: MIT */
/* Entry and vectors for Armv7-A, in ARM state. Core 0 arrives in Hyp mode or at level 1 and goes on in SVC mode,
 * with the MMU and caches off. "ARM Architecture Reference Manual ARMv7-A and ARMv7-R edition" (DDI 0406C). */

#include "armv7-a/interrupt.inc"
#include "board_config.h"

#define MODE_SVC_MASKED 0x1d3       /* A, I and F masked: B1.3.3 */
#define MODE_MASK 0x1f
#define MODE_HYP 0x1a
#define SCTLR_OFF 0x3007            /* MMU, alignment check, caches, high vectors: B4.1.130 */

    .syntax unified
    .arm
    .arch_extension virt

    .section .text.start, "ax"
    .global _start
_start:
    .global core_start
core_start:
    cpsid aif
    mrc p15, 0, r4, c0, c0, 5       /* MPIDR: the number of the core */
    and r4, r4, #0xff
    mrs r5, cpsr
    and r5, r5, #MODE_MASK
    cmp r5, #MODE_HYP
    bne at_level_1

    mov r0, #0
    mcr p15, 4, r0, c1, c1, 0       /* HCR: nothing is trapped */
    mcr p15, 4, r0, c1, c1, 2       /* HCPTR */
    mcr p15, 4, r0, c1, c1, 3       /* HSTR */
    mcrr p15, 4, r0, r0, c14        /* CNTVOFF */
    mov r0, #3
    mcr p15, 4, r0, c14, c1, 0      /* CNTHCTL: level 1 may use the physical timer and counter */
    mrc p15, 0, r0, c0, c0, 0
    mcr p15, 4, r0, c0, c0, 0       /* VPIDR = MIDR */
    mrc p15, 0, r0, c0, c0, 5
    mcr p15, 4, r0, c0, c0, 5       /* VMPIDR = MPIDR */
    ldr r0, =MODE_SVC_MASKED
    msr spsr_cxsf, r0
    adr r0, at_level_1
    msr elr_hyp, r0
    eret

at_level_1:
    ldr r0, =MODE_SVC_MASKED
    msr cpsr_c, r0
    mrc p15, 0, r0, c1, c0, 0
    ldr r1, =SCTLR_OFF
    bic r0, r0, r1
    mcr p15, 0, r0, c1, c0, 0
    isb
    ldr r0, =vectors
    mcr p15, 0, r0, c12, c0, 0      /* VBAR */
    isb
    ldr r0, =__stacks
    mov r1, #BOARD_STACK_BYTES
    mla r0, r1, r4, r0
    add sp, r0, r1
    cmp r4, #0
    bne other_core

    ldr r0, =__bss_start
    ldr r1, =__bss_end
    mov r2, #0
2:  cmp r0, r1
    strlo r2, [r0], #4
    blo 2b
    cmp r5, #MODE_HYP
    movne r0, #1
    moveq r0, #0
    ldr r1, =core_under_hypervisor
    str r0, [r1]
    bl main
    bl board_exit

other_core:
#if BOARD_CORES > 1
    mov r0, r4
    bl core_main
#endif
3:  wfi
    b 3b
    .ltorg

/* ---- exceptions and interrupts ---- */

    .text
    .balign 32
vectors:
    b fault_0
    b fault_1
    b fault_2
    b fault_3
    b fault_4
    b fault_5
    b interrupt
    b fault_7

/* The core is in another mode now, without a stack: back to that of SVC, which is at its end. */
    .irp number, 0, 1, 2, 3, 4, 5, 7
fault_\number:
    cpsid aif, #0x13
    mov r0, #\number
    b core_fault
    .endr

interrupt:
    interrupt_in_svc board_interrupt

#include "arm/stacks.inc"
