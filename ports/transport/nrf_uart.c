/* SPDX-License-Identifier: MIT */
#include "nrf_uart.h"

#include "each_byte.h"
#include "mmio.h"
#include "nrf_registers.h"

/* Registers that only this one has: nRF51 Series Reference Manual 29.10, "Register Overview". */
#define EVENTS_RXDRDY 0x108u
#define EVENTS_TXDRDY 0x11cu
#define ENABLE_UART 4u
#define RXD 0x518u
#define TXD 0x51cu

#define INT_RXDRDY (1u << 2)
#define INT_TXDRDY (1u << 7)

static uint32_t get(const struct kymo_nrf_uart *uart, unsigned offset) {
    return mmio_get(uart->base + offset);
}

static void put(const struct kymo_nrf_uart *uart, unsigned offset, uint32_t value) {
    mmio_put(uart->base + offset, value);
}

static bool may_send(void *context) {
    struct kymo_nrf_uart *uart = context;
    if (uart->sending && nrf_take_event(uart->base, EVENTS_TXDRDY)) {
        uart->sending = false;
    }
    return !uart->sending;
}

static void put_byte(void *context, uint8_t byte) {
    struct kymo_nrf_uart *uart = context;
    uart->sending = true;
    put(uart, TXD, byte);
}

static size_t write_bytes(void *context, const uint8_t *bytes, size_t length) {
    return kymo_write_each(context, bytes, length, may_send, put_byte);
}

/* The event is taken before the byte, as the next byte moves up when this one is read (29.5). */
static bool take_byte(void *context, uint8_t *byte) {
    const struct kymo_nrf_uart *uart = context;
    if (!nrf_take_event(uart->base, EVENTS_RXDRDY)) {
        return false;
    }
    *byte = (uint8_t)get(uart, RXD);
    return true;
}

static size_t read_bytes(void *context, uint8_t *bytes, size_t length) {
    struct kymo_nrf_uart *uart = context;
    if (nrf_take_error(uart->base)) {
        uart->receive_errors++;
    }
    return kymo_read_each(context, bytes, length, take_byte);
}

/* The table of BAUDRATE in 29.10, with the true rates that "nRF52840 Product Specification" 1.7,
 * 6.33, gives for the same values: 921600 baud are 941176 in truth. */
static const struct nrf_rate rates[] = {
    {1205u, 0x0004f000u},   {2396u, 0x0009d000u},   {4808u, 0x0013b000u},   {9598u, 0x00275000u},
    {14414u, 0x003b0000u},  {19208u, 0x004ea000u},  {28829u, 0x0075f000u},  {38462u, 0x009d5000u},
    {57762u, 0x00ebf000u},  {76923u, 0x013a9000u},  {115942u, 0x01d7e000u}, {231884u, 0x03afb000u},
    {250000u, 0x04000000u}, {470588u, 0x075f7000u}, {941176u, 0x0ebedfa4u}, {1000000u, 0x10000000u},
};

bool kymo_nrf_uart_init(struct kymo_nrf_uart *uart, const struct kymo_nrf_uart_config *config) {
    const uint32_t rate = nrf_rate_value(rates, sizeof rates / sizeof rates[0], config->baud);
    if (rate == 0u) {
        return false;
    }
    uart->base = config->base;
    uart->wanted = 0u;
    uart->sending = false;
    uart->receive_errors = 0u;
    kymo_transport_set(&uart->transport, write_bytes, read_bytes, uart);

    put(uart, INTENCLR, INT_RXDRDY | INT_TXDRDY | INT_ERROR);
    nrf_set_line(uart->base, config->transmit_pin, config->receive_pin, rate);
    put(uart, ENABLE, ENABLE_UART);
    put(uart, EVENTS_RXDRDY, 0u);
    put(uart, EVENTS_TXDRDY, 0u);
    put(uart, EVENTS_ERROR, 0u);
    put(uart, TASKS_STARTTX, 1u);
    put(uart, TASKS_STARTRX, 1u);
    return true;
}

bool kymo_nrf_uart_idle(struct kymo_nrf_uart *uart) { return may_send(uart); }

void kymo_nrf_uart_interrupts(struct kymo_nrf_uart *uart, unsigned which) {
    uart->wanted = which;
    put(uart, INTENCLR, INT_RXDRDY | INT_TXDRDY | INT_ERROR);
    put(uart, INTENSET, kymo_uart_causes(which, INT_RXDRDY | INT_ERROR, INT_TXDRDY));
}

unsigned kymo_nrf_uart_cause(struct kymo_nrf_uart *uart) {
    if ((uart->wanted & KYMO_NRF_UART_ON_RECEIVE) != 0u &&
        (get(uart, EVENTS_RXDRDY) != 0u || get(uart, EVENTS_ERROR) != 0u)) {
        return KYMO_NRF_UART_ON_RECEIVE;
    }
    if ((uart->wanted & KYMO_NRF_UART_ON_TRANSMIT) != 0u && uart->sending && may_send(uart)) {
        return KYMO_NRF_UART_ON_TRANSMIT;
    }
    return 0u;
}
