/* SPDX-License-Identifier: MIT */
/* The interface between the two halves of the board, in C and in C++. */
#ifndef STACKS_BOARD_H
#define STACKS_BOARD_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Records the call stack of the next event. */
void board_stack(void);
/* Time passes, and the line takes what it can. */
void board_pass(uint32_t ns);
void board_alloc(uint32_t address, uint32_t bytes);
void board_in_cxx(uint32_t round);

/* Functions that a module calls. */
struct board_calls {
    void (*stack)(void);
    void (*sample)(void);
    void (*function)(uintptr_t address, uint32_t ns); /* that the function there ran */
    void (*alloc)(uint32_t address, uint32_t bytes);
};

#ifdef __cplusplus
}
#endif

#endif
