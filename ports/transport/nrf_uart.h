/* SPDX-License-Identifier: MIT */
/* The UART (not UARTE) of Nordic's nRF51 and nRF52 chips as a transport: never waits, by polling
 * or with interrupts. "nRF51 Series Reference Manual", version 3.0, chapter 29; the same in the
 * nRF52832. The board sets the direction of the pins. */
#ifndef KYMO_NRF_UART_H
#define KYMO_NRF_UART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kymo/transport.h"

KYMO_C_BEGIN

/* How the UART is wired. Fill it in for kymo_nrf_uart_init(); it need not outlive the call. */
struct kymo_nrf_uart_config {
    uintptr_t base;
    uint32_t transmit_pin, receive_pin; /* numbers as in PSELTXD and PSELRXD */
    uint32_t baud; /* within 3 % of one of the chip's own: 9600, 115200, 1000000 and others */
};

/* One UART. Owned by the caller; the fields are private to the driver. */
struct kymo_nrf_uart {
    uintptr_t base;
    unsigned wanted;         /* NRF_UART_ON_... */
    bool sending;            /* a byte was written and the chip has not reported its end */
    uint32_t receive_errors; /* received bytes lost or damaged: overrun, parity, framing, break */
    struct kymo_transport transport;
};

/* Sets the UART up: 8 data bits, no parity, 1 stop bit, no flow control, interrupts off. False if
 * no rate of the chip's is within 3 % of the baud rate (baud.h); it is untouched then. */
bool kymo_nrf_uart_init(struct kymo_nrf_uart *uart, const struct kymo_nrf_uart_config *config);

/* The transport for kymo_init(); valid as long as *uart. Its calls belong to one context at a
 * time. */
static inline const struct kymo_transport *kymo_nrf_uart_transport(
    const struct kymo_nrf_uart *uart) {
    return &uart->transport;
}

/* True when the last byte has left the wire: safe to reset, sleep or change the clock. Same
 * context as the transport's calls. */
bool kymo_nrf_uart_idle(struct kymo_nrf_uart *uart);

/* Interrupts that the UART raises; any combination, 0 = none (polled, as after init). */
#define KYMO_NRF_UART_ON_RECEIVE 1u /* a byte has arrived, or was damaged */
/* A byte was sent: call kymo_drain() until it returns false. So it does not come again
 * while nothing is written: kymo_drain() says how to restart the line after silence. */
#define KYMO_NRF_UART_ON_TRANSMIT 2u
void kymo_nrf_uart_interrupts(struct kymo_nrf_uart *uart, unsigned which);

/* Clears and returns one cause (NRF_UART_ON_...), or 0 if no cause is left. For an
 * interrupt handler, which calls it until it returns 0; on KYMO_NRF_UART_ON_RECEIVE it must read
 * (kymo_drain() does), otherwise the cause stays set: mask it while another context calls kymo_drain(). Same
 * context as the transport's calls. */
unsigned kymo_nrf_uart_cause(struct kymo_nrf_uart *uart);

KYMO_C_END

#endif
