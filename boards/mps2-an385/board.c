/* SPDX-License-Identifier: MIT */
/* Arm MPS2 with the FPGA image AN385: a Cortex-M3 at 25 MHz. "Application Note AN385, ARM Cortex-M3 SMM on
 * V2M-MPS2" (DAI 0385) has the memory map and the clocks. UART0 has pins of its own. */
#include "board.h"
#include "cmsdk_uart.h"
#include "cortex-m/cmsdk_timer.h"
#include "cortex-m/core.h"

#define CLOCK_HZ 25000000u /* of the core and of the APB bus */
#define TIMER0 0x40000000u
#define TIMER0_INTERRUPT 8u
#define UART0 0x40004000u
#define BAUD 460800u

static struct kymo_cmsdk_uart uart;

void board_init(void) {
    const struct kymo_cmsdk_uart_config config = {
        .base = UART0, .clock_hz = CLOCK_HZ, .baud = BAUD};
    core_clock_start();
    cmsdk_timer_init(TIMER0, CLOCK_HZ / 1000u, TIMER0_INTERRUPT);
    if (!kymo_cmsdk_uart_init(&uart, &config)) {
        core_end(2);
    }
}

const struct kymo_transport *board_transport(void) { return kymo_cmsdk_uart_transport(&uart); }

_Noreturn void board_exit(int status) {
    while (!kymo_cmsdk_uart_idle(&uart)) {}
    core_end(status);
}
