/* SPDX-License-Identifier: MIT */
#include "board_link.h"
#include "ns16550.h"

#define UART0 0x10000000u

static struct kymo_ns16550 uart;

bool board_link_init(void) {
    const struct kymo_ns16550_config config = {
        .base = UART0, .clock_hz = 3686400u, .baud = 115200u};
    return kymo_ns16550_init(&uart, &config);
}

const struct kymo_transport *board_link_transport(void) { return kymo_ns16550_transport(&uart); }

bool board_link_idle(void) { return kymo_ns16550_idle(&uart); }
