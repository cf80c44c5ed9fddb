/* SPDX-License-Identifier: MIT */
/* UARTs of the 16550 family as a transport: never waits, by polling or with interrupts.
 *
 * Registers and their bits follow the data sheet "PC16550D Universal Asynchronous
 * Receiver/Transmitter with FIFOs", National Semiconductor, June 1995, section 8 ("Registers").
 * Parts without a working FIFO (8250, 16450, 16550 without A) are recognised and served a byte at
 * a time. */
#ifndef KYMO_NS16550_H
#define KYMO_NS16550_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kymo/transport.h"

KYMO_C_BEGIN

/* How the UART is wired. Fill it in for kymo_ns16550_init(); it need not outlive the call. */
struct kymo_ns16550_config {
    uintptr_t base;       /* address of register 0 (or the I/O port, with get and put) */
    uint8_t stride;       /* bytes from one register to the next: 1, 2, 4, ...; 0 means 1 */
    uint8_t access_bytes; /* width of a register access: 1 or 4; 0 means 1 */
    uint16_t fifo_bytes;  /* depth of the transmit FIFO; 0 means 16 */
    uint32_t clock_hz;    /* input clock of the baud generator */
    uint32_t baud;        /* 0 leaves divisor and line format as the boot code set them */
    /* Access by functions in place of memory, for I/O ports. NULL: memory at "base". "address" is
     * base + register * stride. */
    uint8_t (*get)(uintptr_t address);
    void (*put)(uintptr_t address, uint8_t value);
};

/* One UART. Owned by the caller; the fields are private to the driver. */
struct kymo_ns16550 {
    uintptr_t base;
    uint8_t (*get)(uintptr_t address);
    void (*put)(uintptr_t address, uint8_t value);
    uint16_t fifo_bytes; /* 1 where there is no FIFO */
    uint16_t room;       /* bytes that surely still fit since the FIFO was last seen empty */
    uint8_t stride;
    uint8_t enabled;         /* interrupts, as the register has them */
    uint32_t receive_errors; /* received bytes lost or damaged: overrun, parity, framing, break */
    struct kymo_transport transport;
};

/* Sets the UART up: 8 data bits, no parity, 1 stop bit, FIFOs on and empty, interrupts off, DTR,
 * RTS and OUT2 asserted (on PCs OUT2 connects the interrupt). False if no divisor gives the baud
 * rate to within 3 % (baud.h), or the access is neither 1 nor 4 bytes; the UART is untouched
 * then. */
bool kymo_ns16550_init(struct kymo_ns16550 *uart, const struct kymo_ns16550_config *config);

/* The transport for kymo_init(); valid as long as *uart. Its calls belong to one context at a
 * time. */
static inline const struct kymo_transport *kymo_ns16550_transport(const struct kymo_ns16550 *uart) {
    return &uart->transport;
}

/* True when the last byte has left the wire: safe to reset, sleep or change the clock. */
bool kymo_ns16550_idle(struct kymo_ns16550 *uart);

/* Interrupts that the UART raises; any combination, 0 = none (polled, as after init). */
#define KYMO_NS16550_ON_RECEIVE 1u /* bytes have arrived */
/* The transmit FIFO has run empty: call kymo_drain() once. It comes with that transition, when it is switched on, and
 * where kymo_drain() has more to do, so not again while there is nothing to send: kymo_drain() says how to restart the
 * line after silence. */
#define KYMO_NS16550_ON_TRANSMIT 2u
void kymo_ns16550_interrupts(struct kymo_ns16550 *uart, unsigned which);

/* Clears and returns one cause (NS16550_ON_...), or 0 if no cause is left; line and modem
 * status causes are acknowledged on the way. For an interrupt handler: one call, and one of kymo_drain(), where the
 * interrupt comes again while a cause is left (a level); where it comes at an edge, both until this returns 0. On
 * KYMO_NS16550_ON_RECEIVE the handler must read (kymo_drain() does), otherwise the cause stays set: mask it while
 * another context calls kymo_drain(). */
unsigned kymo_ns16550_cause(struct kymo_ns16550 *uart);

KYMO_C_END

#endif
