/* SPDX-License-Identifier: MIT */
#include "stm32_usart_dma.h"

#include "mmio.h"

/* 2.3, table 1 */
#define DMA1 0x40026000u
#define DMA2 0x40026400u

/* 10.5.1 to 10.5.4: flags of streams 0 to 3 and 4 to 7; 8 bytes further, write 1 to clear them. */
#define LISR 0x00u
#define HISR 0x04u
#define CLEAR 0x08u
#define FLAG_TRANSFER_ERROR (1u << 3)
#define FLAG_COMPLETE (1u << 5)
#define FLAGS 0x3du

/* 10.5.5 to 10.5.10: a stream's registers. */
#define STREAM_0 0x10u
#define STREAM_BYTES 0x18u
#define CR 0x00u
#define CR_EN 1u
#define CR_TEIE (1u << 2)
#define CR_TCIE (1u << 4)
#define CR_TO_PERIPHERAL (1u << 6) /* and bytes at both ends: MSIZE, PSIZE 0 */
#define CR_MINC (1u << 10)
#define CR_PRIORITY_MEDIUM (1u << 16)
#define CR_CHSEL 25u
#define NDTR 0x04u
#define PAR 0x08u
#define M0AR 0x0cu
#define FCR 0x14u
#define FCR_DIRECT 0u

/* 30.6, as in stm32_usart.c */
#define USART_SR 0x00u
#define SR_TC 0x40u
#define USART_DR 0x04u
#define USART_CR3 0x14u
#define CR3_DMAT 0x80u

/* 2.3.1: 64 KiB that only the core reaches. */
#define CCM_FIRST 0x10000000u
#define CCM_LAST 0x1000ffffu

/* A stream that is switched off finishes the byte it is at. */
#define STOP_LOOKS 1000u

struct request {
    uint32_t usart, dma;
    uint8_t stream, channel;
};

/* 10.3.3, "DMA1 request mapping" and "DMA2 request mapping"; bases after table 1. */
static const struct request requests[] = {
    {0x40011000u, DMA2, 7u, 4u}, {0x40004400u, DMA1, 6u, 4u}, {0x40004800u, DMA1, 3u, 4u},
    {0x40004c00u, DMA1, 4u, 4u}, {0x40005000u, DMA1, 7u, 4u}, {0x40011400u, DMA2, 6u, 5u},
};

static uint32_t get(const struct kymo_stm32_usart_dma *uart, uintptr_t offset) {
    return mmio_get(uart->stream + offset);
}

static void put(const struct kymo_stm32_usart_dma *uart, uintptr_t offset, uint32_t value) {
    mmio_put(uart->stream + offset, value);
}

/* Completion and bus error both switch the stream off (10.3.17, 10.3.18); before that its registers take
 * nothing. All flags must be clear before it is switched on again. A FIFO error without the others does not
 * matter: in direct mode it says that the RAM was late, and no byte is lost (10.3.18). After a bus
 * error the rest of the piece is dropped, and a packet's sum tells the host. */
static bool ended(void *chip) {
    struct kymo_stm32_usart_dma *uart = chip;
    const uint32_t flags = mmio_get(uart->flags) >> uart->shift;
    if ((flags & (FLAG_COMPLETE | FLAG_TRANSFER_ERROR)) == 0u || (get(uart, CR) & CR_EN) != 0u) {
        return false;
    }
    if ((flags & FLAG_TRANSFER_ERROR) != 0u) {
        uart->transmit_errors++;
    }
    mmio_put(uart->flags + CLEAR, FLAGS << uart->shift);
    return true;
}

/* 30.3.13: TC is cleared first, by writing 0, so that it says when the last byte has left. Writing 1 to the
 * other bits of the status does nothing. */
static void start(void *chip, const uint8_t *bytes, uint32_t count) {
    const struct kymo_stm32_usart_dma *uart = chip;
    mmio_put(uart->usart.base + USART_SR, ~SR_TC);
    put(uart, M0AR, (uint32_t)(uintptr_t)bytes);
    put(uart, NDTR, count);
    put(uart, CR, uart->control | CR_EN);
}

static size_t write_bytes(void *context, const uint8_t *bytes, size_t length) {
    struct kymo_stm32_usart_dma *uart = context;
    return kymo_dma_send_write(&uart->send, bytes, length);
}

/* kymo_drain() reads even when it has nothing to send: so bytes that wait in the ring are sent. */
static size_t read_bytes(void *context, uint8_t *bytes, size_t length) {
    struct kymo_stm32_usart_dma *uart = context;
    kymo_dma_send_poll(&uart->send);
    return uart->usart.transport.read(&uart->usart, bytes, length);
}

