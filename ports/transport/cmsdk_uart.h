/* SPDX-License-Identifier: MIT */
/* The UART of Arm's Cortex-M System Design Kit (MPS2 and MPS3 boards, Corstone subsystems) as a
 * transport: never waits, by polling or with interrupts.
 *
 * Registers: "Cortex-M System Design Kit Technical Reference Manual", DDI 0479, section 4.3 "APB
 * UART". It holds one byte in its transmit buffer and one more in its shifter, and always sends
 * 8N1. */
#ifndef KYMO_CMSDK_UART_H
#define KYMO_CMSDK_UART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kymo/transport.h"

KYMO_C_BEGIN

/* How the UART is wired. Fill it in for kymo_cmsdk_uart_init(); it need not outlive the call. */
struct kymo_cmsdk_uart_config {
    uintptr_t base;
    uint32_t clock_hz; /* of the APB bus */
    uint32_t baud;     /* 0 leaves the divisor as the boot code set it */
};

/* One UART. Owned by the caller; the fields are private to the driver. */
struct kymo_cmsdk_uart {
    uintptr_t base;
    uint32_t receive_errors; /* received bytes lost: the one before them had not been read */
    struct kymo_transport transport;
};

/* Sets the UART up, interrupts off. False if no divisor gives the baud rate to within 3 % (baud.h); no register is
 * changed then. */
bool kymo_cmsdk_uart_init(struct kymo_cmsdk_uart *uart,
                          const struct kymo_cmsdk_uart_config *config);

/* The transport for kymo_init(); valid as long as *uart. Its calls belong to one context at a
 * time. */
static inline const struct kymo_transport *kymo_cmsdk_uart_transport(
    const struct kymo_cmsdk_uart *uart) {
    return &uart->transport;
}

/* True when the last byte has left the transmit buffer. The UART does not tell when its shifter is
 * empty: allow the time of one byte before a reset or a change of the clock. */
bool kymo_cmsdk_uart_idle(struct kymo_cmsdk_uart *uart);

/* Interrupts that the UART raises; any combination, 0 = none (polled, as after init). */
#define KYMO_CMSDK_UART_ON_RECEIVE 1u /* a byte has arrived */
/* The transmit buffer has run empty: call kymo_drain(). It comes
 * with that transition, so not again while nothing is written: kymo_drain() says how to restart the line after
 * silence. */
#define KYMO_CMSDK_UART_ON_TRANSMIT 2u
void kymo_cmsdk_uart_interrupts(struct kymo_cmsdk_uart *uart, unsigned which);

/* Clears and returns one cause (CMSDK_UART_ON_...), or 0 if no cause is left. For an
 * interrupt handler, which calls it until it returns 0; on KYMO_CMSDK_UART_ON_RECEIVE it must read
 * (kymo_drain() does). */
unsigned kymo_cmsdk_uart_cause(struct kymo_cmsdk_uart *uart);

KYMO_C_END

#endif
