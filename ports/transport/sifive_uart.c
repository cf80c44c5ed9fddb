/* SPDX-License-Identifier: MIT */
#include "sifive_uart.h"

#include "baud.h"
#include "each_byte.h"
#include "mmio.h"

/* 18.3, "Memory Map". */
#define TXDATA 0x00u
#define RXDATA 0x04u
#define TXCTRL 0x08u
#define RXCTRL 0x0cu
#define IE 0x10u
#define IP 0x14u
#define DIV 0x18u

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
static const struct kymo_baud_generator generator = {.clocks = 1u, .least = 16u, .most = 0x10000u};

static uint32_t get(const struct kymo_sifive_uart *uart, unsigned offset) {
    return mmio_get(uart->base + offset);
}

static void put(const struct kymo_sifive_uart *uart, unsigned offset, uint32_t value) {
    mmio_put(uart->base + offset, value);
}

static void enable(const struct kymo_sifive_uart *uart, unsigned which) {
    put(uart, IE, kymo_uart_causes(which, RXWM, TXWM));
}

static bool has_room(void *context) { return (get(context, TXDATA) & TXDATA_FULL) == 0u; }

static void put_byte(void *context, uint8_t byte) { put(context, TXDATA, byte); }

static size_t write_bytes(void *context, const uint8_t *bytes, size_t length) {
    const struct kymo_sifive_uart *uart = context;
    const size_t written = kymo_write_each(context, bytes, length, has_room, put_byte);
    /* Something is in the FIFO that will run out: see kymo_sifive_uart_cause(). */
    if (written > 0u && (uart->wanted & KYMO_SIFIVE_UART_ON_TRANSMIT) != 0u) {
        enable(uart, uart->wanted);
    }
    return written;
}

/* One read takes the byte and tells whether it was one. */
static bool take_byte(void *context, uint8_t *byte) {
    const uint32_t data = get(context, RXDATA);
    *byte = (uint8_t)data;
    return (data & RXDATA_EMPTY) == 0u;
}

static size_t read_bytes(void *context, uint8_t *bytes, size_t length) {
    return kymo_read_each(context, bytes, length, take_byte);
}

bool kymo_sifive_uart_init(struct kymo_sifive_uart *uart,
                           const struct kymo_sifive_uart_config *config) {
    const uint32_t divisor =
        config->baud != 0u ? kymo_baud_divisor(&generator, config->clock_hz, config->baud) : 0u;
    if (config->baud != 0u && divisor == 0u) {
        return false;
    }
    uart->base = config->base;
    uart->wanted = 0u;
    kymo_transport_set(&uart->transport, write_bytes, read_bytes, uart);

    put(uart, IE, 0u);
    if (divisor != 0u) {
        put(uart, DIV, divisor - 1u);
    }
    put(uart, TXCTRL, TXCTRL_TXEN | TXCTRL_TXCNT_1);
    put(uart, RXCTRL, RXCTRL_RXEN);
    return true;
}

bool kymo_sifive_uart_idle(const struct kymo_sifive_uart *uart) {
    return (get(uart, IP) & TXWM) != 0u;
}

void kymo_sifive_uart_interrupts(struct kymo_sifive_uart *uart, unsigned which) {
    uart->wanted = which;
    enable(uart, which);
}

/* An empty FIFO stays a cause for as long as there is nothing to send. So it is switched off when it has
 * been reported, and on again by the next write. */
unsigned kymo_sifive_uart_cause(struct kymo_sifive_uart *uart) {
    const uint32_t pending = get(uart, IP) & get(uart, IE);
    if ((pending & RXWM) != 0u) {
        return KYMO_SIFIVE_UART_ON_RECEIVE;
    }
    if ((pending & TXWM) != 0u) {
        enable(uart, uart->wanted & KYMO_SIFIVE_UART_ON_RECEIVE);
        return KYMO_SIFIVE_UART_ON_TRANSMIT;
    }
    return 0u;
}
