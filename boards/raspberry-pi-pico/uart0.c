/* SPDX-License-Identifier: MIT */
/* Section numbers are of the "RP2040 Datasheet". */
#include "uart0.h"

/* 2.14.3: IO and pads of bank 0, UART0 */
#define RESET_USED (1u << 5 | 1u << 8 | 1u << 22)

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

const struct kymo_pl011_config uart0 = {.base = UART0, .clock_hz = PICO_CLOCK_HZ, .baud = BAUD};

void uart0_reset(uint32_t more) { pico_reset(RESET_USED | more); }

void uart0_connect_pins(void) {
    pico_put(PADS_BANK0 + PICO_CLEAR + PAD_GPIO1, PAD_PULL_DOWN);
    pico_put(PADS_BANK0 + PICO_SET + PAD_GPIO1, PAD_PULL_UP); /* an open receive pin is idle */
    pico_put(IO_BANK0 + GPIO0_CTRL, FUNCTION_UART);
    pico_put(IO_BANK0 + GPIO1_CTRL, FUNCTION_UART);
}
