/* SPDX-License-Identifier: MIT */
#include "rp2040_uart_dma.h"

#include "mmio.h"

/* 2.1.2: writing there sets or clears bits of a register that others use too. */
#define ALIAS_SET 0x2000u
#define ALIAS_CLEAR 0x3000u

/* 2.5.7: the DMA's registers; a channel has 64 bytes. */
#define DMA 0x50000000u
#define CHANNELS 12u
#define CHANNEL_BYTES 0x40u
#define WRITE_ADDR 0x04u
#define TRANS_COUNT 0x08u
#define CTRL 0x10u           /* CH0_AL1_CTRL: starts nothing (2.5.2.1) */
#define READ_ADDR_TRIG 0x3cu /* CH0_AL3_READ_ADDR_TRIG: starts */
#define CTRL_EN 1u           /* and bytes: DATA_SIZE 0 */
#define CTRL_INCR_READ (1u << 4)
#define CTRL_CHAIN_TO 11u /* itself: none */
#define CTRL_TREQ_SEL 15u
#define CTRL_AHB_ERROR (1u << 31)
#define INTR 0x400u /* write 1 to clear */
#define INTE0 0x404u
#define INTE1 0x414u
#define CHAN_ABORT 0x444u

/* 2.5.3.1: the transmitters ask for bytes by DREQ 20 and 22. */
#define UART0 0x40034000u
#define UART1 0x40038000u
#define DREQ_UART0_TX 20u
#define DREQ_UART1_TX 22u

/* 4.2.8 */
#define UARTDR 0x00u
#define UARTDMACR 0x48u
#define TXDMAE 2u

/* After a bus error the channel stands still and its BUSY may stay, so it is aborted, which takes a few
 * cycles; until then the piece has not ended (2.5.5.3). How far it came is not exactly known (2.5.7,
 * READ_ERROR): the rest is dropped, and a packet's sum tells the host. */
static bool ended(void *chip) {
    struct kymo_rp2040_uart_dma *uart = chip;
    if ((mmio_get(DMA + INTR) & uart->bit) == 0u) {
        return false;
    }
    const uint32_t control = mmio_get(uart->channel + CTRL);
    if ((control & CTRL_AHB_ERROR) != 0u) {
        uart->transmit_errors++;
        mmio_put(uart->channel + CTRL, control); /* takes the error flags away */
        mmio_put(DMA + CHAN_ABORT, uart->bit);
        uart->aborting = true;
    }
    if (uart->aborting && (mmio_get(DMA + CHAN_ABORT) & uart->bit) != 0u) {
        return false;
    }
    uart->aborting = false;
    mmio_put(DMA + INTR, uart->bit);
    return true;
}

static void start(void *chip, const uint8_t *bytes, uint32_t count) {
    const struct kymo_rp2040_uart_dma *uart = chip;
    mmio_put(uart->channel + TRANS_COUNT, count);
    mmio_put(uart->channel + READ_ADDR_TRIG, (uint32_t)(uintptr_t)bytes);
}

static size_t write_bytes(void *context, const uint8_t *bytes, size_t length) {
    struct kymo_rp2040_uart_dma *uart = context;
    return kymo_dma_send_write(&uart->send, bytes, length);
}

/* kymo_drain() reads even when it has nothing to send: so bytes that wait in the ring are sent. */
static size_t read_bytes(void *context, uint8_t *bytes, size_t length) {
    struct kymo_rp2040_uart_dma *uart = context;
    kymo_dma_send_poll(&uart->send);
    return uart->uart.transport.read(&uart->uart, bytes, length);
}

static void set_channel(const struct kymo_rp2040_uart_dma *uart, uint32_t number,
                        uint32_t request) {
    mmio_put(DMA + ALIAS_CLEAR + INTE0, uart->bit);
    mmio_put(DMA + ALIAS_CLEAR + INTE1, uart->bit);
    mmio_put(DMA + INTR, uart->bit);
    mmio_put(uart->channel + WRITE_ADDR, (uint32_t)uart->uart.base + UARTDR);
    mmio_put(uart->channel + CTRL,
             CTRL_EN | CTRL_INCR_READ | number << CTRL_CHAIN_TO | request << CTRL_TREQ_SEL);
    mmio_put(uart->uart.base + UARTDMACR, TXDMAE);
}

bool kymo_rp2040_uart_dma_init(struct kymo_rp2040_uart_dma *uart,
                               const struct kymo_rp2040_uart_dma_config *config) {
    const bool first = config->uart.base == UART0;
    if ((!first && config->uart.base != UART1) || config->channel >= CHANNELS ||
        config->interrupt > 1u || !kymo_pl011_init(&uart->uart, &config->uart)) {
        return false;
    }
    uart->channel = DMA + CHANNEL_BYTES * config->channel;
    uart->bit = 1u << config->channel;
    uart->enable = DMA + (config->interrupt == 0u ? INTE0 : INTE1);
    uart->aborting = false;
    uart->transmit_errors = 0u;
    kymo_dma_send_init(&uart->send, uart->ring, sizeof uart->ring, sizeof uart->ring);
    uart->send.chip = uart;
    uart->send.ended = ended;
    uart->send.start = start;
    kymo_transport_set(&uart->transport, write_bytes, read_bytes, uart);
    set_channel(uart, config->channel, first ? DREQ_UART0_TX : DREQ_UART1_TX);
    return true;
}

bool kymo_rp2040_uart_dma_idle(struct kymo_rp2040_uart_dma *uart) {
    return kymo_dma_send_idle(&uart->send) && kymo_pl011_idle(&uart->uart);
}

void kymo_rp2040_uart_dma_interrupts(struct kymo_rp2040_uart_dma *uart, unsigned which) {
    const bool transmit = (which & KYMO_RP2040_UART_DMA_ON_TRANSMIT) != 0u;
    mmio_put(uart->enable + ALIAS_CLEAR, uart->bit);
    kymo_dma_send_by_interrupt(&uart->send, transmit);
    mmio_put(uart->enable + (transmit ? ALIAS_SET : ALIAS_CLEAR), uart->bit);
    kymo_pl011_interrupts(
        &uart->uart, (which & KYMO_RP2040_UART_DMA_ON_RECEIVE) != 0u ? KYMO_PL011_ON_RECEIVE : 0u);
}

unsigned kymo_rp2040_uart_dma_cause(struct kymo_rp2040_uart_dma *uart) {
    if (uart->send.by_interrupt && kymo_dma_send_next(&uart->send)) {
        return KYMO_RP2040_UART_DMA_ON_TRANSMIT;
    }
    return kymo_pl011_cause(&uart->uart) != 0u ? KYMO_RP2040_UART_DMA_ON_RECEIVE : 0u;
}
