/* Entry of the contract test from QEMU's PVH boot (32-bit protected mode, flat segments, no paging), in 32 bit
 * or on to 64; the interrupt entries. CHECK_SECOND_CORE: the first core starts the second one, which runs the
 * test. */

#ifdef __x86_64__
#define CODE_DESCRIPTOR 0x00209a0000000000
#else
#define CODE_DESCRIPTOR 0x00cf9a000000ffff
#endif
#define CODE_32_DESCRIPTOR 0x00cf9a000000ffff
#define TRAMPOLINE 0x8000
#define DATA_DESCRIPTOR 0x00cf92000000ffff

    .text
    .code32
    .global _start
_start:
    cli
    cld
#ifdef CHECK_SECOND_CORE
    /* SDM volume 3, "MP Initialization Protocol": INIT and a start at TRAMPOLINE to all but oneself. */
    movl $trampoline, %esi
    movl $TRAMPOLINE, %edi
    movl $trampoline_end - trampoline, %ecx
    rep movsb
    movl $0x1ff, 0xfee000f0
    movl $0xc4500, 0xfee00300
    movl $100000, %ecx
0:  loop 0b
    movl $0xc4600 | TRAMPOLINE >> 12, 0xfee00300
0:  hlt
    jmp 0b

/* Copied below 1 MiB: the second core comes in real mode. */
    .code16
trampoline:
    cli
    lgdtl %cs:trampoline_gdt - trampoline
    movl %cr0, %eax
    orl $1, %eax
    movl %eax, %cr0
    ljmpl $24, $second
    .balign 4
trampoline_gdt:
    .word gdt_end - gdt - 1
    .long gdt
trampoline_end:
    .code32
second:
    movl $16, %eax
    movl %eax, %ds
    movl %eax, %es
    movl %eax, %ss
#endif
#ifdef __x86_64__
    /* Four GiB one to one, in pages of 2 MiB; the bss is zero, as QEMU loads it. */
    movl $tables + 0x1003, tables
    movl $tables + 0x2003, tables + 0x1000
    movl $tables + 0x3003, tables + 0x1008
    movl $tables + 0x4003, tables + 0x1010
    movl $tables + 0x5003, tables + 0x1018
    movl $tables + 0x2000, %edi
    movl $0x83, %eax
    movl $2048, %ecx
1:  movl %eax, (%edi)
    addl $0x200000, %eax
    addl $8, %edi
    decl %ecx
    jnz 1b
    movl %cr4, %eax
    orl $0x20, %eax
    movl %eax, %cr4
    movl $tables, %eax
    movl %eax, %cr3
    movl $0xc0000080, %ecx
    rdmsr
    orl $0x100, %eax
    wrmsr
    movl %cr0, %eax
    orl $0x80000001, %eax
    movl %eax, %cr0
#endif
    lgdt gdt_pointer
    ljmp $8, $1f
#ifdef __x86_64__
    .code64
#endif
1:  movl $16, %eax
    movl %eax, %ds
    movl %eax, %es
    movl %eax, %ss
    xorl %ebp, %ebp     /* where walks of the stack end */
#ifdef __x86_64__
    movq $stack_end, %rsp
    call check
    movl %eax, %edi
#else
    movl $stack_end, %esp
    call check
    pushl %eax
#endif
    call machine_finish

    .global entry_fault, entry_interrupt
entry_fault:
    call fault

entry_interrupt:
#ifdef __x86_64__
    pushq %rax
    pushq %rcx
    pushq %rdx
    pushq %rsi
    pushq %rdi
    pushq %r8
    pushq %r9
    pushq %r10
    pushq %r11
    pushq 72(%rsp)      /* the record of a frame, for kymo/unwind.h: the interrupted address */
    pushq %rbp
    movq %rsp, %rbp
    call handle
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
    iretq
#else
    pushal
    pushl 32(%esp)
    pushl %ebp
    movl %esp, %ebp
    call handle
    popl %ebp
    addl $4, %esp
    popal
    iretl
#endif

    .balign 8
gdt:
    .quad 0, CODE_DESCRIPTOR, DATA_DESCRIPTOR, CODE_32_DESCRIPTOR
gdt_end:
gdt_pointer:
    .word gdt_end - gdt - 1
    .long gdt

    .section .note.pvh, "a", @note
    .balign 4
    .long 4, 4, 18
    .asciz "Xen"
    .long _start

    .section .bss
    .balign 4096
tables:
    .space 6 * 4096
    .space 16384
stack_end:

    .section .note.GNU-stack, "", @progbits
