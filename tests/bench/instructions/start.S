/* SPDX-License-Identifier: MIT */
/* A smallest image for QEMU's "virt" machine, in machine mode on hart 0, and the measurement. */
    .section .text.start, "ax"
    .global _start
_start:
    csrr t0, mhartid
1:  bnez t0, 1b
    la sp, stack_end
    li s0, 0                        /* where walks of the stack end: kymo/unwind.h */
    call main
    /* The machine's test device: 0x5555 ends QEMU with status 0. */
    li t0, 0x100000
    li t1, 0x5555
    sw t1, 0(t0)
2:  j 2b

/* uint64_t measure(uintptr_t *result, uintptr_t (*function)(), a0, a1, a2): instructions from one look at
 * the counter to the next; between them is one jump and the function. The frame pointer stays the caller's. */
    .text
    .global measure
measure:
    addi sp, sp, -32
    sd ra, 0(sp)
    sd s2, 8(sp)
    sd s1, 16(sp)
    mv s1, a0
    mv t0, a1
    mv a0, a2
    mv a1, a3
    mv a2, a4
    rdinstret s2
    jalr t0
    rdinstret t0
    sd a0, 0(s1)
    sub a0, t0, s2
    ld ra, 0(sp)
    ld s2, 8(sp)
    ld s1, 16(sp)
    addi sp, sp, 32
    ret

/* A call and a return. */
    .global nothing
nothing:
    ret

    .bss
    .balign 16
    .space 8192
stack_end:
