/* SPDX-License-Identifier: MIT */
/* A 16550 UART at 0x10000000, on a core whose timer is in memory at 0x0200bff8: KYMO_CLOCK=2. QEMU's "virt" machine has
 * both, and a device at 0x00100000 that ends the emulation. */
#include "board.h"
#include "ns16550.h"

static struct kymo_ns16550 uart;

void board_init(void) {
    const struct kymo_ns16550_config wiring = {
        .base = 0x10000000u, .clock_hz = 3686400u, .baud = 115200u};
    while (!kymo_ns16550_init(&uart, &wiring)) {} /* stays here: clock_hz gives no such baud */
}

const struct kymo_transport *board_transport(void) { return kymo_ns16550_transport(&uart); }

void board_off(void) {
    volatile const uint8_t *const line_status = (volatile const uint8_t *)0x10000005u;
    while ((*line_status & 0x40u) == 0u) {} /* the last byte is not out yet */
    *(volatile uint32_t *)0x00100000u = 0x5555u;
}
