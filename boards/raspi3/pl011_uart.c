/* SPDX-License-Identifier: MIT */
#include "pl011.h"
#include "raspi3_uart.h"

/* BCM chapter 13. The boot code sets the UART's clock: config.txt, init_uart_clock, 48 MHz if not given. */
#define UART0 0x3f201000u
#define UART_CLOCK_HZ 48000000u
#define BAUD 921600u

static struct kymo_pl011 uart;

bool raspi3_uart_init(void) {
    const struct kymo_pl011_config config = {
        .base = UART0, .clock_hz = UART_CLOCK_HZ, .baud = BAUD};
    return kymo_pl011_init(&uart, &config);
}

const struct kymo_transport *raspi3_uart_transport(void) { return kymo_pl011_transport(&uart); }

bool raspi3_uart_idle(void) { return kymo_pl011_idle(&uart); }
