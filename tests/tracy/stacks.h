/* SPDX-License-Identifier: MIT */
/* A function "of_MACRO" for each of Tracy's macros and functions that can have a call stack, called by that at the end
 * of the file. STACK_DEPTH is the depth for macros that name one; the others have TRACY_CALLSTACK. stacks.py
 * reads the names here. */
#ifndef TRACY_STACKS_H
#define TRACY_STACKS_H

#ifdef __cplusplus
extern "C" {
#endif
extern volatile unsigned stacks_after; /* written after a call, so that the call is not a jump */
#ifdef __cplusplus
}
#endif

#ifdef __clang__
#define AS_WRITTEN __attribute__((noinline))
#else
#define AS_WRITTEN __attribute__((noipa))
#endif
#define STACK_DEPTH 2
#define CASE(macro, ...)                                                                           \
    static AS_WRITTEN void of_##macro(void) {                                                      \
        __VA_ARGS__                                                                                \
        stacks_after = stacks_after + 1u;                                                          \
    }

#endif
