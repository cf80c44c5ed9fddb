/* SPDX-License-Identifier: MIT */
/* SiFive HiFive Unleashed. Chapters: "SiFive FU540-C000 Manual", v1p0. Clocks, DRAM and pins are as the
 * first-stage boot loader of the board leaves them. */
#include "board.h"
#include "riscv/clint.h"
#include "sifive_uart.h"

#define UART0 0x10010000u /* chapter 5, "Memory Map" */

static struct kymo_sifive_uart uart;

void board_init(void) {
    const struct kymo_sifive_uart_config config = {
        .base = UART0, .clock_hz = BOARD_TLCLK_HZ, .baud = BOARD_BAUD};
    if (!kymo_sifive_uart_init(&uart, &config)) {
        board_end(2);
    }
}

const struct kymo_transport *board_transport(void) { return kymo_sifive_uart_transport(&uart); }

_Noreturn void board_exit(int status) {
    while (!kymo_sifive_uart_idle(&uart)) {}
    board_end(status);
}
