/* SPDX-License-Identifier: MIT */
/* Shared by the files of this board: registers, resets and clocks. */
#ifndef PICO_H
#define PICO_H

#include <stdint.h>

#define PICO_CLOCK_HZ 125000000u

/* "RP2040 Datasheet", 2.1.2: writing there sets or clears bits of a register. */
#define PICO_SET 0x2000u
#define PICO_CLEAR 0x3000u

static inline void pico_put(uintptr_t address, uint32_t value) {
    *(volatile uint32_t *)address = value;
}

/* Waits until all bits of "mask" are set, which clocks and resets do by themselves; ends if they do not. */
void pico_wait_for(uintptr_t address, uint32_t mask);

/* Resets blocks and lets them go: bits of RESETS (2.14.3). */
void pico_reset(uint32_t blocks);

/* Starts a PLL from the crystal: registers, its bit of RESETS, feedback divisor, post dividers (2.18). */
void pico_start_pll(uintptr_t registers, uint32_t reset, uint32_t feedback, uint32_t dividers);

#endif
