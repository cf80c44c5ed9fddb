/* Every function a zone, without a change to the source: code compiled with -finstrument-functions (gcc, clang)
 * calls the two functions below, which the runtime has where KYMO_FUNCTIONS is not 0. Names, files and lines come
 * from the program's ELF file: hostlink --elf IMAGE, or "hostlink symbols" later.
 *
 * In CMake kymo_functions(TARGET) compiles a target's sources so. By hand give the firmware's own files
 * -finstrument-functions and -fno-optimize-sibling-calls: else the end of a function is a jump, made when its part
 * of the stack is free already, and what longjmp() left may be taken for what ended. Never give them to the
 * runtime, the ports, the transport and what runs before RAM is set up.
 *
 * What is left out:
 *   by file and function   gcc: -finstrument-functions-exclude-file-list=a.c,lib/ and
 *                          -finstrument-functions-exclude-function-list=f,g, which match parts of the names. clang has
 *                          neither: give the option to some files only, as kymo_functions(TARGET EXCLUDE a.c) does with
 *                          both compilers
 *   in the source          KYMO_NO_FUNCTION in front of the function
 *   by address             KYMO_FUNCTION_FILTER, the name of a function of yours: bool name(const void *function). It
 *                          must say the same of a function at its begin and at its end, and be KYMO_NO_FUNCTION itself
 *   by depth               KYMO_FUNCTIONS, and while the firmware runs hostlink --set kymo.function_depth=N; 0 is none
 * There is no limit by duration: a function's begin is in the ring long before its duration is known.
 *
 * What comes out right: recursion, pointers to functions, interrupts with their functions, tasks
 * (KYMO_FUNCTION_TASKS; not if their contexts are sites and KYMO_NAMES is 0), calls that compilers made jumps. A
 * function that was left by longjmp() or never returns ends, for the viewer, with the function around it, and is
 * marked so; likewise one that a C++ exception left, with clang: gcc ends it. Interrupts must return to what they
 * interrupted: a handler that switches tasks itself, or leaves by longjmp(), is KYMO_NO_FUNCTION.
 *
 * Cost: two events of 16 bytes in the ring, and 24 more bytes promised while the function is open; about one byte an
 * event on the link. On rv64 110 instructions for a begin and 157 for an end (tests/bench/instructions.sh). Full:
 * the begin is refused and its end with it, two lost events; the functions inside it are recorded if there is room
 * again. Anywhere. */
#ifndef KYMO_FUNCTIONS_H
#define KYMO_FUNCTIONS_H

#include "kymo/config.h"
#include "kymo/language.h"

#if KYMO_ENABLE && KYMO_FUNCTIONS
#include <stdbool.h>
KYMO_C_BEGIN
/* Called by the compiler's code only, at a function's begin and end: its address, and where it was called. */
KYMO_NO_FUNCTION void __cyg_profile_func_enter(void *function, void *caller);
KYMO_NO_FUNCTION void __cyg_profile_func_exit(void *function, void *caller);
#ifdef KYMO_FUNCTION_FILTER
/* Yours: whether this function is to be a zone. In any context. */
KYMO_NO_FUNCTION bool KYMO_FUNCTION_FILTER(const void *function);
#endif
KYMO_C_END
#endif

#endif
