/* SPDX-License-Identifier: MIT */
/* Call stacks: the return addresses that lead to the caller. Part of the contract of an arch port (arch.h), whose
 * kymo_arch.h says how to walk the stack:
 *
 *   KYMO_ARCH_UNWIND
 *     KYMO_UNWIND_NONE    not possible, the default
 *     KYMO_UNWIND_FRAMES  by frame pointers: compile all of the firmware with -fno-omit-frame-pointer
 *     KYMO_UNWIND_EHABI   32-bit Arm, where compilers keep no chain of frames: by the tables of
 *                         -funwind-tables, which the linker script keeps between __exidx_start and __exidx_end
 *     KYMO_UNWIND_OWN     by the port's own kymo_arch_unwind()
 *
 * ports/unwind/frames.c and ehabi.c implement FRAMES and EHABI. At a function compiled without frame pointer or table
 * the walk ends or skips functions; it never reads outside the stack. */
#ifndef KYMO_UNWIND_H
#define KYMO_UNWIND_H

#include <stdint.h>

#define KYMO_UNWIND_NONE 0
#define KYMO_UNWIND_FRAMES 1
#define KYMO_UNWIND_EHABI 2
#define KYMO_UNWIND_OWN 3

#include "kymo/arch.h"
#include "kymo/language.h"

KYMO_C_BEGIN

#ifndef KYMO_ARCH_UNWIND
#define KYMO_ARCH_UNWIND KYMO_UNWIND_NONE
#endif

/* How many bytes above its own stack pointer a walk may read if the end of the stack is unknown. All of them must be
 * readable memory: mind a stack at the end of RAM. */
#ifndef KYMO_STACK_BYTES
#define KYMO_STACK_BYTES 2048
#endif
KYMO_RANGE_(KYMO_STACK_BYTES, 64, 16777216);

/* Fills "addresses" with the return address of the caller, of its caller, and so on outwards, without the first "skip".
 * Returns how many there are: at most "count", 0 if the port cannot walk. Each address is the one after a call; for
 * preempted code it is one more than that of the preempted instruction. So one less is inside the function in both
 * cases. On Arm the Thumb bit is cleared.
 *
 * Any context, any core. Reads aligned words upwards, from the stack pointer to "stack_end", the address after the
 * stack's last byte (0: unknown, see KYMO_STACK_BYTES). So a damaged stack gives wrong or fewer addresses and no fault,
 * and the walk always ends. A step takes some ten instructions by frame pointers, some hundred by tables, and a
 * binary search for a function that was not met lately.
 *
 * The walk passes through an interrupt if the handler's entry saves the following. Frame pointers: a frame record
 * like that of a function, with the preempted address plus one as its return address, and in the word below the record
 * the preempted return address register, on x86 the word that the preempted stack pointer points to. RISC-V needs that
 * word without fail; elsewhere bit 0 of the record's frame pointer set says that it is there. Tables: nothing on
 * Cortex-M, where the walk knows the core's exception frame; elsewhere a table for the entry (.unwind_raw).
 *
 * Where the interrupted code has no frame of its own, as in the first and last instructions of a function and in many
 * leaf functions, its caller is missing; by frame pointers the walk then gives KYMO_STACK_HELD (wire.h) and what the
 * link register held, if that is known and "count" has room for two more, and hostlink decides with the ELF file.
 * -mno-omit-leaf-frame-pointer gives most leaf functions a frame. */
#if KYMO_ENABLE && KYMO_ARCH_UNWIND != KYMO_UNWIND_NONE
uint32_t kymo_arch_unwind(uintptr_t *addresses, uint32_t count, uint32_t skip, uintptr_t stack_end);
#else
static inline uint32_t kymo_arch_unwind(uintptr_t *addresses, uint32_t count, uint32_t skip,
                                        uintptr_t stack_end) {
    (void)addresses;
    (void)count;
    (void)skip;
    (void)stack_end;
    return 0u;
}
#endif

/* The same for the code that an interrupt preempted, based on the registers that the handler's entry saved: first the
 * return address of the preempted function. Available with frame pointers, and if the port's kymo_arch.h defines
 * KYMO_ARCH_UNWINDS_INTERRUPTED. Any context, any core. */
#ifndef KYMO_ARCH_UNWINDS_INTERRUPTED
#define KYMO_ARCH_UNWINDS_INTERRUPTED (KYMO_ARCH_UNWIND == KYMO_UNWIND_FRAMES)
#endif
struct kymo_interrupted; /* sample.h */
uint32_t kymo_unwind_interrupted(const struct kymo_interrupted *at, uintptr_t *addresses,
                                 uint32_t count);

#ifndef KYMO_ARCH_STACK_END
static inline uintptr_t kymo_arch_stack_end(uintptr_t stack) { return (void)stack, 0u; }
#endif

/* The end of the memory that a walk from "stack" may read. */
static inline uintptr_t kymo_unwind_end(uintptr_t stack, uintptr_t stack_end) {
    const uintptr_t room = UINTPTR_MAX - stack;
    stack_end = stack_end != 0u ? stack_end : kymo_arch_stack_end(stack);
    if (stack_end != 0u) {
        return stack_end;
    }
    return stack + (room < (uintptr_t)KYMO_STACK_BYTES ? room : (uintptr_t)KYMO_STACK_BYTES);
}

KYMO_C_END

#endif
