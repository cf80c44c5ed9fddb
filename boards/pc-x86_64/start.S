/* From 32-bit protected mode, as QEMU's PVH boot and GRUB's multiboot2 leave it (flat segments, paging and
 * interrupts off), to long mode and main. SDM: Intel 64 and IA-32 Architectures Software Developer's
 * Manual, volume 3. */

#include "board_config.h"

#define CODE_64 0x08
#define DATA 0x10

#include "boot_headers.inc"

    .code32
    .global _start
_start:
    cli
    cld
    movl $__bss_start, %edi
    movl $__bss_end, %ecx
    subl %edi, %ecx
    shrl $2, %ecx
    xorl %eax, %eax
    rep stosl

    /* Four GiB one to one, in pages of 2 MiB (SDM 4.5): the device registers are there too. */
    movl $tables + 0x1003, tables
    movl $tables + 0x2003, tables + 0x1000
    movl $tables + 0x3003, tables + 0x1008
    movl $tables + 0x4003, tables + 0x1010
    movl $tables + 0x5003, tables + 0x1018
    movl $tables + 0x2000, %edi
    movl $0x83, %eax                /* present, writable, 2 MiB */
    movl $2048, %ecx
1:  movl %eax, (%edi)
    movl $0, 4(%edi)
    addl $0x200000, %eax
    addl $8, %edi
    decl %ecx
    jnz 1b

    /* Long mode (SDM 10.8.5), and SSE (SDM 14.1.1: OSFXSR, OSXMMEXCPT; MP set, EM clear). */
    movl %cr4, %eax
    orl $0x620, %eax
    movl %eax, %cr4
    movl $tables, %eax
    movl %eax, %cr3
    movl $0xc0000080, %ecx          /* IA32_EFER */
    rdmsr
    orl $0x100, %eax                /* LME */
    wrmsr
    movl %cr0, %eax
    andl $~0x4, %eax
    orl $0x80000003, %eax
    movl %eax, %cr0
    lgdt gdt_pointer
    ljmp $CODE_64, $1f

    .code64
1:  movl $DATA, %eax
    movl %eax, %ds
    movl %eax, %es
    movl %eax, %ss
    movl %eax, %fs
    movl %eax, %gs
    movq $__stack_end, %rsp
    xorl %ebp, %ebp
    call main
    movl %eax, %edi
    call board_exit

    .balign 8
gdt:
    .quad 0
    .quad 0x00209a0000000000        /* code, 64 bit, level 0 */
    .quad 0x0000920000000000        /* data, level 0 */
gdt_end:
gdt_pointer:
    .word gdt_end - gdt - 1
    .long gdt

/* ---- exceptions and interrupts ---- */

#include "vectors.inc"

/* Saves what the calling convention lets a C function change, and calls board_trap(vector). */
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
    pushq 88(%rsp)                  /* with rbp the record of a frame, for kymo/unwind.h: the interrupted address */
    pushq %rbp
    movq %rsp, %rbp
    movq 88(%rbp), %rdi
    subq $512, %rsp
    andq $-16, %rsp
    fxsave64 (%rsp)
    cld
    call board_trap
    fxrstor64 (%rsp)
    movq %rbp, %rsp
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

    .section .bss
    .balign 4096
tables:
    .space 6 * 4096

    .section .stacks, "aw", @nobits
    .balign 16
    .space BOARD_STACK_BYTES
__stack_end:

    .section .note.GNU-stack, "", @progbits
