/* A UART of ST's HAL (HAL_UART_Transmit_DMA(), HAL_UART_Receive_IT()) as a transport, for firmware that
 * CubeMX has set up: never waits. Includes "main.h", as CubeMX writes it; without CubeMX that is a file
 * that includes the HAL's header.
 *
 * The firmware forwards the HAL's callbacks, those of other UARTs too, which are let pass:
 *
 *     void HAL_UART_TxCpltCallback(UART_HandleTypeDef *huart) { kymo_stm32_hal_sent(&trace_uart, huart); }
 *     void HAL_UART_RxCpltCallback(UART_HandleTypeDef *huart) { kymo_stm32_hal_received(&trace_uart, huart); }
 *     void HAL_UART_ErrorCallback(UART_HandleTypeDef *huart) { kymo_stm32_hal_failed(&trace_uart, huart); }
 *
 * A write fills a ring of KYMO_STM32_HAL_BYTES, which the DMA empties piece by piece: one interrupt a
 * piece. Whether a piece is over, kymo_drain() asks the HAL's handle, so an error, or HAL_UART_Abort()
 * by somebody else, costs the rest of that piece and no more; and what the HAL refuses (HAL_BUSY) is
 * offered again.
 *
 * Hazards. Nothing else may send on this UART: no printf(). kymo_drain() must not be called from an
 * interrupt of higher priority than those of the UART and its DMA. Where there is a data cache (F7, H7),
 * *uart must be in memory that the DMA reaches and the cache leaves alone; and on the F4 not in the core
 * coupled memory. */
#ifndef KYMO_STM32_HAL_H
#define KYMO_STM32_HAL_H

#include <stdbool.h>
#include <stdint.h>

#include "dma_send.h"
#include "kymo/transport.h"
#include "main.h"

KYMO_C_BEGIN

/* RAM for what waits to be sent: 10 ms of a line of 1 Mbaud. */
#ifndef KYMO_STM32_HAL_BYTES
#define KYMO_STM32_HAL_BYTES 1024
#endif
#if KYMO_STM32_HAL_BYTES < 16 || KYMO_STM32_HAL_BYTES > 32768 ||                                   \
    (KYMO_STM32_HAL_BYTES & (KYMO_STM32_HAL_BYTES - 1)) != 0
#error "KYMO_STM32_HAL_BYTES must be a power of two from 16 to 32768"
#endif

/* For what the host sends between two drains; its commands are short. */
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

/* After HAL_UART_Init(), with the UART's interrupt enabled and, where the handle has a DMA for sending
 * (hdmatx, in normal mode, bytes), that one's too. Without one it sends by HAL_UART_Transmit_IT(), an
 * interrupt a byte. */
void kymo_stm32_hal_init(struct kymo_stm32_hal *uart, UART_HandleTypeDef *handle);

/* The transport for kymo_init(); valid as long as *uart. Its calls belong to one context at a time. */
static inline const struct kymo_transport *kymo_stm32_hal_transport(
    const struct kymo_stm32_hal *uart) {
    return &uart->transport;
}

/* For the HAL's callbacks, from their interrupts; they do nothing for another handle than init's, and
 * before init.
 * sent: starts the next piece, some 100 instructions beside the HAL's. If it is not called, the line
 * stands still from a piece's end to the next kymo_drain(). */
void kymo_stm32_hal_sent(struct kymo_stm32_hal *uart, const UART_HandleTypeDef *handle);
/* received: must be called, or nothing is received. */
void kymo_stm32_hal_received(struct kymo_stm32_hal *uart, const UART_HandleTypeDef *handle);
/* failed: only counts. kymo_drain() goes on in any case, with sending and receiving. */
void kymo_stm32_hal_failed(struct kymo_stm32_hal *uart, const UART_HandleTypeDef *handle);

/* True when the last byte has left the wire: safe to reset, sleep or change the clock. Same context as
 * the transport's calls. */
bool kymo_stm32_hal_idle(struct kymo_stm32_hal *uart);

KYMO_C_END

#endif