static const struct request *request_of(const struct kymo_stm32_usart_config *config) {
    for (size_t i = 0u; i < sizeof requests / sizeof requests[0]; i++) {
        if (config->layout == KYMO_STM32_USART_OLD && requests[i].usart == config->base) {
            return &requests[i];
        }
    }
    return NULL;
}

/* Four streams have their flags in one register: at bits 0, 6, 16 and 22 (10.5.1). */
static void find_stream(struct kymo_stm32_usart_dma *uart, const struct request *request) {
    static const uint8_t shifts[] = {0u, 6u, 16u, 22u};
    uart->stream = request->dma + STREAM_0 + STREAM_BYTES * request->stream;
    uart->flags = request->dma + (request->stream < 4u ? LISR : HISR);
    uart->shift = shifts[request->stream % 4u];
    uart->control =
        (uint32_t)request->channel << CR_CHSEL | CR_PRIORITY_MEDIUM | CR_MINC | CR_TO_PERIPHERAL;
}

/* The order of 10.3.17. */
static bool set_stream(const struct kymo_stm32_usart_dma *uart) {
    put(uart, CR, 0u);
    for (uint32_t look = 0u; (get(uart, CR) & CR_EN) != 0u; look++) {
        if (look == STOP_LOOKS) {
            return false;
        }
    }
    mmio_put(uart->flags + CLEAR, FLAGS << uart->shift);
    put(uart, PAR, (uint32_t)uart->usart.base + USART_DR);
    put(uart, FCR, FCR_DIRECT);
    mmio_put(uart->usart.base + USART_CR3, CR3_DMAT);
    return true;
}

enum kymo_stm32_usart_dma_result kymo_stm32_usart_dma_init(
    struct kymo_stm32_usart_dma *uart, const struct kymo_stm32_usart_config *config) {
    const struct request *request = request_of(config);
    const uintptr_t ring = (uintptr_t)uart + offsetof(struct kymo_stm32_usart_dma, ring);
    if (request == NULL) {
        return KYMO_STM32_USART_DMA_NO_STREAM;
    }
    if (ring <= CCM_LAST && ring + sizeof uart->ring > CCM_FIRST) {
        return KYMO_STM32_USART_DMA_UNREACHABLE;
    }
    if (!kymo_stm32_usart_init(&uart->usart, config)) {
        return KYMO_STM32_USART_DMA_NO_BAUD;
    }
    find_stream(uart, request);
    uart->transmit_errors = 0u;
    kymo_dma_send_init(&uart->send, uart->ring, sizeof uart->ring, sizeof uart->ring);
    uart->send.chip = uart;
    uart->send.ended = ended;
    uart->send.start = start;
    kymo_transport_set(&uart->transport, write_bytes, read_bytes, uart);
    return set_stream(uart) ? KYMO_STM32_USART_DMA_READY : KYMO_STM32_USART_DMA_BUSY;
}

bool kymo_stm32_usart_dma_idle(struct kymo_stm32_usart_dma *uart) {
    return kymo_dma_send_idle(&uart->send) && kymo_stm32_usart_idle(&uart->usart);
}

bool kymo_stm32_usart_dma_interrupts(struct kymo_stm32_usart_dma *uart, unsigned which) {
    const bool transmit = (which & KYMO_STM32_USART_DMA_ON_TRANSMIT) != 0u;
    if (!kymo_dma_send_idle(&uart->send)) {
        return false;
    }
    uart->control &= ~(CR_TCIE | CR_TEIE);
    uart->control |= transmit ? CR_TCIE | CR_TEIE : 0u;
    kymo_dma_send_by_interrupt(&uart->send, transmit);
    kymo_stm32_usart_interrupts(&uart->usart, (which & KYMO_STM32_USART_DMA_ON_RECEIVE) != 0u
                                                  ? KYMO_STM32_USART_ON_RECEIVE
                                                  : 0u);
    return true;
}

unsigned kymo_stm32_usart_dma_cause(struct kymo_stm32_usart_dma *uart) {
    if (uart->send.by_interrupt && kymo_dma_send_next(&uart->send)) {
        return KYMO_STM32_USART_DMA_ON_TRANSMIT;
    }
    return kymo_stm32_usart_cause(&uart->usart) != 0u ? KYMO_STM32_USART_DMA_ON_RECEIVE : 0u;
}
