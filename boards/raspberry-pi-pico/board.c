/* SPDX-License-Identifier: MIT */
/* Raspberry Pi Pico: RP2040, a Cortex-M0+ at 125 MHz; core 0 only, core 1 stays asleep in the boot ROM.
 * Section numbers are of the "RP2040 Datasheet". */
#include "board.h"

#include "board_link.h"
#include "cortex-m/core.h"
#include "cortex-m/systick.h"
#include "pico.h"

#define CRYSTAL_MHZ 12u

/* 2.14.3 */
#define RESETS 0x4000c000u
#define RESET 0x0u
#define RESET_DONE 0x8u
#define RESET_PLL_SYS (1u << 12)
#define RESET_TIMER (1u << 21)

/* 2.16.7 */
#define XOSC 0x40024000u
#define XOSC_CTRL 0x0u
#define CTRL_ENABLE_1_15MHZ 0xfabaa0u
#define XOSC_STATUS 0x4u
#define STATUS_STABLE (1u << 31)
#define XOSC_STARTUP 0xcu
#define STARTUP_1MS ((CRYSTAL_MHZ * 1000u + 128u) / 256u) /* 2.16.3 */

/* 2.18.4; 12 MHz * 125 = 1500 MHz, / 6 / 2 = 125 MHz (2.18.2: at most 1600 MHz inside). */
#define PLL_SYS 0x40028000u
#define PLL_CS 0x0u
#define CS_LOCK (1u << 31)
#define CS_REFDIV_1 1u
#define PLL_PWR 0x4u
#define PWR_PD (1u << 0)
#define PWR_POSTDIVPD (1u << 3)
#define PWR_VCOPD (1u << 5)
#define PLL_FBDIV_INT 0x8u
#define FBDIV 125u
#define PLL_PRIM 0xcu
#define PRIM_6_2 (6u << 16 | 2u << 12)

/* 2.15.7 */
#define CLOCKS 0x40008000u
#define CLK_REF_CTRL 0x30u
#define REF_XOSC 2u
#define CLK_REF_SELECTED 0x38u
#define CLK_SYS_CTRL 0x3cu
#define SYS_REF 0u
#define SYS_AUX_PLL_SYS 1u
#define CLK_SYS_SELECTED 0x44u
#define CLK_PERI_CTRL 0x48u
#define PERI_ENABLE_SYS (1u << 11)

/* 4.7.6, 4.7.2: the watchdog makes the 1 MHz tick of the TIMER, out of clk_ref. */
#define WATCHDOG 0x40058000u
#define WATCHDOG_TICK 0x2cu
#define TICK_ENABLE (1u << 9)

/* The slowest wait takes 1 ms, and nothing is read faster than at 133 MHz. */
#define LOOKS 200000u
#define NO_START 2

void pico_wait_for(uintptr_t address, uint32_t mask) {
    for (uint32_t look = 0u; look < LOOKS; look++) {
        if ((*(volatile uint32_t *)address & mask) == mask) {
            return;
        }
    }
    core_end(NO_START);
}

void pico_reset(uint32_t blocks) {
    pico_put(RESETS + PICO_SET + RESET, blocks);
    pico_put(RESETS + PICO_CLEAR + RESET, blocks);
    pico_wait_for(RESETS + RESET_DONE, blocks);
}

/* 2.18.3: the dividers after the oscillator are switched on when that has locked. */
void pico_start_pll(uintptr_t registers, uint32_t reset, uint32_t feedback, uint32_t dividers) {
    pico_reset(reset);
    pico_put(registers + PLL_CS, CS_REFDIV_1);
    pico_put(registers + PLL_FBDIV_INT, feedback);
    pico_put(registers + PICO_CLEAR + PLL_PWR, PWR_PD | PWR_VCOPD);
    pico_wait_for(registers + PLL_CS, CS_LOCK);
    pico_put(registers + PLL_PRIM, dividers);
    pico_put(registers + PICO_CLEAR + PLL_PWR, PWR_POSTDIVPD);
}

/* A debugger may have started this image while the PLL ran: clk_sys leaves it before it is touched. The
 * SELECTED registers show the choice as one bit (2.15.3.2). */
static void start_clocks(void) {
    pico_put(XOSC + XOSC_STARTUP, STARTUP_1MS);
    pico_put(XOSC + XOSC_CTRL, CTRL_ENABLE_1_15MHZ);
    pico_wait_for(XOSC + XOSC_STATUS, STATUS_STABLE);
    pico_put(CLOCKS + CLK_SYS_CTRL, SYS_REF);
    pico_wait_for(CLOCKS + CLK_SYS_SELECTED, 1u << SYS_REF);
    pico_put(CLOCKS + CLK_REF_CTRL, REF_XOSC);
    pico_wait_for(CLOCKS + CLK_REF_SELECTED, 1u << REF_XOSC);
    pico_start_pll(PLL_SYS, RESET_PLL_SYS, FBDIV, PRIM_6_2);
    pico_put(CLOCKS + CLK_SYS_CTRL, SYS_AUX_PLL_SYS);
    pico_wait_for(CLOCKS + CLK_SYS_SELECTED, 1u << SYS_AUX_PLL_SYS);
    pico_put(CLOCKS + CLK_PERI_CTRL, PERI_ENABLE_SYS);
    pico_put(WATCHDOG + WATCHDOG_TICK, TICK_ENABLE | CRYSTAL_MHZ);
}

void board_init(void) {
    start_clocks();
    pico_reset(RESET_TIMER);
    systick_init(PICO_CLOCK_HZ / 1000u);
    core_clock_start();
    if (!board_link_init()) {
        core_end(NO_START);
    }
}

const struct kymo_transport *board_transport(void) { return board_link_transport(); }

_Noreturn void board_exit(int status) {
    while (!board_link_idle()) {}
    core_end(status);
}
