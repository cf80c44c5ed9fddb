/* SPDX-License-Identifier: MIT */
/* The rest of a smallest image: an entry, and a transport that reaches everything. */
#include "kymo/counters.h"
#include "kymo/transport.h"
#include "kymo/unwind.h"
#include "ns16550.h"

void every_zone(uint32_t number);
void every_event(int number, void *memory);
void every_life(const struct kymo_transport *transport);
void handler(void);
void _start(void);

static struct kymo_ns16550 uart;

void _start(void) {
    static const struct kymo_ns16550_config config = {
        .base = 0x10000000u, .clock_hz = 3686400u, .baud = 115200u};
    (void)kymo_ns16550_init(&uart, &config);
    uintptr_t addresses[4];
    every_zone(kymo_counters_start() + kymo_arch_unwind(addresses, 4u, 0u, 0u));
    every_zone(kymo_arch_cycles() + kymo_arch_instructions());
    every_event(2, &uart);
    handler();
    every_life(kymo_ns16550_transport(&uart));
}
