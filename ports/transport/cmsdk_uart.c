/* SPDX-License-Identifier: MIT */
#include "cmsdk_uart.h"

#include "baud.h"
#include "each_byte.h"
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

static uint32_t get(const struct kymo_cmsdk_uart *uart, unsigned offset) {
    return mmio_get(uart->base + offset);
}

static void put(const struct kymo_cmsdk_uart *uart, unsigned offset, uint32_t value) {
    mmio_put(uart->base + offset, value);
}

static bool has_room(void *context) { return (get(context, STATE) & STATE_TRANSMIT_FULL) == 0u; }

static void put_byte(void *context, uint8_t byte) { put(context, DATA, byte); }

static size_t write_bytes(void *context, const uint8_t *bytes, size_t length) {
    return kymo_write_each(context, bytes, length, has_room, put_byte);
}

static bool take_byte(void *context, uint8_t *byte) {
    struct kymo_cmsdk_uart *uart = context;
    const uint32_t state = get(uart, STATE);
    if ((state & STATE_RECEIVE_OVERRUN) != 0u) {
        put(uart, STATE, STATE_RECEIVE_OVERRUN);
        uart->receive_errors++;
    }
    if ((state & STATE_RECEIVE_FULL) == 0u) {
        return false;
    }
    *byte = (uint8_t)get(uart, DATA);
    return true;
}

static size_t read_bytes(void *context, uint8_t *bytes, size_t length) {
    return kymo_read_each(context, bytes, length, take_byte);
}

/* Baud = clock / BAUDDIV, of 20 bits and at least 16. */
static const struct kymo_baud_generator generator = {.clocks = 1u, .least = 16u, .most = 0xfffffu};

bool kymo_cmsdk_uart_init(struct kymo_cmsdk_uart *uart,
                          const struct kymo_cmsdk_uart_config *config) {
    const uint32_t divisor =
        config->baud != 0u ? kymo_baud_divisor(&generator, config->clock_hz, config->baud) : 0u;
    if (config->baud != 0u && divisor == 0u) {
        return false;
    }
    uart->base = config->base;
    uart->receive_errors = 0u;
    kymo_transport_set(&uart->transport, write_bytes, read_bytes, uart);
    if (divisor != 0u) {
        put(uart, BAUDDIV, divisor);
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
        CTRL_ENABLE | kymo_uart_causes(which, CTRL_RECEIVE_INTERRUPT, CTRL_TRANSMIT_INTERRUPT));
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
