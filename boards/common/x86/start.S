/* SPDX-License-Identifier: MIT */
/* Entry of a PC's cores, in 64 or 32 bit: the first one from 32-bit protected mode, as QEMU's PVH boot and GRUB's
 * multiboot2 leave it (flat segments, paging and interrupts off), to main; another one from real mode to core_main
 * (core.c). The linker gives __bss_start and _end, multiples of 4. SDM: Intel 64 and IA-32 Architectures Software
 * Developer's Manual, volume 3. */

#include "board_config.h"
#include "segments.h"

#ifdef __x86_64__
#define CODE_DESCRIPTOR 0x00209a0000000000 /* 64 bit, level 0 */
#define CR4_VALUE 0x620                    /* PAE, OSFXSR, OSXMMEXCPT */
#define CR0_SET 0x80000003                 /* PG, MP, PE */
#else
#define CODE_DESCRIPTOR CODE_32_DESCRIPTOR
#define CR4_VALUE 0x600
#define CR0_SET 0x3
#endif
#define CODE_32_DESCRIPTOR 0x00cf9a000000ffff /* 32 bit, level 0, 4 GiB */
#define DATA_DESCRIPTOR 0x00cf92000000ffff
/* EM; CD and NW, which an INIT leaves as they were (SDM table 10-1). */
#define CR0_CLEAR 0x60000004

/* ---- what tells boot loaders where the image begins ---- */

/* The entry for PVH: "x86/HVM direct boot ABI" of Xen, note type 18 (XEN_ELFNOTE_PHYS32_ENTRY). */
    .section .note.pvh, "a", @note
    .balign 4
    .long 4, 4, 18
    .asciz "Xen"
    .long _start

/* "Multiboot2 Specification" 2.0, 3.1.1: magic, architecture (0 = i386, protected mode), length, and what
 * makes the sum 0; then the tag that ends the list. */
#define MULTIBOOT2_MAGIC 0xe85250d6
#define MULTIBOOT2_BYTES (multiboot2_end - multiboot2)

    .section .boot, "ax"
    .balign 8
multiboot2:
    .long MULTIBOOT2_MAGIC
    .long 0
    .long MULTIBOOT2_BYTES
    .long -(MULTIBOOT2_MAGIC + MULTIBOOT2_BYTES)
    .word 0, 0
    .long 8
multiboot2_end:

/* ---- the first core ---- */

    .code32
    .global _start
_start:
    cli
    cld
    movl $__bss_start, %edi
    movl $_end, %ecx
    subl %edi, %ecx
    shrl $2, %ecx
    xorl %eax, %eax
    rep stosl
    xorl %ebx, %ebx
#ifdef __x86_64__
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
    addl $0x200000, %eax
    addl $8, %edi
    decl %ecx
    jnz 1b
#endif
    jmp enter

/* ---- another core: SDM 9.4.4.2 ---- */

#if BOARD_CORES > 1
/* Copied to CORE_TRAMPOLINE. */
    .code16
    .global core_trampoline, core_trampoline_end
core_trampoline:
    cli
    lgdtl %cs:trampoline_gdt - core_trampoline
    movl %cr0, %eax
    orl $1, %eax
    movl %eax, %cr0
    ljmpl $CORE_CODE_32, $other_core
    .balign 4
trampoline_gdt:
    .word gdt_end - gdt - 1
    .long gdt
core_trampoline_end:

/* All cores come here, and take numbers. Those from BOARD_CORES on are unused. */
    .code32
other_core:
    cld
    movl $CORE_DATA, %eax
    movl %eax, %ds
    movl %eax, %es
    movl %eax, %ss
    movl $1, %ebx
    lock xaddl %ebx, core_count
    cmpl $BOARD_CORES, %ebx
    jae sleep
#endif

/* ---- each of them, its number in ebx ---- */

enter:
    /* Long mode (SDM 10.8.5), and SSE (SDM 14.1.1). */
    movl %cr4, %eax
    orl $CR4_VALUE, %eax
    movl %eax, %cr4
#ifdef __x86_64__
    movl $tables, %eax
    movl %eax, %cr3
    movl $0xc0000080, %ecx          /* IA32_EFER */
    rdmsr
    orl $0x100, %eax                /* LME */
    wrmsr
#endif
    movl %cr0, %eax
    andl $~CR0_CLEAR, %eax
    orl $CR0_SET, %eax
    movl %eax, %cr0
    fninit
    lgdt gdt_pointer
    ljmp $CORE_CODE, $1f
#ifdef __x86_64__
    .code64
#endif
1:  movl $CORE_DATA, %eax
    movl %eax, %ds
    movl %eax, %es
    movl %eax, %ss
    movl %eax, %fs
    leal CORE_DATA(, %ebx, 8), %eax
    movl %eax, %gs
    leal 1(%ebx), %eax
    imull $BOARD_STACK_BYTES, %eax
    addl $__stacks, %eax
    movl %eax, %esp                 /* in 64 bit this clears the upper half */
    xorl %ebp, %ebp                 /* where walks of the stack end: kymo/unwind.h */
#if BOARD_CORES > 1
    testl %ebx, %ebx
    jz 2f
    call core_main
    jmp sleep
#endif
2:  call main
#ifdef __x86_64__
    movl %eax, %edi
#else
    subl $12, %esp
    pushl %eax
#endif
    call board_exit

sleep:                              /* the same bytes in every mode */
    cli
    hlt
    jmp sleep

    .balign 8
gdt:
    .quad 0, CODE_DESCRIPTOR, CODE_32_DESCRIPTOR
    .rept BOARD_CORES
    .quad DATA_DESCRIPTOR
    .endr
gdt_end:
gdt_pointer:
    .word gdt_end - gdt - 1
    .long gdt

#ifdef __x86_64__
    .section .bss
    .balign 4096
tables:
    .space 6 * 4096
#endif

    .section .stacks, "aw", @nobits
    .balign 16
__stacks:
    .space BOARD_CORES * BOARD_STACK_BYTES

    .section .note.GNU-stack, "", @progbits
