/* What tells boot loaders where the image begins; for start.S and start_i386.S, which go on in section .boot. */
#ifndef BOOT_HEADERS_H
#define BOOT_HEADERS_H

/* Where PVH enters: "x86/HVM direct boot ABI" of Xen, note type 18 (XEN_ELFNOTE_PHYS32_ENTRY). */
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

#endif
