/* SPDX-License-Identifier: MIT */
/* int jump_save(uintptr_t *place), void jump_back(const uintptr_t *place): setjmp() and longjmp() for images without a C
 * library, with the registers that calls keep by each core's calling convention, integer ones only. */
    .text

#if defined(__riscv)
#if __riscv_xlen == 64
#define KEEP(register, index) sd register, 8 * index(a0)
#define TAKE(register, index) ld register, 8 * index(a0)
#else
#define KEEP(register, index) sw register, 4 * index(a0)
#define TAKE(register, index) lw register, 4 * index(a0)
#endif
#define ALL(MOVE) \
    MOVE(ra, 0); MOVE(sp, 1); MOVE(s0, 2); MOVE(s1, 3); MOVE(s2, 4); MOVE(s3, 5); MOVE(s4, 6); MOVE(s5, 7); \
    MOVE(s6, 8); MOVE(s7, 9); MOVE(s8, 10); MOVE(s9, 11); MOVE(s10, 12); MOVE(s11, 13)
    .globl jump_save
    .type jump_save, @function
jump_save:
    ALL(KEEP)
    li a0, 0
    ret
    .globl jump_back
    .type jump_back, @function
jump_back:
    ALL(TAKE)
    li a0, 1
    ret

#elif defined(__aarch64__)
    .globl jump_save
    .type jump_save, %function
jump_save:
    stp x19, x20, [x0, #0]
    stp x21, x22, [x0, #16]
    stp x23, x24, [x0, #32]
    stp x25, x26, [x0, #48]
    stp x27, x28, [x0, #64]
    stp x29, x30, [x0, #80]
    mov x1, sp
    str x1, [x0, #96]
    mov w0, #0
    ret
    .globl jump_back
    .type jump_back, %function
jump_back:
    ldp x19, x20, [x0, #0]
    ldp x21, x22, [x0, #16]
    ldp x23, x24, [x0, #32]
    ldp x25, x26, [x0, #48]
    ldp x27, x28, [x0, #64]
    ldp x29, x30, [x0, #80]
    ldr x1, [x0, #96]
    mov sp, x1
    mov w0, #1
    ret

#elif defined(__arm__)
    .syntax unified
#if defined(__thumb__)
    .thumb
#else
    .arm
#endif
    .globl jump_save
    .type jump_save, %function
jump_save:
    mov r1, sp
    mov r2, lr
    str r1, [r0, #0]
    str r2, [r0, #4]
    str r4, [r0, #8]
    str r5, [r0, #12]
    str r6, [r0, #16]
    str r7, [r0, #20]
    mov r1, r8
    mov r2, r9
    str r1, [r0, #24]
    str r2, [r0, #28]
    mov r1, r10
    mov r2, r11
    str r1, [r0, #32]
    str r2, [r0, #36]
    movs r0, #0
    bx lr
    .globl jump_back
    .type jump_back, %function
jump_back:
    ldr r1, [r0, #24]
    ldr r2, [r0, #28]
    mov r8, r1
    mov r9, r2
    ldr r1, [r0, #32]
    ldr r2, [r0, #36]
    mov r10, r1
    mov r11, r2
    ldr r4, [r0, #8]
    ldr r5, [r0, #12]
    ldr r6, [r0, #16]
    ldr r7, [r0, #20]
    ldr r1, [r0, #0]
    ldr r2, [r0, #4]
    mov sp, r1
    movs r0, #1
    bx r2

#elif defined(__x86_64__)
    .globl jump_save
    .type jump_save, @function
jump_save:
    popq %rdx
    movq %rdx, 0(%rdi)
    movq %rsp, 8(%rdi)
    movq %rbx, 16(%rdi)
    movq %rbp, 24(%rdi)
    movq %r12, 32(%rdi)
    movq %r13, 40(%rdi)
    movq %r14, 48(%rdi)
    movq %r15, 56(%rdi)
    xorl %eax, %eax
    jmpq *%rdx
    .globl jump_back
    .type jump_back, @function
jump_back:
    movq 8(%rdi), %rsp
    movq 16(%rdi), %rbx
    movq 24(%rdi), %rbp
    movq 32(%rdi), %r12
    movq 40(%rdi), %r13
    movq 48(%rdi), %r14
    movq 56(%rdi), %r15
    movl $1, %eax
    jmpq *0(%rdi)

#elif defined(__i386__)
    .globl jump_save
    .type jump_save, @function
jump_save:
    movl 4(%esp), %eax
    movl 0(%esp), %edx
    movl %edx, 0(%eax)
    leal 4(%esp), %ecx
    movl %ecx, 4(%eax)
    movl %ebx, 8(%eax)
    movl %ebp, 12(%eax)
    movl %esi, 16(%eax)
    movl %edi, 20(%eax)
    xorl %eax, %eax
    ret
    .globl jump_back
    .type jump_back, @function
jump_back:
    movl 4(%esp), %edx
    movl 4(%edx), %esp
    movl 8(%edx), %ebx
    movl 12(%edx), %ebp
    movl 16(%edx), %esi
    movl 20(%edx), %edi
    movl $1, %eax
    jmpl *0(%edx)
#endif

#if defined(__ELF__) && !defined(__arm__)
    .section .note.GNU-stack, "", %progbits
#endif
