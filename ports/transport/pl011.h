/* SPDX-License-Identifier: MIT */
/* Arm's PrimeCell UART PL011 (Raspberry Pi, RP2040, many Cortex-A chips) as a transport: never
 * waits, by polling or with interrupts.
 *
 * Registers: "PrimeCell UART (PL011) Technical Reference Manual", DDI 0183G, chapter 3. The FIFOs
 * are 16 bytes deep up to revision r1p4, 32 from r1p5 on; the driver need not know, as the UART
 * tells when it is full. Clocks, resets and pins are the board's business. */
#ifndef KYMO_PL011_H
#define KYMO_PL011_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kymo/transport.h"

KYMO_C_BEGIN

/* How the UART is wired. Fill it in for kymo_pl011_init(); it need not outlive the call. */
struct kymo_pl011_config {
    uintptr_t base;
    uint32_t clock_hz; /* UARTCLK */
    uint32_t
        baud; /* up to clock_hz / 16; 0 leaves divisor and line format as the boot code set them */
};

/* One UART. Owned by the caller; the fields are private to the driver. */
struct kymo_pl011 {
    uintptr_t base;
    uint32_t receive_errors; /* received bytes lost or damaged: overrun, break, parity, framing */
    struct kymo_transport transport;
};

/* Sets the UART up: 8 data bits, no parity, 1 stop bit, FIFOs on and empty, no flow control,
 * interrupts off, DTR and RTS asserted. What is still being sent is lost. False if no divisor gives the baud rate to
 * within 3 % (baud.h); no register is changed then. */
bool kymo_pl011_init(struct kymo_pl011 *uart, const struct kymo_pl011_config *config);

/* The transport for kymo_init(); valid as long as *uart. Its calls belong to one context at a
 * time. */
static inline const struct kymo_transport *kymo_pl011_transport(const struct kymo_pl011 *uart) {
    return &uart->transport;
}

/* True when the last byte has left the wire: safe to reset, sleep or change the clock. */
bool kymo_pl011_idle(const struct kymo_pl011 *uart);

/* Interrupts that the UART raises; any combination, 0 = none (polled, as after init). */
#define KYMO_PL011_ON_RECEIVE 1u /* bytes have arrived */
/* A transmit FIFO that was fuller has run down to an eighth (2.8.2): call kymo_drain() until
 * there is nothing to do or the FIFO is full. It comes after each write that took less than it
 * was given, and need not come after a shorter one, so a handler that stops earlier stops the
 * line; kymo_drain() says how to start it after silence. */
#define KYMO_PL011_ON_TRANSMIT 2u
void kymo_pl011_interrupts(struct kymo_pl011 *uart, unsigned which);

/* Clears and returns one cause (PL011_ON_...), or 0 if no cause is left. For an interrupt
 * handler, which calls it until it returns 0; on KYMO_PL011_ON_RECEIVE it must read all
 * (kymo_drain() does), otherwise the cause stays set: mask it while another context calls kymo_drain(). */
unsigned kymo_pl011_cause(struct kymo_pl011 *uart);

KYMO_C_END

#endif
