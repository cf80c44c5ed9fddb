#include "sifive_uart.h"

/* Registers, as numbers of 32-bit words: 18.3, "Memory Map". */
enum {
    TXDATA = 0,
    RXDATA = 1,
    TXCTRL = 2,
    RXCTRL = 3,
    IE = 4,
    IP = 5,
    DIV = 6,
};

/* 18.4 and 18.5: the top bit says that there is no room, or nothing. */
#define TXDATA_FULL 0x80000000u
#define RXDATA_EMPTY 0x80000000u
/* 18.6: nstop (bit 1) 0 is one stop bit; with txcnt 1 the watermark is "less than one entry". */
#define TXCTRL_TXEN 0x1u
#define TXCTRL_TXCNT_1 0x10000u
/* 18.7: with rxcnt 0 the watermark is "more than no entry". */
#define RXCTRL_RXEN 0x1u
/* 18.8: the same bits in ie and ip. They follow the FIFOs: nothing but those clears them. */
#define TXWM 0x1u
#define RXWM 0x2u
/* 18.9: baud = clock / (div + 1), in 16 bits. 18.1: the receiver takes 16 samples a bit. */
#define LEAST_CLOCKS_A_BIT 16u
#define MOST_CLOCKS_A_BIT 0x10000u

static void enable(const struct kymo_sifive_uart *uart, unsigned which) {
    uart->registers[IE] = ((which & KYMO_SIFIVE_UART_ON_RECEIVE) != 0u ? RXWM : 0u) |
                          ((which & KYMO_SIFIVE_UART_ON_TRANSMIT) != 0u ? TXWM : 0u);
}

static size_t write_bytes(void *context, const uint8_t *bytes, size_t length) {
    const struct kymo_sifive_uart *uart = context;
    size_t written = 0u;
    while (written < length && (uart->registers[TXDATA] & TXDATA_FULL) == 0u) {
        uart->registers[TXDATA] = bytes[written++];
    }
    /* Something is in the FIFO that will run out: see kymo_sifive_uart_cause(). */
    if (written > 0u && (uart->wanted & KYMO_SIFIVE_UART_ON_TRANSMIT) != 0u) {
        enable(uart, uart->wanted);
    }
    return written;
}

/* One read takes the byte and tells whether it was one. */
static size_t read_bytes(void *context, uint8_t *bytes, size_t length) {
    const struct kymo_sifive_uart *uart = context;
    size_t received = 0u;
    while (received < length) {
        const uint32_t data = uart->registers[RXDATA];
        if ((data & RXDATA_EMPTY) != 0u) {
            break;
        }
        bytes[received++] = (uint8_t)data;
    }
    return received;
}

/* Clocks that a bit takes, or 0 if the UART cannot do it. */
static uint32_t clocks_a_bit(const struct kymo_sifive_uart_config *config) {
    if (config->clock_hz > INT32_MAX || config->baud > config->clock_hz / LEAST_CLOCKS_A_BIT) {
        return 0u;
    }
    const uint32_t clocks = (config->clock_hz + config->baud / 2u) / config->baud;
    return clocks <= MOST_CLOCKS_A_BIT ? clocks : 0u;
}

bool kymo_sifive_uart_init(struct kymo_sifive_uart *uart,
                           const struct kymo_sifive_uart_config *config) {
    const uint32_t clocks = config->baud != 0u ? clocks_a_bit(config) : 0u;
    if (config->baud != 0u && clocks == 0u) {
        return false;
    }
    uart->registers = (volatile uint32_t *)config->base;
    uart->wanted = 0u;
    kymo_transport_set(&uart->transport, write_bytes, read_bytes, uart);

    uart->registers[IE] = 0u;
    if (clocks != 0u) {
        uart->registers[DIV] = clocks - 1u;
    }
    uart->registers[TXCTRL] = TXCTRL_TXEN | TXCTRL_TXCNT_1;
    uart->registers[RXCTRL] = RXCTRL_RXEN;
    return true;
}

bool kymo_sifive_uart_idle(const struct kymo_sifive_uart *uart) {
    return (uart->registers[IP] & TXWM) != 0u;
}

void kymo_sifive_uart_interrupts(struct kymo_sifive_uart *uart, unsigned which) {
    uart->wanted = which;
    enable(uart, which);
}

/* An empty FIFO stays a cause for as long as there is nothing to send. So it is switched off when it has
 * been told, and on again by the next write. */
unsigned kymo_sifive_uart_cause(struct kymo_sifive_uart *uart) {
    const uint32_t pending = uart->registers[IP] & uart->registers[IE];
    if ((pending & RXWM) != 0u) {
        return KYMO_SIFIVE_UART_ON_RECEIVE;
    }
    if ((pending & TXWM) != 0u) {
        enable(uart, uart->wanted & KYMO_SIFIVE_UART_ON_RECEIVE);
        return KYMO_SIFIVE_UART_ON_TRANSMIT;
    }
    return 0u;
}
