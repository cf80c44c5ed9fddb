#include "cmsdk_uart.h"

#include "mmio.h"

/* Offsets and bits: DDI 0479, table 4-4 "APB UART programmers model". */
#define DATA 0x00u
#define STATE 0x04u
#define STATE_TRANSMIT_FULL 0x1u
#define STATE_RECEIVE_FULL 0x2u
#define STATE_RECEIVE_OVERRUN 0x8u /* write 1 to clear */
#define CTRL 0x08u
#define CTRL_ENABLE 0x3u /* transmit, receive */
#define CTRL_TRANSMIT_INTERRUPT 0x4u
#define CTRL_RECEIVE_INTERRUPT 0x8u
#define INTSTATUS 0x0cu /* write 1 to clear */
#define INT_TRANSMIT 0x1u
#define INT_RECEIVE 0x2u
#define BAUDDIV 0x10u
#define BAUDDIV_LEAST 16u
#define BAUDDIV_MOST 0xfffffu

static uint32_t get(const struct kymo_cmsdk_uart *uart, unsigned offset) {
    return mmio_get(uart->base + offset);
}

static void put(const struct kymo_cmsdk_uart *uart, unsigned offset, uint32_t value) {
    mmio_put(uart->base + offset, value);
}

static size_t write_bytes(void *context, const uint8_t *bytes, size_t length) {
    const struct kymo_cmsdk_uart *uart = context;
    size_t written = 0u;
    while (written < length && (get(uart, STATE) & STATE_TRANSMIT_FULL) == 0u) {
        put(uart, DATA, bytes[written++]);
    }
    return written;
}

static size_t read_bytes(void *context, uint8_t *bytes, size_t length) {
    struct kymo_cmsdk_uart *uart = context;
    size_t received = 0u;
    uint32_t state = get(uart, STATE);
    if ((state & STATE_RECEIVE_OVERRUN) != 0u) {
        put(uart, STATE, STATE_RECEIVE_OVERRUN);
        uart->receive_errors++;
    }
    while (received < length && (state & STATE_RECEIVE_FULL) != 0u) {
        bytes[received++] = (uint8_t)get(uart, DATA);
        state = get(uart, STATE);
    }
    return received;
}

bool kymo_cmsdk_uart_init(struct kymo_cmsdk_uart *uart,
                          const struct kymo_cmsdk_uart_config *config) {
    const uint32_t baud = config->baud;
    const uint32_t divisor = baud != 0u ? config->clock_hz / baud : 0u;
    if (baud != 0u && (divisor < BAUDDIV_LEAST || divisor > BAUDDIV_MOST)) {
        return false;
    }
    uart->base = config->base;
    uart->receive_errors = 0u;
    kymo_transport_set(&uart->transport, write_bytes, read_bytes, uart);
    if (baud != 0u) {
        /* The nearest of the two, without a sum that could pass 32 bits. */
        put(uart, BAUDDIV, divisor + (config->clock_hz % baud > baud / 2u ? 1u : 0u));
    }
    put(uart, CTRL, CTRL_ENABLE);
    put(uart, STATE, STATE_RECEIVE_OVERRUN);
    put(uart, INTSTATUS, INT_TRANSMIT | INT_RECEIVE);
    return true;
}

bool kymo_cmsdk_uart_idle(struct kymo_cmsdk_uart *uart) {
    return (get(uart, STATE) & STATE_TRANSMIT_FULL) == 0u;
}

void kymo_cmsdk_uart_interrupts(struct kymo_cmsdk_uart *uart, unsigned which) {
    put(uart, CTRL,
        CTRL_ENABLE | ((which & KYMO_CMSDK_UART_ON_RECEIVE) != 0u ? CTRL_RECEIVE_INTERRUPT : 0u) |
            ((which & KYMO_CMSDK_UART_ON_TRANSMIT) != 0u ? CTRL_TRANSMIT_INTERRUPT : 0u));
}

unsigned kymo_cmsdk_uart_cause(struct kymo_cmsdk_uart *uart) {
    const uint32_t causes = get(uart, INTSTATUS);
    if ((causes & INT_RECEIVE) != 0u) {
        put(uart, INTSTATUS, INT_RECEIVE);
        return KYMO_CMSDK_UART_ON_RECEIVE;
    }
    if ((causes & INT_TRANSMIT) != 0u) {
        put(uart, INTSTATUS, INT_TRANSMIT);
        return KYMO_CMSDK_UART_ON_TRANSMIT;
    }
    return 0u;
}
