/* SPDX-License-Identifier: MIT */
/* An interrupt handler for samples on Cortex-M (kymo/sample.h) that saves the preempted registers, so that the stack
 * walk does not pass through the handler, which takes some 700 instructions. Sections are those of the "ARMv7-M
 * Architecture Reference Manual" (DDI 0403E). */
#ifndef KYMO_CORTEXM_SAMPLE_H
#define KYMO_CORTEXM_SAMPLE_H

#include "kymo/sample.h"

/* Defines "handler", a name of the vector table, as a function that calls
 *
 *   void function(const struct kymo_interrupted *at)
 *
 * which does the handler's work and passes "at" to kymo_sample(). "function" has C linkage and is not static. Use the
 * macro outside of functions, with a semicolon:
 *
 *   KYMO_CORTEXM_SAMPLING_HANDLER(TIM2_IRQHandler, take_sample);
 *   void take_sample(const struct kymo_interrupted *at) { timer_fire_in(kymo_sample(at)); }
 *
 * It takes 24 instructions and 48 bytes of stack for each interrupt. Call stacks of other events in the handler show
 * the preempted code too. Not for handlers of the secure state that preempt non-secure code. */
#define KYMO_CORTEXM_SAMPLING_HANDLER(handler, function)                                           \
    KYMO_C_BEGIN                                                                                   \
    __attribute__((used)) void function(const struct kymo_interrupted *at);                        \
    KYMO_C_END                                                                                     \
    KYMO_CORTEXM_ENTRY_(#handler, #function)                                                       \
    KYMO_STATIC_ASSERT_(sizeof(struct kymo_interrupted) == 16u, "KYMO_CORTEXM_ENTRY_ lays it out")

/* The core has pushed eight registers onto the preempted stack, with the address of the preempted instruction at offset
 * 24, and lr says which stack that is (B1.5.6, B1.5.8). The code pushes the other registers onto the handler's stack,
 * in order, and below them a struct kymo_interrupted: pc, frame, stack, link. The directives make the unwinding table
 * (kymo/unwind.h). */
#define KYMO_CORTEXM_ENTRY_(handler, function)                                                     \
    __asm__(".syntax unified\n"                                                                    \
            ".pushsection .text." handler ",\"ax\",%progbits\n"                                    \
            ".balign 2\n"                                                                          \
            ".thumb\n"                                                                             \
            ".thumb_func\n"                                                                        \
            ".global " handler "\n"                                                                \
            ".type " handler ", %function\n" handler ":\n"                                         \
            ".fnstart\n"                                                                           \
            "mov r0, lr\n"                                                                         \
            "movs r1, #4\n"                                                                        \
            "tst r0, r1\n"                                                                         \
            "mrs r2, msp\n"                                                                        \
            "beq 1f\n"                                                                             \
            "mrs r2, psp\n"                                                                        \
            "1: mov r0, r10\n"                                                                     \
            "mov r1, r11\n"                                                                        \
            "push {r0, r1}\n"                                                                      \
            "mov r0, r8\n"                                                                         \
            "mov r1, r9\n"                                                                         \
            "push {r0, r1}\n"                                                                      \
            ".save {r8-r11}\n"                                                                     \
            "push {r4-r7}\n"                                                                       \
            ".save {r4-r7}\n"                                                                      \
            "mov r1, sp\n"                                                                         \
            "ldr r0, [r2, #24]\n"                                                                  \
            "mov r3, lr\n"                                                                         \
            "push {r0-r3}\n"                                                                       \
            ".save {lr}\n"                                                                         \
            ".pad #12\n"                                                                           \
            "mov r0, sp\n"                                                                         \
            "bl " function "\n"                                                                    \
            "ldr r3, [sp, #12]\n"                                                                  \
            "add sp, #48\n"                                                                        \
            "bx r3\n"                                                                              \
            ".fnend\n"                                                                             \
            ".size " handler ", . - " handler "\n"                                                 \
            ".popsection\n");

#endif
