/* SPDX-License-Identifier: MIT */
#include "stm32_hal.h"

/* The HAL's state for sending is "ready" before it calls back, and also after an error or an abort,
 * which it need not report. A callback can come only while it is not ready, so polling and the
 * callback never both see the end of a piece. */
static bool ended(void *chip) {
    const struct kymo_stm32_hal *uart = chip;
    return !uart->refused && uart->handle->gState == HAL_UART_STATE_READY;
}

/* "refused" before the call: the interrupt of the piece's end may come within it, with a next piece that
 * is refused. */
static void offer(struct kymo_stm32_hal *uart) {
    uint8_t *const bytes = uart->ring + uart->piece_first;
    const uint16_t count = (uint16_t)uart->piece_bytes;
    uart->refused = false;
    const HAL_StatusTypeDef result = uart->handle->hdmatx != NULL
                                         ? HAL_UART_Transmit_DMA(uart->handle, bytes, count)
                                         : HAL_UART_Transmit_IT(uart->handle, bytes, count);
    if (result != HAL_OK) {
        uart->refused = true;
    }
}

static void start(void *chip, const uint8_t *bytes, uint32_t count) {
    struct kymo_stm32_hal *uart = chip;
    uart->piece_first = (uint32_t)(bytes - uart->ring);
    uart->piece_bytes = count;
    offer(uart);
}

static void retry(struct kymo_stm32_hal *uart) {
    if (uart->refused) {
        offer(uart);
    }
}

/* One byte, so that each is there when it has arrived. Refused by a HAL that is locked in an interrupted
 * call: read() asks again. */
static void receive(struct kymo_stm32_hal *uart) {
    (void)HAL_UART_Receive_IT(uart->handle, &uart->received_byte, 1u);
}

static size_t write_bytes(void *context, const uint8_t *bytes, size_t length) {
    struct kymo_stm32_hal *uart = context;
    retry(uart);
    return kymo_dma_send_write(&uart->send, bytes, length);
}

/* kymo_drain() reads even when it has nothing to send: so bytes that wait in the ring are sent, and
 * reception goes on after an error. */
static size_t read_bytes(void *context, uint8_t *bytes, size_t length) {
    struct kymo_stm32_hal *uart = context;
    size_t count = 0u;
    retry(uart);
    kymo_dma_send_poll(&uart->send);
    if (uart->handle->RxState == HAL_UART_STATE_READY) {
        receive(uart);
    }
    while (count < length && uart->received_out != uart->received_in) {
        bytes[count++] = uart->received[uart->received_out % KYMO_STM32_HAL_RECEIVE_BYTES];
        uart->received_out = uart->received_out + 1u;
    }
    return count;
}

void kymo_stm32_hal_init(struct kymo_stm32_hal *uart, UART_HandleTypeDef *handle) {
    uart->handle = handle;
    uart->refused = false;
    uart->received_in = 0u;
    uart->received_out = 0u;
    uart->transmit_errors = 0u;
    uart->receive_errors = 0u;
    uart->receive_lost_bytes = 0u;
    kymo_dma_send_init(&uart->send, uart->ring, sizeof uart->ring, sizeof uart->ring);
    uart->send.chip = uart;
    uart->send.ended = ended;
    uart->send.start = start;
    kymo_transport_set(&uart->transport, write_bytes, read_bytes, uart);
    receive(uart);
}

void kymo_stm32_hal_sent(struct kymo_stm32_hal *uart, const UART_HandleTypeDef *handle) {
    if (handle == uart->handle && handle != NULL) {
        (void)kymo_dma_send_next(&uart->send);
    }
}

void kymo_stm32_hal_received(struct kymo_stm32_hal *uart, const UART_HandleTypeDef *handle) {
    if (handle != uart->handle || handle == NULL) {
        return;
    }
    const uint32_t in = uart->received_in;
    if (in - uart->received_out < KYMO_STM32_HAL_RECEIVE_BYTES) {
        uart->received[in % KYMO_STM32_HAL_RECEIVE_BYTES] = uart->received_byte;
        kymo_dma_send_memory_first();
        uart->received_in = in + 1u;
    } else {
        uart->receive_lost_bytes++;
    }
    receive(uart);
}

void kymo_stm32_hal_failed(struct kymo_stm32_hal *uart, const UART_HandleTypeDef *handle) {
    if (handle != uart->handle || handle == NULL) {
        return;
    }
    if ((handle->ErrorCode & HAL_UART_ERROR_DMA) != 0u) {
        uart->transmit_errors++;
    } else {
        uart->receive_errors++;
    }
}

/* The HAL is ready again when the last bit is out: it waits for TC, with the DMA too. */
bool kymo_stm32_hal_idle(struct kymo_stm32_hal *uart) {
    retry(uart);
    return kymo_dma_send_idle(&uart->send);
}
