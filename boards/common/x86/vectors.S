/* SPDX-License-Identifier: MIT */
/* The entries of exceptions and interrupts, in 64 or 32 bit. SDM: Intel 64 and IA-32 Architectures Software
 * Developer's Manual, volume 3. */

#ifdef __x86_64__
#define PUSH pushq
#else
#define PUSH pushl
#endif

/* One entry each of 16 bytes: 0 to 31 are exceptions, of which some push an error code (SDM table 7-1), from 32 on
 * the interrupts. */
    .text
    .global core_vectors
    .balign 16
core_vectors:
    .set vector, 0
    .rept 64                        /* CORE_VECTORS of core.h */
    .balign 16
    .if vector == 8 || (vector >= 10 && vector <= 14) || vector == 17 || vector == 21
    .else
    PUSH $0
    .endif
    PUSH $vector
    jmp trap
    .set vector, vector + 1
    .endr

#ifdef __x86_64__

/* Saves the registers that the calling convention lets a C function change, and calls board_trap(vector, record). */
trap:
    pushq %rax
    pushq %rcx
    pushq %rdx
    pushq %rsi
    pushq %rdi
    pushq %r8
    pushq %r9
    pushq %r10
    pushq %r11
    pushq 88(%rsp)                  /* with rbp the record of a frame, for kymo/unwind.h: the interrupted address + 1, */
    incq (%rsp)
    pushq %rbp
    incq (%rsp)                     /* the mark of an interrupt, */
    movq %rsp, %rbp
    movq 128(%rbp), %rdi
    pushq (%rdi)                    /* and below the word at the interrupted stack pointer */
    movq 88(%rbp), %rdi
    movq %rbp, %rsi
    subq $512, %rsp
    andq $-16, %rsp
    fxsave64 (%rsp)
    cld
    call board_trap
    fxrstor64 (%rsp)
    movq %rbp, %rsp
    decq (%rsp)
    popq %rbp
    addq $8, %rsp
    popq %r11
    popq %r10
    popq %r9
    popq %r8
    popq %rdi
    popq %rsi
    popq %rdx
    popq %rcx
    popq %rax
    addq $16, %rsp
    iretq

#else

/* Saves all, and calls board_trap(vector, record). */
trap:
    pushal
    pushl 40(%esp)                  /* as in 64 bit; no stack pointer was pushed */
    incl (%esp)
    pushl %ebp
    incl (%esp)
    movl %esp, %ebp
    pushl 60(%ebp)
    subl $512, %esp
    andl $-16, %esp
    fxsave (%esp)
    cld
    subl $8, %esp
    pushl %ebp
    pushl 40(%ebp)
    call board_trap
    addl $16, %esp
    fxrstor (%esp)
    movl %ebp, %esp
    decl (%esp)
    popl %ebp
    addl $4, %esp
    popal
    addl $8, %esp
    iretl

#endif

    .section .note.GNU-stack, "", @progbits
