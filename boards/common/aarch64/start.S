/* SPDX-License-Identifier: MIT */
/* Entry and vectors for AArch64. Core 0 may arrive at level 2 or 1 and goes on at level 1, with the MMU
 * and the data cache off. Registers: "Arm Architecture Reference Manual for A-profile architecture" (DDI 0487),
 * chapter D17. */

#include "aarch64/registers.inc"
#include "board_config.h"

#define HCR_EL2_RW 0x80000000       /* level 1 is AArch64; nothing is trapped */
#define CNTHCTL_EL2_VALUE 3         /* level 1 may use the physical timer and counter */
#define CPTR_EL2_VALUE 0x33ff       /* RES1 bits only: floating point is not trapped */
#define CPACR_EL1_FPEN 0x300000     /* nor at level 1 */
#define SCTLR_EL1_VALUE 0x30d01800  /* RES1 bits, instruction cache on; MMU and data cache off, little-endian */
#define PSTATE_EL1H 0x3c5           /* D, A, I and F masked */

    .section .text.start, "ax"
    .global _start
_start:
    mrs x1, mpidr_el1
    tst x1, #0xff
    b.eq core_start
    .global core_sleep
core_sleep:                         /* where all cores arrive at once, one is enough */
    msr daifset, #15
0:  wfi
    b 0b

    .global core_start
core_start:
    msr daifset, #15
    mrs x20, mpidr_el1
    and x20, x20, #0xff
    mrs x21, CurrentEL
    cmp x21, #8
    b.lo at_level_1
    b.eq at_level_2
    b core_sleep                    /* level 3 belongs to the boot code */

at_level_2:
    mov x1, #HCR_EL2_RW
    msr hcr_el2, x1
    mov x1, #CNTHCTL_EL2_VALUE
    msr cnthctl_el2, x1
    msr cntvoff_el2, xzr
    mov x1, #CPTR_EL2_VALUE
    msr cptr_el2, x1
    msr hstr_el2, xzr
    mrs x1, midr_el1
    msr vpidr_el2, x1
    mrs x1, mpidr_el1
    msr vmpidr_el2, x1
    ldr x1, =SCTLR_EL1_VALUE        /* it may hold anything now, and counts from the ERET on */
    msr sctlr_el1, x1
    mov x1, #PSTATE_EL1H
    msr spsr_el2, x1
    adr x1, at_level_1
    msr elr_el2, x1
    eret

at_level_1:
    msr spsel, #1
    ic iallu
    ldr x1, =SCTLR_EL1_VALUE
    msr sctlr_el1, x1
    adrp x1, vectors
    add x1, x1, :lo12:vectors
    msr vbar_el1, x1
    mov x1, #CPACR_EL1_FPEN
    msr cpacr_el1, x1
    isb
    adrp x1, __stacks
    add x1, x1, :lo12:__stacks
    mov x2, #BOARD_STACK_BYTES
    madd x1, x2, x20, x1
    add sp, x1, x2
    mov x29, #0
    mov x30, #0
    cbnz x20, other_core

    adrp x1, __bss_start
    add x1, x1, :lo12:__bss_start
    adrp x2, __bss_end
    add x2, x2, :lo12:__bss_end
2:  cmp x1, x2
    b.hs 3f
    stp xzr, xzr, [x1], #16
    b 2b
3:  cmp x21, #4
    cset w1, eq
    adrp x2, core_under_hypervisor
    str w1, [x2, :lo12:core_under_hypervisor]
    mov x29, #0                     /* where walks of the stack end: kymo/unwind.h */
    bl main
    bl board_exit

#if BOARD_CORES > 1
other_core:
    mov w0, w20
    bl core_main
#else
other_core:
#endif
4:  wfi
    b 4b

/* ---- exceptions and interrupts ---- */

    .text
/* Four groups of four; of the second one, from level 1 with its own stack, the interrupt is expected. */
    .balign 2048
vectors:
    .rept 5
    .balign 128
    b fault
    .endr
    .balign 128
    b interrupt
    .rept 10
    .balign 128
    b fault
    .endr
    .balign 128

fault:
    mrs x0, esr_el1
    lsr w0, w0, #26
    bl core_fault

/* Saves the registers that the calling convention lets a C function change, of the vector registers the halves of
 * v8 to v15 too. Interrupts stay off inside, so ELR_EL1 and SPSR_EL1 keep. */
interrupt:
    sub sp, sp, #736
    general_registers stp
    stp x18, x29, [sp, #144]
    mrs x0, fpsr
    mrs x1, fpcr
    stp x30, x0, [sp, #160]
    str x1, [sp, #176]
    vector_registers stp
    /* The record of a frame, for kymo/unwind.h: a mark in the frame pointer, the interrupted address + 1 for the return
     * address, and the interrupted return address below. */
    mrs x0, elr_el1
    add x0, x0, #1
    orr x1, x29, #1
    str x30, [sp, #712]
    str x1, [sp, #720]
    str x0, [sp, #728]
    add x29, sp, #720
    bl board_interrupt
    vector_registers ldp
    ldp x30, x0, [sp, #160]
    ldr x1, [sp, #176]
    msr fpsr, x0
    msr fpcr, x1
    general_registers ldp
    ldp x18, x29, [sp, #144]
    add sp, sp, #736
    eret

#include "arm/stacks.inc"

    .section .note.GNU-stack, "", %progbits
