/* SPDX-License-Identifier: MIT */
/* Functions that are compiled with -finstrument-functions, to be called by tests that are not. */
#ifndef TESTS_FUNCTIONS_CALLED_H
#define TESTS_FUNCTIONS_CALLED_H

#include <setjmp.h>
#include <stdint.h>

void called_leaf(void);
/* Calls the leaf. */
void called_work(void);
void called_handler(void);
/* Calls itself so many times more, and then "innermost". */
void called_deep(uint32_t more, void (*innermost)(void));
/* Takes so many bytes of the stack, and calls "inside". */
void called_grows(uint32_t bytes, void (*inside)(void));
/* Lands after jumps out of called_deep() so many times, and returns how often it did. */
uint32_t called_lands(uint32_t times, uint32_t depth);
extern jmp_buf called_landing;

#endif
