/* The entries of exceptions and interrupts, for start.S and start_i386.S, which have "trap". */
#ifndef VECTORS_H
#define VECTORS_H

#ifdef __x86_64__
#define PUSH pushq
#else
#define PUSH pushl
#endif

/* One entry each of 16 bytes: 0 to 31 are exceptions, of which some push an error code (SDM table 7-1), 32
 * to 47 the interrupts of the two 8259A. */
    .text
    .global board_vectors
    .balign 16
board_vectors:
    .set vector, 0
    .rept 48
    .balign 16
    .if vector == 8 || (vector >= 10 && vector <= 14) || vector == 17 || vector == 21
    .else
    PUSH $0
    .endif
    PUSH $vector
    jmp trap
    .set vector, vector + 1
    .endr

#endif
