/* SPDX-License-Identifier: MIT */
/* The serial port with a gate: nothing is sent until a debugger writes 1 to link_gate. Until then all events
 * recorded are in memory, to be saved and read by "hostlink dump" (tests/e2e/memory.sh). */
#include "board_link.h"
#include "ns16550.h"

#define UART0 0x10000000u

static struct kymo_ns16550 uart;
static struct kymo_transport gated;
volatile uint32_t link_gate;

static size_t write_bytes(void *context, const uint8_t *bytes, size_t length) {
    const struct kymo_transport *open = kymo_ns16550_transport(&uart);
    (void)context;
    return link_gate != 0u ? open->write(open->context, bytes, length) : 0u;
}

bool board_link_init(void) {
    const struct kymo_ns16550_config config = {
        .base = UART0, .clock_hz = 3686400u, .baud = 115200u};
    if (!kymo_ns16550_init(&uart, &config)) {
        return false;
    }
    gated = *kymo_ns16550_transport(&uart);
    gated.write = write_bytes;
    return true;
}

const struct kymo_transport *board_link_transport(void) { return &gated; }

bool board_link_idle(void) { return kymo_ns16550_idle(&uart); }
