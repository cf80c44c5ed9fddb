/* SPDX-License-Identifier: MIT */
/* The UART of Arm's MPS2 boards at 0x40004000, and the clock of the core. */
#include "board.h"
#include "cmsdk_uart.h"
#include "kymo/kymo.h"
#include "kymo_arch.h"

#define CORE_HZ 25000000u

static struct kymo_cmsdk_uart uart;

void board_init(void) {
    const struct kymo_cmsdk_uart_config wiring = {
        .base = 0x40004000u, .clock_hz = CORE_HZ, .baud = 115200u};
    kymo_cortexm_start(); /* starts the cycle counter, or SysTick where there is none */
    while (!kymo_cmsdk_uart_init(&uart, &wiring)) {}
}

const struct kymo_transport *board_transport(void) { return kymo_cmsdk_uart_transport(&uart); }

void board_off(void) {}
