/* SPDX-License-Identifier: MIT */
#include "bcm2835_miniuart.h"

#include "baud.h"
#include "each_byte.h"
#include "mmio.h"

/* Offsets and bits: "BCM2835 ARM Peripherals", 2.1 and 2.2. */
#define ENABLES 0x04u /* of all auxiliary peripherals; the others are SPI */
#define ENABLES_MINIUART 0x1u
#define IO 0x40u
#define IER 0x44u
#define IER_RECEIVE 0x0du /* bit 0; and without bits 2 and 3 nothing comes (errata to page 12) */
#define IER_TRANSMIT 0x02u
#define IIR 0x48u
#define IIR_CLEAR_FIFOS 0x06u
#define LCR 0x4cu
#define LCR_8_BITS 0x03u /* two bits, not one (errata to page 14) */
#define MCR 0x50u
#define LSR 0x54u
#define LSR_RECEIVED 0x01u
#define LSR_OVERRUN 0x02u /* a read clears it */
#define LSR_ROOM 0x20u    /* for one byte at least */
#define LSR_IDLE 0x40u
#define CNTL 0x60u
#define CNTL_ON 0x03u /* receiver, transmitter; no automatic flow control */
#define BAUD 0x68u    /* clock / (8 * (value + 1)), of 16 bits */

static uint32_t get(const struct kymo_bcm2835_miniuart *uart, unsigned offset) {
    return mmio_get(uart->base + offset);
}

static void put(const struct kymo_bcm2835_miniuart *uart, unsigned offset, uint32_t value) {
    mmio_put(uart->base + offset, value);
}

/* Every look at the line status goes through here, because it clears the error. */
static uint32_t line_status(struct kymo_bcm2835_miniuart *uart) {
    const uint32_t status = get(uart, LSR);
    if ((status & LSR_OVERRUN) != 0u) {
        uart->receive_errors++;
    }
    return status;
}

static void enable(struct kymo_bcm2835_miniuart *uart, unsigned which) {
    if (which != uart->enabled) {
        uart->enabled = which;
        put(uart, IER, kymo_uart_causes(which, IER_RECEIVE, IER_TRANSMIT));
    }
}

static bool has_room(void *context) { return (line_status(context) & LSR_ROOM) != 0u; }

static void put_byte(void *context, uint8_t byte) { put(context, IO, byte); }

static size_t write_bytes(void *context, const uint8_t *bytes, size_t length) {
    struct kymo_bcm2835_miniuart *uart = context;
    const size_t written = kymo_write_each(uart, bytes, length, has_room, put_byte);
    /* Something is on its way that will make room: see kymo_bcm2835_miniuart_cause(). */
    if (written > 0u) {
        enable(uart, uart->wanted);
    }
    return written;
}

static bool take_byte(void *context, uint8_t *byte) {
    struct kymo_bcm2835_miniuart *uart = context;
    if ((line_status(uart) & LSR_RECEIVED) == 0u) {
        return false;
    }
    *byte = (uint8_t)get(uart, IO);
    return true;
}

static size_t read_bytes(void *context, uint8_t *bytes, size_t length) {
    return kymo_read_each(context, bytes, length, take_byte);
}

static const struct kymo_baud_generator generator = {.clocks = 8u, .least = 1u, .most = 0x10000u};

bool kymo_bcm2835_miniuart_init(struct kymo_bcm2835_miniuart *uart,
                                const struct kymo_bcm2835_miniuart_config *config) {
    const uint32_t divisor = kymo_baud_divisor(&generator, config->clock_hz, config->baud);
    if (divisor == 0u) {
        return false;
    }
    uart->base = config->base;
    uart->wanted = 0u;
    uart->enabled = 0u;
    uart->receive_errors = 0u;
    kymo_transport_set(&uart->transport, write_bytes, read_bytes, uart);

    put(uart, ENABLES,
        get(uart, ENABLES) | ENABLES_MINIUART); /* before it there are no registers */
    put(uart, CNTL, 0u);
    put(uart, IER, 0u);
    put(uart, LCR, LCR_8_BITS);
    put(uart, MCR, 0u);
    put(uart, BAUD, divisor - 1u);
    put(uart, IIR, IIR_CLEAR_FIFOS);
    put(uart, CNTL, CNTL_ON);
    return true;
}

bool kymo_bcm2835_miniuart_idle(struct kymo_bcm2835_miniuart *uart) {
    return (line_status(uart) & LSR_IDLE) != 0u;
}

void kymo_bcm2835_miniuart_interrupts(struct kymo_bcm2835_miniuart *uart, unsigned which) {
    uart->wanted = which;
    enable(uart, which);
}

/* An empty transmit FIFO stays a cause for as long as there is nothing to send. So it is switched off when it
 * has been reported, and on again by the next write. */
unsigned kymo_bcm2835_miniuart_cause(struct kymo_bcm2835_miniuart *uart) {
    const uint32_t status = line_status(uart);
    if ((uart->enabled & KYMO_BCM2835_MINIUART_ON_RECEIVE) != 0u && (status & LSR_RECEIVED) != 0u) {
        return KYMO_BCM2835_MINIUART_ON_RECEIVE;
    }
    if ((uart->enabled & KYMO_BCM2835_MINIUART_ON_TRANSMIT) != 0u && (status & LSR_ROOM) != 0u) {
        enable(uart, uart->enabled & ~KYMO_BCM2835_MINIUART_ON_TRANSMIT);
        return KYMO_BCM2835_MINIUART_ON_TRANSMIT;
    }
    return 0u;
}
