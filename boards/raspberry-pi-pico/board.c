/* Raspberry Pi Pico: RP2040, a Cortex-M0+ at 125 MHz; core 0 only, core 1 stays asleep in the boot ROM.
 * Section numbers are of the "RP2040 Datasheet". */
#include "board.h"
#include "cortex-m/core.h"
#include "cortex-m/systick.h"
#include "pl011.h"

#define CLOCK_HZ 125000000u
#define CRYSTAL_MHZ 12u

/* 2.1.2: writing there sets or clears bits of a register. */
#define SET 0x2000u
#define CLEAR 0x3000u

/* 2.14.3 */
#define RESETS 0x4000c000u
#define RESET 0x0u
#define RESET_DONE 0x8u
#define RESET_PLL_SYS (1u << 12)
/* IO and pads of bank 0, TIMER, UART0 */
#define RESET_USED (1u << 5 | 1u << 8 | 1u << 21 | 1u << 22)

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

/* 2.19.6.1, 2.19.2: GPIO 0 and 1 are UART0's with function 2. */
#define IO_BANK0 0x40014000u
#define GPIO0_CTRL 0x4u
#define GPIO1_CTRL 0xcu
#define FUNCTION_UART 2u
/* 2.19.6.3 */
#define PADS_BANK0 0x4001c000u
#define PAD_GPIO1 0x8u
#define PAD_PULL_DOWN (1u << 2)
#define PAD_PULL_UP (1u << 3)

#define UART0 0x40034000u /* 4.2 */
#define BAUD 921600u

/* The slowest of what is waited for takes 1 ms, and nothing is read faster than at 133 MHz. */
#define LOOKS 200000u
#define NO_START 2

static struct pl011 uart;

static void put(uintptr_t address, uint32_t value) { *(volatile uint32_t *)address = value; }

/* Until all bits of "mask" are set, which these clocks and resets do by themselves. */
static void wait_for(uintptr_t address, uint32_t mask) {
    for (uint32_t look = 0u; look < LOOKS; look++) {
        if ((*(volatile uint32_t *)address & mask) == mask) {
            return;
        }
    }
    core_end(NO_START);
}

static void release_reset(uint32_t blocks) {
    put(RESETS + CLEAR + RESET, blocks);
    wait_for(RESETS + RESET_DONE, blocks);
}

/* 2.18.3: the dividers after the oscillator are switched on when that has locked. */
static void start_pll(void) {
    put(RESETS + SET + RESET, RESET_PLL_SYS);
    release_reset(RESET_PLL_SYS);
    put(PLL_SYS + PLL_CS, CS_REFDIV_1);
    put(PLL_SYS + PLL_FBDIV_INT, FBDIV);
    put(PLL_SYS + CLEAR + PLL_PWR, PWR_PD | PWR_VCOPD);
    wait_for(PLL_SYS + PLL_CS, CS_LOCK);
    put(PLL_SYS + PLL_PRIM, PRIM_6_2);
    put(PLL_SYS + CLEAR + PLL_PWR, PWR_POSTDIVPD);
}

/* A debugger may have started this image while the PLL ran: clk_sys leaves it before it is touched. The
 * SELECTED registers show the choice as one bit (2.15.3.2). */
static void start_clocks(void) {
    put(XOSC + XOSC_STARTUP, STARTUP_1MS);
    put(XOSC + XOSC_CTRL, CTRL_ENABLE_1_15MHZ);
    wait_for(XOSC + XOSC_STATUS, STATUS_STABLE);
    put(CLOCKS + CLK_SYS_CTRL, SYS_REF);
    wait_for(CLOCKS + CLK_SYS_SELECTED, 1u << SYS_REF);
    put(CLOCKS + CLK_REF_CTRL, REF_XOSC);
    wait_for(CLOCKS + CLK_REF_SELECTED, 1u << REF_XOSC);
    start_pll();
    put(CLOCKS + CLK_SYS_CTRL, SYS_AUX_PLL_SYS);
    wait_for(CLOCKS + CLK_SYS_SELECTED, 1u << SYS_AUX_PLL_SYS);
    put(CLOCKS + CLK_PERI_CTRL, PERI_ENABLE_SYS);
    put(WATCHDOG + WATCHDOG_TICK, TICK_ENABLE | CRYSTAL_MHZ);
}

static void connect_pins(void) {
    put(PADS_BANK0 + CLEAR + PAD_GPIO1, PAD_PULL_DOWN);
    put(PADS_BANK0 + SET + PAD_GPIO1, PAD_PULL_UP); /* an open receive pin is idle */
    put(IO_BANK0 + GPIO0_CTRL, FUNCTION_UART);
    put(IO_BANK0 + GPIO1_CTRL, FUNCTION_UART);
}

void board_init(void) {
    const struct pl011_config config = {.base = UART0, .clock_hz = CLOCK_HZ, .baud = BAUD};
    start_clocks();
    release_reset(RESET_USED);
    systick_init(CLOCK_HZ / 1000u);
    core_clock_start();
    if (!pl011_init(&uart, &config)) {
        core_end(NO_START);
    }
    connect_pins();
}

const struct kymo_transport *board_transport(void) { return pl011_transport(&uart); }

_Noreturn void board_exit(int status) {
    while (!pl011_idle(&uart)) {}
    core_end(status);
}
