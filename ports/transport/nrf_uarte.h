/* SPDX-License-Identifier: MIT */
/* The UARTE of Nordic's nRF52, nRF53 and nRF91 chips, a UART that fetches its bytes itself (EasyDMA), as
 * a transport: never waits, by polling or with interrupts. "nRF52840 Product Specification" 1.7, 6.34.
 * Tested against a model of its registers alone: no emulator at hand has one. The board sets the direction of the pins.
 *
 * A write fills a ring of KYMO_NRF_UARTE_BYTES, which then leaves by itself: one interrupt for a piece of it.
 * Received bytes come one by one, as the host's commands are short; the chip keeps some more
 * meanwhile. */
#ifndef KYMO_NRF_UARTE_H
#define KYMO_NRF_UARTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dma_send.h"
#include "kymo/transport.h"

KYMO_C_BEGIN

/* RAM for bytes that wait to be sent: 2.5 ms of a line of 1 Mbaud. */
#ifndef KYMO_NRF_UARTE_BYTES /* tests have less */
#define KYMO_NRF_UARTE_BYTES 256
#endif

/* How the UARTE is wired. Fill it in for kymo_nrf_uarte_init(); it need not outlive the call. */
struct kymo_nrf_uarte_config {
    uintptr_t base;
    uint32_t transmit_pin, receive_pin; /* numbers as in PSEL.TXD and PSEL.RXD: the port is bit 5 */
    uint32_t baud; /* within 3 % of one of the chip's own: 9600, 115200, 1000000 and others */
};

/* One UARTE. Owned by the caller, in RAM that EasyDMA reaches; the fields are private to the driver. */
struct kymo_nrf_uarte {
    uintptr_t base;
    volatile bool on_receive; /* is an interrupt */
    uint32_t receive_errors;  /* received bytes lost or damaged: overrun, parity, framing, break */
    struct kymo_dma_send send;
    struct kymo_transport transport;
    uint8_t in; /* belongs to the chip until it says that it is filled */
    uint8_t out[KYMO_NRF_UARTE_BYTES];
};

/* Sets the UARTE up: 8 data bits, no parity, 1 stop bit, no flow control, interrupts off. False if no
 * rate of the chip's is within 3 % of the baud rate (baud.h); it is untouched then. */
bool kymo_nrf_uarte_init(struct kymo_nrf_uarte *uart, const struct kymo_nrf_uarte_config *config);

/* The transport for kymo_init(); valid as long as *uart. Its calls belong to one context at a time. */
static inline const struct kymo_transport *kymo_nrf_uarte_transport(
    const struct kymo_nrf_uarte *uart) {
    return &uart->transport;
}

/* True when the last byte has left: safe to reset, sleep or change the clock. Same context as the transport's
 * calls. With interrupts masked, as in a fault handler, kymo_nrf_uarte_cause() must be
 * called meanwhile if its interrupt is on. */
bool kymo_nrf_uarte_idle(struct kymo_nrf_uarte *uart);

/* Interrupts that the UARTE raises; any combination, 0 = none (polled, as after init). With
 * KYMO_NRF_UARTE_ON_TRANSMIT the handler must call kymo_nrf_uarte_cause(), as nothing else detects the end of a piece
 * then. Same context as the transport's calls. */
#define KYMO_NRF_UARTE_ON_RECEIVE 1u  /* a byte has arrived, or was damaged */
#define KYMO_NRF_UARTE_ON_TRANSMIT 2u /* a piece has gone out, there is room */
void kymo_nrf_uarte_interrupts(struct kymo_nrf_uarte *uart, unsigned which);

/* Clears and returns one cause (NRF_UARTE_ON_...), or 0 if no cause is left. For an interrupt handler,
 * which calls it until it returns 0; on KYMO_NRF_UARTE_ON_RECEIVE it must read (kymo_drain() does), otherwise the cause
 * stays set: mask it while another context calls kymo_drain(). It starts the next piece itself, and may interrupt the
 * transport's calls, on the same core. */
unsigned kymo_nrf_uarte_cause(struct kymo_nrf_uarte *uart);

KYMO_C_END

#endif
