/* The same as start.S for a core that stays in 32 bit: from what QEMU's PVH boot and GRUB's multiboot2 leave (flat
 * segments, paging and interrupts off) to main. SDM: Intel 64 and IA-32 Architectures Software Developer's
 * Manual, volume 3. */

#include "board_config.h"

#define CODE 0x08
#define DATA 0x10

#include "boot_headers.inc"

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

    /* The floating-point unit, and FXSAVE (SDM 14.1.1: OSFXSR, OSXMMEXCPT; MP set, EM clear). */
    movl %cr4, %eax
    orl $0x600, %eax
    movl %eax, %cr4
    movl %cr0, %eax
    andl $~0x4, %eax
    orl $0x2, %eax
    movl %eax, %cr0
    fninit

    lgdt gdt_pointer
    ljmp $CODE, $1f
1:  movl $DATA, %eax
    movl %eax, %ds
    movl %eax, %es
    movl %eax, %ss
    movl %eax, %fs
    movl %eax, %gs
    movl $__stack_end, %esp
    xorl %ebp, %ebp
    call main
    subl $12, %esp
    pushl %eax
    call board_exit

    .balign 8
gdt:
    .quad 0
    .quad 0x00cf9a000000ffff        /* code, 32 bit, level 0, 4 GiB */
    .quad 0x00cf92000000ffff        /* data */
gdt_end:
gdt_pointer:
    .word gdt_end - gdt - 1
    .long gdt

/* ---- exceptions and interrupts ---- */

#include "vectors.inc"

/* Saves all, and calls board_trap(vector). */
trap:
    pushal
    pushl 40(%esp)                  /* with ebp the record of a frame, for kymo/unwind.h: the interrupted address */
    pushl %ebp
    movl %esp, %ebp
    subl $512, %esp
    andl $-16, %esp
    fxsave (%esp)
    cld
    subl $12, %esp
    pushl 40(%ebp)
    call board_trap
    addl $16, %esp
    fxrstor (%esp)
    movl %ebp, %esp
    popl %ebp
    addl $4, %esp
    popal
    addl $8, %esp
    iretl

    .section .stacks, "aw", @nobits
    .balign 16
    .space BOARD_STACK_BYTES
__stack_end:

    .section .note.GNU-stack, "", @progbits
