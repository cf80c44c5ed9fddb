/* SPDX-License-Identifier: MIT */
/* One core, machine mode: stack, cleared variables, main(). */
    .section .text.start, "ax"
    .globl _start
_start:
    csrr    t0, mhartid
1:  bnez    t0, 1b
    la      sp, stack_top
    la      t0, bss_start
    la      t1, bss_end
2:  bgeu    t0, t1, 3f
    sw      zero, 0(t0)
    addi    t0, t0, 4
    j       2b
3:  call    main
4:  j       4b
