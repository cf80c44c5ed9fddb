/* SPDX-License-Identifier: MIT */
/* Arm MPS2+ with the FPGA image AN505: a Cortex-M33 at 20 MHz in Arm's IoT kit. "Application Note AN505, Example
 * IoT Kit Subsystem for V2M-MPS2+" (DAI 0505) has the memory map and the clocks. All of it is used from the
 * Secure world, in which the core starts. UART0 has pins of its own. */
#include "board.h"
#include "cmsdk_uart.h"
#include "cortex-m/cmsdk_timer.h"
#include "cortex-m/core.h"

#define CLOCK_HZ 20000000u /* of the core and of the APB bus */
#define TIMER0 0x50000000u
#define TIMER0_INTERRUPT 3u
#define UART0 0x50200000u
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
