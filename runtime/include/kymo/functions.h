/* SPDX-License-Identifier: MIT */
/* Makes every function a zone, without a change to the source: code compiled with -finstrument-functions (gcc, clang)
 * calls the two functions below, which the runtime contains if KYMO_FUNCTIONS is not 0. Names, files and lines come
 * from the program's ELF file: hostlink --elf IMAGE, or "hostlink symbols" later.
 *
 * In CMake, kymo_functions(TARGET) compiles the sources of a target in this way. Otherwise compile the firmware's own
 * files with -finstrument-functions and -fno-optimize-sibling-calls. Without the second option a function may end in a
 * jump after its stack frame is freed; kymo then cannot tell it from a function left by longjmp(). Do not use these
 * options for the runtime, the ports, the transport, and code that runs before RAM is initialised.
 *
 * To exclude functions:
 *   by file and function   gcc: -finstrument-functions-exclude-file-list=a.c,lib/ and
 *                          -finstrument-functions-exclude-function-list=f,g, which match parts of the names. clang has
 *                          neither: kymo_functions(TARGET EXCLUDE a.c) excludes files with both compilers
 *   in the source          KYMO_NO_FUNCTION in front of the function
 *   by depth               KYMO_FUNCTIONS, and at run time hostlink --set kymo.function_depth=N; 0 records none
 * A limit by duration is not possible: a function's begin is in the ring before its duration is known.
 *
 * Recursion, function pointers, tail calls, interrupt handlers and tasks are recorded right (tasks need
 * KYMO_TASKS; not if their contexts are sites and KYMO_NAMES is 0). A function left by longjmp(), or one that
 * never returns, ends in the viewer with the function around it and is marked; so does, with clang, one left by a C++
 * exception. Interrupts must return to the code that they preempted: declare a handler that switches tasks itself, or
 * leaves by longjmp(), as KYMO_NO_FUNCTION. One on a stack of its own, above that of main(), must call
 * KYMO_INTERRUPT() or kymo_interrupt_enter(); otherwise its calls look as if the functions it interrupts had been left
 * when KYMO_FUNCTIONS of them are open.
 *
 * Cost: two events of 16 bytes in the ring, and 24 more bytes reserved while the function is open; about one byte an
 * event on the link. On rv64 110 instructions for a begin and 147 for an end (tests/bench/instructions.sh). Full: begin
 * and end are both dropped, two lost events; functions inside it are recorded once there is room. Anywhere. */
#ifndef KYMO_FUNCTIONS_H
#define KYMO_FUNCTIONS_H

#include "kymo/config.h"
#include "kymo/language.h"

#if KYMO_ENABLE && KYMO_FUNCTIONS
KYMO_C_BEGIN
/* Only code made by the compiler calls them, at a function's begin and end, with its address and that of the call. */
KYMO_NO_FUNCTION void __cyg_profile_func_enter(void *function, void *caller);
KYMO_NO_FUNCTION void __cyg_profile_func_exit(void *function, void *caller);
KYMO_C_END
#endif

#endif
