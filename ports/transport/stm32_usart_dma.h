/* SPDX-License-Identifier: MIT */
/* A USART or UART of the STM32F4 (and F2) that gets its bytes from the chip's DMA, as a transport: never
 * waits, by polling or with interrupts. "RM0090 Reference manual STM32F405/415, ...", 10 for the DMA and
 * 30.3.13 for the two together. Clocks (of the DMA too), pins and the interrupt controller: the board sets them up.
 * Tested against a model of the registers alone: no emulator at hand has this DMA.
 *
 * A write fills a ring of KYMO_STM32_USART_DMA_BYTES, which then leaves by itself: one interrupt for each
 * piece, where stm32_usart takes one a byte. Received bytes are read one by one, as the host's
 * commands are short.
 *
 * Hazards. The DMA does not reach the core coupled memory at 0x10000000 (2.3.1): init refuses a
 * struct kymo_stm32_usart_dma that the linker script has put there. These chips have no data cache in front of
 * their RAM. The F7 and H7 do, so this is not for them. */
#ifndef KYMO_STM32_USART_DMA_H
#define KYMO_STM32_USART_DMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dma_send.h"
#include "kymo/transport.h"
#include "stm32_usart.h"

KYMO_C_BEGIN

/* RAM for bytes that wait to be sent: 10 ms of a line of 1 Mbaud. */
#ifndef KYMO_STM32_USART_DMA_BYTES /* tests have less */
#define KYMO_STM32_USART_DMA_BYTES 1024
#endif

/* The results of kymo_stm32_usart_dma_init(). Only with the first and the last anything was touched. Where it is
 * not the first, stm32_usart goes without DMA. */
enum kymo_stm32_usart_dma_result {
    KYMO_STM32_USART_DMA_READY,
    KYMO_STM32_USART_DMA_NO_STREAM, /* no stream is known for a USART at this base, or in the new layout */
    KYMO_STM32_USART_DMA_UNREACHABLE, /* *uart is in the core coupled memory */
    KYMO_STM32_USART_DMA_NO_BAUD,     /* no divisor gives the baud rate to within 3 % (baud.h) */
    KYMO_STM32_USART_DMA_BUSY,        /* somebody else uses the stream, and it does not stop */
};

/* One USART with its stream, which nothing else may use:
 *   USART1  DMA2 stream 7     USART2  DMA1 stream 6     USART3  DMA1 stream 3
 *   UART4   DMA1 stream 4     UART5   DMA1 stream 7     USART6  DMA2 stream 6
 * Owned by the caller; the fields are private to the driver. */
struct kymo_stm32_usart_dma {
    struct kymo_stm32_usart usart;
    uintptr_t stream;         /* its registers */
    uintptr_t flags;          /* LISR or HISR */
    uint32_t shift;           /* of the stream's flags there */
    uint32_t control;         /* for SxCR */
    uint32_t transmit_errors; /* pieces that a bus error cut off: their rest is lost */
    struct kymo_dma_send send;
    struct kymo_transport transport;
    uint8_t ring[KYMO_STM32_USART_DMA_BYTES];
};

/* Sets USART and stream up: 8 data bits, no parity, 1 stop bit, no flow control, interrupts off. For "config"
 * see kymo_stm32_usart_init(); the layout is KYMO_STM32_USART_OLD. */
enum kymo_stm32_usart_dma_result kymo_stm32_usart_dma_init(
    struct kymo_stm32_usart_dma *uart, const struct kymo_stm32_usart_config *config);

/* The transport for kymo_init(); valid as long as *uart. Its calls belong to one context at a time. */
static inline const struct kymo_transport *kymo_stm32_usart_dma_transport(
    const struct kymo_stm32_usart_dma *uart) {
    return &uart->transport;
}

/* True when the last byte has left the wire: safe to reset, sleep or change the clock. Same context as the
 * transport's calls. With interrupts masked, as in a fault handler, kymo_stm32_usart_dma_cause() must be
 * called meanwhile if its interrupt is on. */
bool kymo_stm32_usart_dma_idle(struct kymo_stm32_usart_dma *uart);

/* Interrupts that are raised; any combination, 0 = none (polled, as after init). With
 * KYMO_STM32_USART_DMA_ON_TRANSMIT the stream's handler must call kymo_stm32_usart_dma_cause(), as nothing else detects
 * the end of a piece then. False, and nothing is changed, while a piece is on its way: a running stream's register
 * cannot be changed safely. Same context as the transport's calls. */
#define KYMO_STM32_USART_DMA_ON_RECEIVE 1u  /* a byte has arrived: the USART's interrupt */
#define KYMO_STM32_USART_DMA_ON_TRANSMIT 2u /* a piece has gone out, there is room: the stream's */
bool kymo_stm32_usart_dma_interrupts(struct kymo_stm32_usart_dma *uart, unsigned which);

/* Clears and returns one cause (STM32_USART_DMA_ON_...), or 0 if no cause is left. For interrupt
 * handlers, which call it until it returns 0; on KYMO_STM32_USART_DMA_ON_RECEIVE they must read (kymo_drain()
 * does), otherwise the cause stays set: mask it while another context calls kymo_drain(). It starts the next piece
 * itself, and may interrupt the transport's calls. */
unsigned kymo_stm32_usart_dma_cause(struct kymo_stm32_usart_dma *uart);

KYMO_C_END

#endif
