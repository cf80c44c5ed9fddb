#include "nrf_uart.h"

#include "mmio.h"

/* Registers: nRF51 Series Reference Manual 29.10, "Register Overview". Tasks are started by writing 1; an
 * event reads as 1 until 0 is written to it. */
#define TASKS_STARTRX 0x000u
#define TASKS_STARTTX 0x008u
#define EVENTS_RXDRDY 0x108u
#define EVENTS_TXDRDY 0x11cu
#define EVENTS_ERROR 0x124u
#define INTENSET 0x304u
#define INTENCLR 0x308u
#define ERRORSRC 0x480u /* write 1 to clear */
#define ENABLE 0x500u
#define ENABLE_UART 4u
#define PSELRTS 0x508u
#define PSELTXD 0x50cu
#define PSELCTS 0x510u
#define PSELRXD 0x514u
#define RXD 0x518u
#define TXD 0x51cu
#define BAUDRATE 0x524u
#define CONFIG 0x56cu

#define NO_PIN 0xffffffffu

/* An event's bit in INTENSET and INTENCLR is its place among the events. */
#define INT_RXDRDY (1u << 2)
#define INT_TXDRDY (1u << 7)
#define INT_ERROR (1u << 9)

#define BAUD_LEAST 1200u
#define BAUD_MOST 1000000u

static uint32_t get(const struct nrf_uart *uart, unsigned offset) {
    return mmio_get(uart->base + offset);
}

static void put(const struct nrf_uart *uart, unsigned offset, uint32_t value) {
    mmio_put(uart->base + offset, value);
}

/* True, once for each time that the event has happened. */
static bool take_event(const struct nrf_uart *uart, unsigned event) {
    if (get(uart, event) == 0u) {
        return false;
    }
    put(uart, event, 0u);
    return true;
}

static bool may_send(struct nrf_uart *uart) {
    if (uart->sending && take_event(uart, EVENTS_TXDRDY)) {
        uart->sending = false;
    }
    return !uart->sending;
}

static size_t write_bytes(void *context, const uint8_t *bytes, size_t length) {
    struct nrf_uart *uart = context;
    size_t written = 0u;
    while (written < length && may_send(uart)) {
        uart->sending = true;
        put(uart, TXD, bytes[written++]);
    }
    return written;
}

/* The event is taken before the byte, as the next byte moves up when this one is read (29.5). */
static size_t read_bytes(void *context, uint8_t *bytes, size_t length) {
    struct nrf_uart *uart = context;
    size_t received = 0u;
    if (take_event(uart, EVENTS_ERROR)) {
        put(uart, ERRORSRC, get(uart, ERRORSRC));
        uart->receive_errors++;
    }
    while (received < length && take_event(uart, EVENTS_RXDRDY)) {
        bytes[received++] = (uint8_t)get(uart, RXD);
    }
    return received;
}

/* The table of BAUDRATE in 29.10 is baud * 2^32 / 16 MHz, rounded to whole 2^12; 2^20 / 16 MHz is
 * 1024 / 15625. */
static uint32_t baud_value(uint32_t baud) { return (baud * 1024u + 15625u / 2u) / 15625u << 12; }

bool nrf_uart_init(struct nrf_uart *uart, const struct nrf_uart_config *config) {
    if (config->baud < BAUD_LEAST || config->baud > BAUD_MOST) {
        return false;
    }
    uart->base = config->base;
    uart->sending = false;
    uart->receive_errors = 0u;
    uart->transport =
        (struct kymo_transport){.write = write_bytes, .read = read_bytes, .context = uart};

    put(uart, INTENCLR, INT_RXDRDY | INT_TXDRDY | INT_ERROR);
    put(uart, PSELTXD, config->transmit_pin);
    put(uart, PSELRXD, config->receive_pin);
    put(uart, PSELRTS, NO_PIN);
    put(uart, PSELCTS, NO_PIN);
    put(uart, BAUDRATE, baud_value(config->baud));
    put(uart, CONFIG, 0u);
    put(uart, ENABLE, ENABLE_UART);
    put(uart, EVENTS_RXDRDY, 0u);
    put(uart, EVENTS_TXDRDY, 0u);
    put(uart, EVENTS_ERROR, 0u);
    put(uart, TASKS_STARTTX, 1u);
    put(uart, TASKS_STARTRX, 1u);
    return true;
}

bool nrf_uart_idle(struct nrf_uart *uart) { return may_send(uart); }

void nrf_uart_interrupts(struct nrf_uart *uart, unsigned which) {
    put(uart, INTENCLR, INT_RXDRDY | INT_TXDRDY | INT_ERROR);
    put(uart, INTENSET,
        ((which & NRF_UART_ON_RECEIVE) != 0u ? INT_RXDRDY | INT_ERROR : 0u) |
            ((which & NRF_UART_ON_TRANSMIT) != 0u ? INT_TXDRDY : 0u));
}

unsigned nrf_uart_cause(struct nrf_uart *uart) {
    if (get(uart, EVENTS_RXDRDY) != 0u || get(uart, EVENTS_ERROR) != 0u) {
        return NRF_UART_ON_RECEIVE;
    }
    if (uart->sending && may_send(uart)) {
        return NRF_UART_ON_TRANSMIT;
    }
    return 0u;
}
