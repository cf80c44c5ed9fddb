/* SPDX-License-Identifier: MIT */
/* A module that the board loads, of which there are two: their functions have the same names. */
#include "stacks_board.h"

#define NO_INLINE __attribute__((noinline))

static NO_INLINE void step(const struct board_calls *calls) {
    calls->stack();
    calls->sample();
    calls->function((uintptr_t)step, MODULE_NS);
}

NO_INLINE void module_run(const struct board_calls *calls);
NO_INLINE void module_run(const struct board_calls *calls) {
    step(calls);
    calls->alloc(0x200000u + MODULE_NS * 0x100u, MODULE_NS);
}
