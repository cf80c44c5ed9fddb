/* SPDX-License-Identifier: MIT */
/* The demo's tick by SysTick. It implements board_timer_start() and its fellows of board.h. */
#ifndef SYSTICK_H
#define SYSTICK_H

#include <stdint.h>

/* "ticks" of the core's clock are a millisecond. Before core_clock_start(), as the port's clock shares
 * SysTick where the core has no cycle counter. */
void systick_init(uint32_t ticks);

#endif
