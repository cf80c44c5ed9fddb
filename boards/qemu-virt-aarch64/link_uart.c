/* SPDX-License-Identifier: MIT */
#include "board_link.h"
#include "pl011.h"

#define UART0 0x09000000u
#define UART_CLOCK_HZ 24000000u /* the "apb-pclk" of its device tree */

static struct kymo_pl011 uart;

bool board_link_init(void) {
    const struct kymo_pl011_config config = {
        .base = UART0, .clock_hz = UART_CLOCK_HZ, .baud = 115200u};
    return kymo_pl011_init(&uart, &config);
}

const struct kymo_transport *board_link_transport(void) { return kymo_pl011_transport(&uart); }

bool board_link_idle(void) { return kymo_pl011_idle(&uart); }
