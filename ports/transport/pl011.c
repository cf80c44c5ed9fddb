/* SPDX-License-Identifier: MIT */
#include "pl011.h"

#include "baud.h"
#include "each_byte.h"
#include "mmio.h"

/* Offsets and bits: DDI 0183G, table 3-1 and the section named. */
#define DR 0x00u /* 3.3.1 */
#define DR_ERRORS 0xf00u
#define FR 0x18u /* 3.3.3 */
#define FR_BUSY 0x08u
#define FR_RXFE 0x10u /* receive FIFO empty */
#define FR_TXFF 0x20u /* transmit FIFO full */
#define IBRD 0x24u    /* 3.3.5 */
#define FBRD 0x28u    /* 3.3.6 */
#define LCR_H 0x2cu   /* 3.3.7 */
#define LCR_H_FEN 0x10u
#define LCR_H_8N1 0x60u
#define CR 0x30u                /* 3.3.8 */
#define CR_ON 0xf01u            /* UARTEN, TXE, RXE, DTR, RTS */
#define IFLS 0x34u              /* 3.3.9 */
#define IFLS_TRANSMIT_EIGHTH 0u /* bits 2:0; and bits 5:3 for the receive FIFO: */
#define IFLS_RECEIVE_HALF 0x10u
#define IMSC 0x38u        /* 3.3.10 */
#define MIS 0x40u         /* 3.3.12 */
#define ICR 0x44u         /* 3.3.13 */
#define INT_RECEIVE 0x50u /* the level is reached, or some bytes have lain there for 32 bit times */
#define INT_TRANSMIT 0x20u
#define INT_ALL 0x7ffu

/* Baud = clock / (16 * divisor): 16 bits before the point, 6 after it; at the most exactly 65535
 * (3.3.6). */
#define FRACTION_BITS 6u
static const struct kymo_baud_generator generator = {.clocks = 16u,
                                                     .fraction_bits = FRACTION_BITS,
                                                     .least = 1u << FRACTION_BITS,
                                                     .most = 65535u << FRACTION_BITS};

static uint32_t get(const struct kymo_pl011 *uart, unsigned offset) {
    return mmio_get(uart->base + offset);
}

static void put(const struct kymo_pl011 *uart, unsigned offset, uint32_t value) {
    mmio_put(uart->base + offset, value);
}

static bool has_room(void *context) { return (get(context, FR) & FR_TXFF) == 0u; }

static void put_byte(void *context, uint8_t byte) { put(context, DR, byte); }

static size_t write_bytes(void *context, const uint8_t *bytes, size_t length) {
    return kymo_write_each(context, bytes, length, has_room, put_byte);
}

/* Each byte comes with its errors, an overrun with the next byte (table 3-2). */
static bool take_byte(void *context, uint8_t *byte) {
    struct kymo_pl011 *uart = context;
    if ((get(uart, FR) & FR_RXFE) != 0u) {
        return false;
    }
    const uint32_t data = get(uart, DR);
    if ((data & DR_ERRORS) != 0u) {
        uart->receive_errors++;
    }
    *byte = (uint8_t)data;
    return true;
}

static size_t read_bytes(void *context, uint8_t *bytes, size_t length) {
    return kymo_read_each(context, bytes, length, take_byte);
}

bool kymo_pl011_init(struct kymo_pl011 *uart, const struct kymo_pl011_config *config) {
    const uint32_t divisor =
        config->baud != 0u ? kymo_baud_divisor(&generator, config->clock_hz, config->baud) : 0u;
    if (config->baud != 0u && divisor == 0u) {
        return false;
    }
    uart->base = config->base;
    uart->receive_errors = 0u;
    kymo_transport_set(&uart->transport, write_bytes, read_bytes, uart);

    /* 3.3.8: switched off, and FEN cleared, which empties the FIFOs, before anything is changed. */
    const uint32_t line = divisor != 0u ? LCR_H_8N1 : get(uart, LCR_H) & ~LCR_H_FEN;
    put(uart, IMSC, 0u);
    put(uart, CR, 0u);
    put(uart, LCR_H, line);
    if (divisor != 0u) {
        put(uart, IBRD, divisor >> FRACTION_BITS);
        put(uart, FBRD, divisor & ((1u << FRACTION_BITS) - 1u));
    }
    put(uart, LCR_H, line | LCR_H_FEN); /* only this write makes the divisor valid (3.3.7) */
    put(uart, IFLS, IFLS_RECEIVE_HALF | IFLS_TRANSMIT_EIGHTH);
    put(uart, ICR, INT_ALL);
    put(uart, CR, CR_ON);
    return true;
}

bool kymo_pl011_idle(const struct kymo_pl011 *uart) { return (get(uart, FR) & FR_BUSY) == 0u; }

void kymo_pl011_interrupts(struct kymo_pl011 *uart, unsigned which) {
    put(uart, IMSC, kymo_uart_causes(which, INT_RECEIVE, INT_TRANSMIT));
}

unsigned kymo_pl011_cause(struct kymo_pl011 *uart) {
    const uint32_t causes = get(uart, MIS);
    if ((causes & INT_RECEIVE) != 0u) {
        return KYMO_PL011_ON_RECEIVE; /* reading takes it away (2.8) */
    }
    if ((causes & INT_TRANSMIT) != 0u) {
        put(uart, ICR, INT_TRANSMIT);
        return KYMO_PL011_ON_TRANSMIT;
    }
    return 0u;
}
