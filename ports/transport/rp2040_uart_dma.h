/* SPDX-License-Identifier: MIT */
/* A UART of the RP2040, a PL011, that gets its bytes from the chip's DMA, as a transport: never waits, by
 * polling or with interrupts. "RP2040 Datasheet", 2.5 for the DMA and 4.2.8 for the UART's registers.
 * Clocks, resets (of the DMA too) and pins are the board's business.
 *
 * A write fills a ring of KYMO_RP2040_UART_DMA_BYTES, which then leaves by itself. What is received is read
 * from the UART's own FIFO, as the host's commands are short. */
#ifndef KYMO_RP2040_UART_DMA_H
#define KYMO_RP2040_UART_DMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dma_send.h"
#include "kymo/transport.h"
#include "pl011.h"

KYMO_C_BEGIN

/* RAM for waiting bytes: 11 ms at 921600 baud without a call of kymo_drain(); the UART's own FIFO bridges 0.3 ms. */
#ifndef KYMO_RP2040_UART_DMA_BYTES /* tests have less */
#define KYMO_RP2040_UART_DMA_BYTES 1024
#endif

/* How the UART is wired. Fill it in for kymo_rp2040_uart_dma_init(); it need not outlive the call. */
struct kymo_rp2040_uart_dma_config {
    struct kymo_pl011_config uart; /* base 0x40034000 (UART0) or 0x40038000 (UART1) */
    uint32_t channel;              /* of the DMA, 0 to 11; nobody else's */
    uint32_t interrupt;            /* 0 or 1: the end of a piece raises DMA_IRQ_0 or DMA_IRQ_1 */
};

/* One UART with its channel. Owned by the caller; the fields are private to the driver. */
struct kymo_rp2040_uart_dma {
    struct kymo_pl011 uart;
    uintptr_t channel; /* its registers */
    uint32_t bit;      /* of the channel */
    uintptr_t enable;  /* INTE0 or INTE1 */
    bool aborting;
    uint32_t transmit_errors; /* pieces that a bus error cut off: their rest is lost */
    struct kymo_dma_send send;
    struct kymo_transport transport;
    uint8_t ring[KYMO_RP2040_UART_DMA_BYTES];
};

/* Sets UART and channel up: 8 data bits, no parity, 1 stop bit, no flow control, interrupts off. False if
 * there is no such UART, channel or interrupt, or no divisor gives the baud rate to within 3 %
 * (baud.h); both are untouched then. */
bool kymo_rp2040_uart_dma_init(struct kymo_rp2040_uart_dma *uart,
                               const struct kymo_rp2040_uart_dma_config *config);

/* The transport for kymo_init(); valid as long as *uart. Its calls belong to one context at a time. */
static inline const struct kymo_transport *kymo_rp2040_uart_dma_transport(
    const struct kymo_rp2040_uart_dma *uart) {
    return &uart->transport;
}

/* True when the last byte has left: safe to reset, sleep or change the clock. Same context as the transport's
 * calls. With interrupts masked, as in a fault handler, kymo_rp2040_uart_dma_cause() must be
 * called meanwhile if its interrupt is on. */
bool kymo_rp2040_uart_dma_idle(struct kymo_rp2040_uart_dma *uart);

/* Interrupts that are raised; any combination, 0 = none (polled, as after init). With
 * KYMO_RP2040_UART_DMA_ON_TRANSMIT the handler of DMA_IRQ_n must call kymo_rp2040_uart_dma_cause(), as nothing else
 * detects the end of a piece then. Same context as the transport's calls. */
#define KYMO_RP2040_UART_DMA_ON_RECEIVE 1u  /* a byte has arrived: UART0_IRQ or UART1_IRQ */
#define KYMO_RP2040_UART_DMA_ON_TRANSMIT 2u /* a piece has gone out, there is room: DMA_IRQ_n */
void kymo_rp2040_uart_dma_interrupts(struct kymo_rp2040_uart_dma *uart, unsigned which);

/* Clears and returns one cause (RP2040_UART_DMA_ON_...), or 0 if no cause is left. For interrupt
 * handlers, which call it until it returns 0; on KYMO_RP2040_UART_DMA_ON_RECEIVE they must read (kymo_drain()
 * does), otherwise the cause stays set: mask it while another context calls kymo_drain(). It starts the next piece
 * itself, and may interrupt the transport's calls, on the same core. */
unsigned kymo_rp2040_uart_dma_cause(struct kymo_rp2040_uart_dma *uart);

KYMO_C_END

#endif
