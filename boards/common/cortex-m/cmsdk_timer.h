/* SPDX-License-Identifier: MIT */
/* The demo's tick by a timer of Arm's Cortex-M System Design Kit. It implements board_timer_start() and its
 * fellows of board.h, and board_interrupt(). */
#ifndef CMSDK_TIMER_H
#define CMSDK_TIMER_H

#include <stdint.h>

/* "ticks" of the timer's clock are a millisecond. "interrupt" is its number in the NVIC. */
void cmsdk_timer_init(uintptr_t base, uint32_t ticks, unsigned interrupt);

#endif
