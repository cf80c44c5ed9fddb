/* SPDX-License-Identifier: MIT */
/* A UART of ST's HAL (HAL_UART_Transmit_DMA(), HAL_UART_Receive_IT()) as a transport, for firmware made with CubeMX:
 * never waits. Includes "main.h" of CubeMX; without CubeMX write a main.h that includes the HAL's header.
 *
 * The firmware forwards the HAL's callbacks; the functions ignore other UARTs:
 *
 *     void HAL_UART_TxCpltCallback(UART_HandleTypeDef *huart) { kymo_stm32_hal_sent(&trace_uart, huart); }
 *     void HAL_UART_RxCpltCallback(UART_HandleTypeDef *huart) { kymo_stm32_hal_received(&trace_uart, huart); }
 *     void HAL_UART_ErrorCallback(UART_HandleTypeDef *huart) { kymo_stm32_hal_failed(&trace_uart, huart); }
 *
 * A write fills a ring of KYMO_STM32_HAL_BYTES, which the DMA sends in pieces, with one interrupt for each.
 * kymo_drain() reads the state of a piece from the HAL's handle. So an error, or HAL_UART_Abort() elsewhere, loses the
 * rest of that piece only, and a piece that the HAL rejects (HAL_BUSY) is tried again.
 *
 * Hazards. Nothing else may send on this UART: no printf(). Do not call kymo_drain() from an interrupt of higher
 * priority than those of the UART and its DMA. With a data cache (F7, H7), put *uart into uncached memory that the DMA
 * can read; on the F4 not into the core coupled memory. */
#ifndef KYMO_STM32_HAL_H
#define KYMO_STM32_HAL_H

#include <stdbool.h>
#include <stdint.h>

#include "dma_send.h"
#include "kymo/transport.h"
#include "main.h"

KYMO_C_BEGIN

/* RAM for bytes that wait to be sent: 10 ms at 1 Mbaud. */
#ifndef KYMO_STM32_HAL_BYTES /* tests have less */
#define KYMO_STM32_HAL_BYTES 1024
#endif

/* For the bytes received between two calls of kymo_drain(); the host's commands are short. */
#define KYMO_STM32_HAL_RECEIVE_BYTES 64u

/* One UART. Owned by the caller, in static memory; the fields but the counts are private to the driver. */
struct kymo_stm32_hal {
    UART_HandleTypeDef *handle;
    volatile bool refused;                       /* the HAL has not taken this piece yet: */
    uint32_t piece_first, piece_bytes;           /* in "ring" */
    volatile uint32_t received_in, received_out; /* modulo 2^32 */
    uint8_t received_byte;                       /* the HAL's, while it receives */
    uint8_t received[KYMO_STM32_HAL_RECEIVE_BYTES];
    /* Counts, which wrap: */
    uint32_t transmit_errors;    /* pieces that a DMA error cut off */
    uint32_t receive_errors;     /* overrun, noise, framing, parity */
    uint32_t receive_lost_bytes; /* nobody read in time */
    struct kymo_dma_send send;
    struct kymo_transport transport;
    uint8_t ring[KYMO_STM32_HAL_BYTES];
};

/* Call it after HAL_UART_Init(), with the interrupt of the UART enabled, and that of the DMA if the handle has one for
 * sending (hdmatx, in normal mode, bytes). Without DMA it sends with HAL_UART_Transmit_IT(), one interrupt a byte. */
void kymo_stm32_hal_init(struct kymo_stm32_hal *uart, UART_HandleTypeDef *handle);

/* The transport for kymo_init(); valid as long as *uart. Its calls belong to one context at a time. */
static inline const struct kymo_transport *kymo_stm32_hal_transport(
    const struct kymo_stm32_hal *uart) {
    return &uart->transport;
}

/* Call them from the HAL's callbacks. They do nothing before init, or for another handle than that of init.
 * sent: starts the next piece; some 100 instructions besides the HAL's. Without it the line is idle from the end of a
 * piece to the next kymo_drain(). */
void kymo_stm32_hal_sent(struct kymo_stm32_hal *uart, const UART_HandleTypeDef *handle);
/* received: required for receiving. */
void kymo_stm32_hal_received(struct kymo_stm32_hal *uart, const UART_HandleTypeDef *handle);
/* failed: only counts. kymo_drain() continues sending and receiving in any case. */
void kymo_stm32_hal_failed(struct kymo_stm32_hal *uart, const UART_HandleTypeDef *handle);

/* True when the last byte has left the wire: safe to reset, sleep or change the clock. Same context as
 * the transport's calls. */
bool kymo_stm32_hal_idle(struct kymo_stm32_hal *uart);

KYMO_C_END

#endif
