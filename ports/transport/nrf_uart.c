#include "nrf_uart.h"

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

#define BAUD_LEAST 1200u
#define BAUD_MOST 1000000u

static uint32_t get(const struct kymo_nrf_uart *uart, unsigned offset) {
    return mmio_get(uart->base + offset);
}

static void put(const struct kymo_nrf_uart *uart, unsigned offset, uint32_t value) {
    mmio_put(uart->base + offset, value);
}

static bool may_send(struct kymo_nrf_uart *uart) {
    if (uart->sending && nrf_take_event(uart->base, EVENTS_TXDRDY)) {
        uart->sending = false;
    }
    return !uart->sending;
}

static size_t write_bytes(void *context, const uint8_t *bytes, size_t length) {
    struct kymo_nrf_uart *uart = context;
    size_t written = 0u;
    while (written < length && may_send(uart)) {
        uart->sending = true;
        put(uart, TXD, bytes[written++]);
    }
    return written;
}

/* The event is taken before the byte, as the next byte moves up when this one is read (29.5). */
static size_t read_bytes(void *context, uint8_t *bytes, size_t length) {
    struct kymo_nrf_uart *uart = context;
    size_t received = 0u;
    if (nrf_take_error(uart->base)) {
        uart->receive_errors++;
    }
    while (received < length && nrf_take_event(uart->base, EVENTS_RXDRDY)) {
        bytes[received++] = (uint8_t)get(uart, RXD);
    }
    return received;
}

/* The table of BAUDRATE in 29.10 is baud * 2^32 / 16 MHz, rounded to whole 2^12; 2^20 / 16 MHz is
 * 1024 / 15625. */
static uint32_t baud_value(uint32_t baud) { return (baud * 1024u + 15625u / 2u) / 15625u << 12; }

bool kymo_nrf_uart_init(struct kymo_nrf_uart *uart, const struct kymo_nrf_uart_config *config) {
    if (config->baud < BAUD_LEAST || config->baud > BAUD_MOST) {
        return false;
    }
    uart->base = config->base;
    uart->sending = false;
    uart->receive_errors = 0u;
    kymo_transport_set(&uart->transport, write_bytes, read_bytes, uart);

    put(uart, INTENCLR, INT_RXDRDY | INT_TXDRDY | INT_ERROR);
    nrf_set_line(uart->base, config->transmit_pin, config->receive_pin, baud_value(config->baud));
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
    put(uart, INTENCLR, INT_RXDRDY | INT_TXDRDY | INT_ERROR);
    put(uart, INTENSET,
        ((which & KYMO_NRF_UART_ON_RECEIVE) != 0u ? INT_RXDRDY | INT_ERROR : 0u) |
            ((which & KYMO_NRF_UART_ON_TRANSMIT) != 0u ? INT_TXDRDY : 0u));
}

unsigned kymo_nrf_uart_cause(struct kymo_nrf_uart *uart) {
    if (get(uart, EVENTS_RXDRDY) != 0u || get(uart, EVENTS_ERROR) != 0u) {
        return KYMO_NRF_UART_ON_RECEIVE;
    }
    if (uart->sending && may_send(uart)) {
        return KYMO_NRF_UART_ON_TRANSMIT;
    }
    return 0u;
}
