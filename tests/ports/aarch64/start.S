/* SPDX-License-Identifier: MIT */
/* Entry of the contract test at exception level CHECK_LEVEL, as QEMU starts the core there, and its vectors.
 * CHECK_CORE 1: core 0 starts core 1 by PSCI, which runs the test. */

#include "../../../boards/common/aarch64/registers.inc"

    .section .text.start, "ax"
    .global _start
_start:
#if CHECK_CORE == 1
    ldr x0, =0xc4000003             /* CPU_ON: core 1, at "go" */
    mov x1, #1
    ldr x2, =go
    mov x3, #0
    hvc #0
0:  wfi
    b 0b
go:
#else
    mrs x0, mpidr_el1               /* at level 3 there is no PSCI, and both come here */
    tst x0, #0xff
    b.eq 1f
0:  wfi
    b 0b
1:
#endif
    mrs x0, CurrentEL
    cmp x0, #(CHECK_LEVEL << 2)
    mov w0, #15                     /* MACHINE_IS_NOT_FIT */
    ldr x1, =stack_end
    mov sp, x1
    mov x29, #0                     /* where walks of the stack end */
    b.ne finish
    ldr x1, =vectors
#if CHECK_LEVEL == 1
    msr vbar_el1, x1
#ifdef CHECK_SIGNED
    mrs x1, sctlr_el1               /* EnIA: return addresses are signed */
    orr x1, x1, #0x80000000
    msr sctlr_el1, x1
#endif
#elif CHECK_LEVEL == 2
    msr vbar_el2, x1
    ldr x1, =0x80000018             /* HCR_EL2: RW; IMO and FMO send interrupts to level 2 */
    msr hcr_el2, x1
#else
    msr vbar_el3, x1
    mov x1, #0x436                  /* SCR_EL3: RW, RES1 bits; IRQ and FIQ go to level 3 */
    msr scr_el3, x1
#endif
    isb
    bl check
finish:
    bl machine_finish

    .text
    .balign 2048
vectors:
    .rept 4
    .balign 128
    b unexpected
    .endr
    .balign 128
    b trap
    .balign 128
    b interrupt
    .rept 10
    .balign 128
    b unexpected
    .endr
    .balign 128

unexpected:
    mov w0, #0
    bl fault

.macro entry handler
    sub sp, sp, #192
    general_registers stp
    stp x18, x30, [sp, #144]
    /* The record of a frame, for kymo/unwind.h. */
#if CHECK_LEVEL == 1
    mrs x0, elr_el1
#elif CHECK_LEVEL == 2
    mrs x0, elr_el2
#else
    mrs x0, elr_el3
#endif
    add x0, x0, #1
    orr x1, x29, #1
    stp x1, x0, [sp, #176]
    str x30, [sp, #168]
    add x29, sp, #176
    bl \handler
    ldr x29, [sp, #176]
    bic x29, x29, #1
    general_registers ldp
    ldp x18, x30, [sp, #144]
    add sp, sp, #192
    eret
.endm

interrupt:
    entry handle

trap:
    entry callstack_trap

    .global machine_trap
machine_trap:
    svc #0
    ret

    .section .stack, "aw", %nobits
    .balign 16
    .space 8192
stack_end:

    .section .note.GNU-stack, "", %progbits
