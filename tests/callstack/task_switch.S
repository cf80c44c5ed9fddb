/* SPDX-License-Identifier: MIT */
/* tasks.h, with the integer registers that calls keep by each core's calling convention. Without interrupts. */
    .text

#if defined(__riscv)
#if __riscv_xlen == 64
#define WORD 8
#define STORE sd
#define LOAD ld
#else
#define WORD 4
#define STORE sw
#define LOAD lw
#endif
#define ALL(MOVE) \
    MOVE ra, 0 * WORD(sp); MOVE s0, 1 * WORD(sp); MOVE s1, 2 * WORD(sp); MOVE s2, 3 * WORD(sp); \
    MOVE s3, 4 * WORD(sp); MOVE s4, 5 * WORD(sp); MOVE s5, 6 * WORD(sp); MOVE s6, 7 * WORD(sp); \
    MOVE s7, 8 * WORD(sp); MOVE s8, 9 * WORD(sp); MOVE s9, 10 * WORD(sp); MOVE s10, 11 * WORD(sp); \
    MOVE s11, 12 * WORD(sp)
    .globl task_switch, task_begin, task_own_pointer
    .type task_switch, @function
task_switch:
    addi sp, sp, -16 * WORD
    ALL(STORE)
    STORE sp, 0(a0)
    mv sp, a1
    ALL(LOAD)
    addi sp, sp, 16 * WORD
    ret
    .type task_begin, @function
task_begin:
    addi sp, sp, -16 * WORD
    ALL(STORE)
    STORE sp, 0(a0)
    mv sp, a1
    li ra, 0
    li s0, 0xa5a5a5a0
    mv s1, s0
    jr a2
    .type task_own_pointer, @function
task_own_pointer:
    ret

#elif defined(__aarch64__)
    .globl task_switch, task_begin, task_own_pointer
.macro leave
    stp x29, x30, [sp, #-96]!
    stp x19, x20, [sp, #16]
    stp x21, x22, [sp, #32]
    stp x23, x24, [sp, #48]
    stp x25, x26, [sp, #64]
    stp x27, x28, [sp, #80]
    mov x9, sp
    str x9, [x0]
    mov sp, x1
.endm
    .type task_switch, %function
task_switch:
    leave
    ldp x19, x20, [sp, #16]
    ldp x21, x22, [sp, #32]
    ldp x23, x24, [sp, #48]
    ldp x25, x26, [sp, #64]
    ldp x27, x28, [sp, #80]
    ldp x29, x30, [sp], #96
    ret
    .type task_begin, %function
task_begin:
    leave
    mov x30, #0
    mov x29, #0xa5a0
    mov x19, x29
    br x2
    .type task_own_pointer, %function
task_own_pointer:
    ret

#elif defined(__arm__)
    .syntax unified
#if defined(__thumb__)
    .thumb
#else
    .arm
#endif
    .globl task_switch, task_begin, task_own_pointer
.macro leave
    push {r3-r7, lr}
    mov r4, r8
    mov r5, r9
    mov r6, r10
    mov r7, r11
    push {r4-r7}
    mov r3, sp
    str r3, [r0]
    mov sp, r1
.endm
    .type task_switch, %function
task_switch:
    leave
    pop {r4-r7}
    mov r8, r4
    mov r9, r5
    mov r10, r6
    mov r11, r7
    pop {r3-r7, pc}
    .type task_begin, %function
task_begin:
    leave
    ldr r4, =0xa5a5a5a5
    mov r7, r4
    mov r11, r4
    movs r3, #0
    mov lr, r3
    bx r2
    .ltorg
    .type task_own_pointer, %function
task_own_pointer:
#if __ARM_ARCH_PROFILE == 'M'
    mov r1, sp
    msr psp, r1
    mrs r2, control
    movs r3, #2                     /* SPSEL */
    orrs r2, r3
    msr control, r2
    isb
    msr msp, r0
#endif
    bx lr

#elif defined(__x86_64__)
    .globl task_switch, task_begin, task_own_pointer
.macro leave
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
.endm
    .type task_switch, @function
task_switch:
    leave
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .type task_begin, @function
task_begin:
    leave
    movl $0xa5a5a5a0, %ebp
    movq %rbp, %rbx
    pushq $0
    jmpq *%rdx
    .type task_own_pointer, @function
task_own_pointer:
    ret

#elif defined(__i386__)
    .globl task_switch, task_begin, task_own_pointer
.macro leave
    movl 4(%esp), %eax
    movl 8(%esp), %ecx
    movl 12(%esp), %edx
    pushl %ebp
    pushl %ebx
    pushl %esi
    pushl %edi
    movl %esp, (%eax)
    movl %ecx, %esp
.endm
    .type task_switch, @function
task_switch:
    leave
    popl %edi
    popl %esi
    popl %ebx
    popl %ebp
    ret
    .type task_begin, @function
task_begin:
    leave
    movl $0xa5a5a5a0, %ebp
    movl %ebp, %ebx
    pushl $0
    jmpl *%edx
    .type task_own_pointer, @function
task_own_pointer:
    ret
#endif

#if defined(__ELF__) && !defined(__arm__)
    .section .note.GNU-stack, "", %progbits
#endif
