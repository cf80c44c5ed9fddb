/* SPDX-License-Identifier: MIT */
/* The mini UART (UART1) of the Raspberry Pi's chips, BCM2835 to BCM2711, as a transport: never
 * waits, by polling or with interrupts.
 *
 * Registers: "BCM2835 ARM Peripherals" (Broadcom, 6 February 2012), chapter 2.2, with the
 * corrections of the community's errata to it (elinux.org, "BCM2835 datasheet errata"), which are
 * named where they count. It looks like a 16550 but differs: two FIFOs of 8 bytes that tell how
 * full they are, always 8N1. Its clock is that of the GPU's core, which the boot code must hold
 * still (config.txt: enable_uart=1). The board sets up the pins. */
#ifndef KYMO_BCM2835_MINIUART_H
#define KYMO_BCM2835_MINIUART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kymo/transport.h"

KYMO_C_BEGIN

/* How the UART is wired. Fill it in for kymo_bcm2835_miniuart_init(); it need not outlive the call. */
struct kymo_bcm2835_miniuart_config {
    uintptr_t
        base; /* of the auxiliary peripherals (AUX_IRQ), 0x3f215000 on a Raspberry Pi 2 and 3 */
    uint32_t clock_hz; /* the core clock, 250 MHz with enable_uart=1 */
    uint32_t baud;     /* from clock_hz / 524288 to clock_hz / 8 */
};

/* One UART. Owned by the caller; the fields are private to the driver. */
struct kymo_bcm2835_miniuart {
    uintptr_t base;
    unsigned wanted;         /* BCM2835_MINIUART_ON_... */
    unsigned enabled;        /* those of them that are let through now */
    uint32_t receive_errors; /* received bytes lost: overrun */
    struct kymo_transport transport;
};

/* Sets the UART up: on, 8 data bits, no parity, 1 stop bit, no flow control, FIFOs empty,
 * interrupts off. False if no divisor gives the baud rate to within 3 % (baud.h); no register is changed then. */
bool kymo_bcm2835_miniuart_init(struct kymo_bcm2835_miniuart *uart,
                                const struct kymo_bcm2835_miniuart_config *config);

/* The transport for kymo_init(); valid as long as *uart. Its calls belong to one context at a
 * time. */
static inline const struct kymo_transport *kymo_bcm2835_miniuart_transport(
    const struct kymo_bcm2835_miniuart *uart) {
    return &uart->transport;
}

/* True when the last byte has left the wire: safe to reset, sleep or change the clock. */
bool kymo_bcm2835_miniuart_idle(struct kymo_bcm2835_miniuart *uart);

/* Interrupts that the UART raises; any combination, 0 = none (polled, as after init). */
#define KYMO_BCM2835_MINIUART_ON_RECEIVE 1u /* bytes have arrived */
/* There is room: call kymo_drain() until it returns false. The driver disables it after reporting it, and enables it
 * again at the next write: kymo_drain() says how to restart the line after silence. */
#define KYMO_BCM2835_MINIUART_ON_TRANSMIT 2u
void kymo_bcm2835_miniuart_interrupts(struct kymo_bcm2835_miniuart *uart, unsigned which);

/* Clears and returns one cause (BCM2835_MINIUART_ON_...), or 0 if no cause is left. For an interrupt
 * handler, which calls it until it returns 0; on KYMO_BCM2835_MINIUART_ON_RECEIVE it must read all (kymo_drain()
 * does), otherwise the cause stays set: mask it while another context calls kymo_drain(). Same context as the
 * transport's calls. */
unsigned kymo_bcm2835_miniuart_cause(struct kymo_bcm2835_miniuart *uart);

KYMO_C_END

#endif
