/* SPDX-License-Identifier: MIT */
/* The way to the host: UART0, to which the core gives each byte. */
#include "board_link.h"
#include "uart0.h"

static struct kymo_pl011 uart;

bool board_link_init(void) {
    uart0_reset(0u);
    if (!kymo_pl011_init(&uart, &uart0)) {
        return false;
    }
    uart0_connect_pins();
    return true;
}

const struct kymo_transport *board_link_transport(void) { return kymo_pl011_transport(&uart); }

bool board_link_idle(void) { return kymo_pl011_idle(&uart); }
