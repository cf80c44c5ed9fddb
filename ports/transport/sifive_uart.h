/* SPDX-License-Identifier: MIT */
/* The UART of SiFive's chips (FE310, FU540, FU740) as a transport: never waits, by polling or with
 * interrupts.
 *
 * Registers and their bits follow the "SiFive FE310-G002 Manual", v19p05, chapter 18 ("Universal
 * Asynchronous Receiver/Transmitter"). The chapter is the same for the other chips. */
#ifndef KYMO_SIFIVE_UART_H
#define KYMO_SIFIVE_UART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kymo/transport.h"

KYMO_C_BEGIN

/* How the UART is wired. Fill it in for kymo_sifive_uart_init(); it need not outlive the call. */
struct kymo_sifive_uart_config {
    uintptr_t base;    /* address of txdata */
    uint32_t clock_hz; /* the bus clock (tlclk) */
    uint32_t baud;     /* at most a sixteenth of the clock; 0 leaves the divisor as it is */
};

/* One UART. Owned by the caller; the fields are private to the driver. */
struct kymo_sifive_uart {
    uintptr_t base;
    unsigned wanted; /* the interrupts that are switched on */
    struct kymo_transport transport;
};

/* Sets the UART up: 8 data bits, no parity, 1 stop bit, interrupts off. False if no divisor gives
 * the baud rate to within 3 % (baud.h); the UART is untouched then. The caller sets up the pins. */
bool kymo_sifive_uart_init(struct kymo_sifive_uart *uart,
                           const struct kymo_sifive_uart_config *config);

/* The transport for kymo_init(); valid as long as *uart. Its calls belong to one context at a
 * time. */
static inline const struct kymo_transport *kymo_sifive_uart_transport(
    const struct kymo_sifive_uart *uart) {
    return &uart->transport;
}

/* True when the transmit FIFO is empty. The last byte is then still on the wire, for ten bit times:
 * the UART does not say when it has gone. */
bool kymo_sifive_uart_idle(const struct kymo_sifive_uart *uart);

/* Interrupts that the UART raises; any combination, 0 = none (polled, as after init). */
#define KYMO_SIFIVE_UART_ON_RECEIVE 1u /* bytes have arrived */
/* There is room: call kymo_drain() until it returns false. The driver disables it after reporting it, and enables it
 * again at the next write: kymo_drain() says how to restart the line after silence. */
#define KYMO_SIFIVE_UART_ON_TRANSMIT 2u
void kymo_sifive_uart_interrupts(struct kymo_sifive_uart *uart, unsigned which);

/* Clears and returns one cause (SIFIVE_UART_ON_...), or 0 if no cause is left. For an
 * interrupt handler, which calls it until it returns 0; on KYMO_SIFIVE_UART_ON_RECEIVE it must read
 * (kymo_drain() does), otherwise the cause stays set: mask it while another context calls kymo_drain(). */
unsigned kymo_sifive_uart_cause(struct kymo_sifive_uart *uart);

KYMO_C_END

#endif
