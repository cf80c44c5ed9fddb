/* SPDX-License-Identifier: MIT */
/* Arm MPS3 with the FPGA image AN547: a Cortex-M55 at 32 MHz in Arm's Corstone SSE-300. "Application Note
 * AN547, Example SSE-300 Subsystem for MPS3" (DAI 0547) has the memory map and the clocks. All of it is used
 * from the Secure world, in which the core starts. UART0 is on the board's USB. */
#include "board.h"
#include "cmsdk_uart.h"
#include "cortex-m/cmsdk_timer.h"
#include "cortex-m/core.h"

#define APB_HZ 25000000u
/* The only timer of the Cortex-M System Design Kit here; the others are of another kind. */
#define SLOW_TIMER 0x5802f000u
#define SLOW_TIMER_INTERRUPT 2u
#define SLOW_TIMER_HZ 32768u
#define UART0 0x59303000u
#define BAUD 460800u

static struct kymo_cmsdk_uart uart;

void board_init(void) {
    const struct kymo_cmsdk_uart_config config = {.base = UART0, .clock_hz = APB_HZ, .baud = BAUD};
    core_clock_start();
    cmsdk_timer_init(SLOW_TIMER, SLOW_TIMER_HZ / 1000u + 1u, SLOW_TIMER_INTERRUPT); /* 993 Hz */
    if (!kymo_cmsdk_uart_init(&uart, &config)) {
        core_end(2);
    }
}

const struct kymo_transport *board_transport(void) { return kymo_cmsdk_uart_transport(&uart); }

_Noreturn void board_exit(int status) {
    while (!kymo_cmsdk_uart_idle(&uart)) {}
    core_end(status);
}
