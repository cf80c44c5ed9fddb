/* Call stacks: the return addresses that lead to the caller. Part of the contract of an arch port (arch.h), which
 * says in its kymo_arch.h how the stack is walked:
 *
 *   KYMO_ARCH_UNWIND
 *     KYMO_UNWIND_NONE    not at all, as if it were not defined
 *     KYMO_UNWIND_FRAMES  by frame pointers: compile all of the firmware with -fno-omit-frame-pointer
 *     KYMO_UNWIND_EHABI   32-bit Arm, where compilers keep no chain of frames: by the tables of
 *                         -funwind-tables, which the linker script keeps between __exidx_start and __exidx_end
 *     KYMO_UNWIND_OWN     by a kymo_arch_unwind() of the port's own
 *
 * The first two are ports/unwind/frames.c and ehabi.c. Where a function was compiled without, the walk ends or
 * leaves functions out; it never leaves the stack. */
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

/* How far above its own stack pointer a walk may read where the end of the stack is not known, in bytes. Memory
 * as far as that must be readable: above a stack at the end of RAM there is none. */
#ifndef KYMO_STACK_BYTES
#define KYMO_STACK_BYTES 2048
#endif
#if KYMO_STACK_BYTES < 64 || KYMO_STACK_BYTES > 16777216
#error "KYMO_STACK_BYTES must be 64 to 16777216"
#endif

/* Fills "addresses" with where the caller will go on, then its caller, and so on outwards, leaving out the first
 * "skip", and returns how many there are: at most "count", 0 if the port cannot. Each is the address behind a call, or
 * where an interrupt came one more than that of the instruction: one less is in the function in any case. On Arm the
 * Thumb bit is taken off.
 *
 * From any context, any core. Reads words from the stack pointer up to "stack_end", the address behind the stack's
 * last byte (0: unknown, see KYMO_STACK_BYTES), always aligned and upwards, so that a damaged stack gives wrong or
 * fewer addresses and no fault, and no walk is longer than the stack. By frame pointer a step takes some ten
 * instructions, by tables some hundred and a binary search.
 *
 * An interrupt is walked through where its entry leaves what the walk needs. Frame pointers: a record like that of a
 * function, one more than the interrupted address for the return address; on RISC-V with the interrupted return address
 * in the word below the record, by which the caller of a function that calls none is found. Tables: on Cortex-M
 * nothing, as the core's own frame is known; elsewhere a table for the entry (.unwind_raw). Interrupted in the first or
 * last instructions of a function, its caller may be missing. So is the caller of a function that calls none, by frame
 * pointers, where that was compiled without -mno-omit-leaf-frame-pointer; and with gcc for x86 also with it, if the
 * function keeps nothing on the stack. */
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

/* The calls that led to a function that an interrupt preempted, from what the handler's entry has kept on, in the same
 * way: the return address of that function first. By frame pointers, and where the port's kymo_arch.h defines
 * KYMO_ARCH_UNWINDS_INTERRUPTED. From any context, any core. */
#if KYMO_ARCH_UNWIND == KYMO_UNWIND_FRAMES && !defined(KYMO_ARCH_UNWINDS_INTERRUPTED)
#define KYMO_ARCH_UNWINDS_INTERRUPTED 1
#endif
struct kymo_interrupted; /* sample.h */
#if KYMO_ENABLE && defined(KYMO_ARCH_UNWINDS_INTERRUPTED)
uint32_t kymo_unwind_interrupted(const struct kymo_interrupted *at, uintptr_t *addresses,
                                 uint32_t count);
#endif

/* Where a walk that starts at "stack" must end. */
static inline uintptr_t kymo_unwind_end(uintptr_t stack, uintptr_t stack_end) {
    const uintptr_t room = UINTPTR_MAX - stack;
#ifdef KYMO_ARCH_STACK_END
    stack_end = stack_end != 0u ? stack_end : kymo_arch_stack_end(stack);
#endif
    if (stack_end != 0u) {
        return stack_end;
    }
    return stack + (room < (uintptr_t)KYMO_STACK_BYTES ? room : (uintptr_t)KYMO_STACK_BYTES);
}

KYMO_C_END

#endif
