/* SPDX-License-Identifier: MIT */
/* The driver of SiFive's UART against a model of the device, made after the FE310-G002 manual, v19p05, chapter 18. */
#include <string.h>

#include "cases.h"
#include "mmio.h"
#include "sifive_uart.h"
#include "uart_contract.h"

#define BASE 0x10013000u
#define DEPTH 8u

static struct chip {
    uint32_t txctrl, rxctrl, ie, div;
    struct uart_line line;
    unsigned accesses, writes;
} chip;

static struct uart_line *const line = &chip.line;
static struct kymo_sifive_uart uart;

/* 18.7: bytes that find no room are lost, without a report. */
static void chip_receives(uint8_t byte) { (void)uart_line_arrives(line, byte); }

/* 18.8: by the levels alone, "less than txcnt" and "more than rxcnt". */
static uint32_t pending(void) {
    return (line->count < chip.txctrl >> 16 ? 1u : 0u) |
           (line->received_count > chip.rxctrl >> 16 ? 2u : 0u);
}

static bool interrupts(void) { return (pending() & chip.ie) != 0; }

uint32_t mmio_get(uintptr_t address) {
    chip.accesses++;
    switch (address - BASE) {
    case 0x00:
        return line->count >= DEPTH ? 0x80000000u : 0u;
    case 0x04:
        return line->received_count == 0 ? 0x80000041u : uart_line_take(line);
    case 0x10:
        return chip.ie;
    case 0x14:
        return pending();
    default:
        return uart_line_no_register(address - BASE);
    }
}

void mmio_put(uintptr_t address, uint32_t value) {
    chip.accesses++;
    chip.writes++;
    switch (address - BASE) {
    case 0x00:
        assert_int_equal(chip.txctrl & 1u, 1);
        uart_line_put(line, (uint8_t)value);
        break;
    case 0x08:
        chip.txctrl = value;
        break;
    case 0x0c:
        chip.rxctrl = value;
        break;
    case 0x10:
        chip.ie = value;
        break;
    case 0x18:
        chip.div = value;
        break;
    default:
        (void)uart_line_no_register(address - BASE);
    }
}

static bool init(uint32_t clock_hz, uint32_t baud) {
    const struct kymo_sifive_uart_config config = {
        .base = BASE, .clock_hz = clock_hz, .baud = baud};
    return kymo_sifive_uart_init(&uart, &config);
}

FIXTURE(set_up) {
    memset(&chip, 0, sizeof chip);
    line->depth = line->receive_depth = DEPTH;
    chip.ie = 3u;
    assert_true(init(16000000u, 115200u));
    line->transport = kymo_sifive_uart_transport(&uart);
    chip.accesses = 0;
    return 0;
}

static uint32_t divisor(void) { return chip.div + 1u; }

UART_DRIVER(sifive_uart, &uart);

static const struct uart_contract contract = {
    UART_DRIVER_ROWS(chip, KYMO_SIFIVE_UART),
    .init = init,
    .divisor = divisor,
    .clocks = 1,
    .parts = 1,
    .least = 16,
    .most = 0x10000,
    .room = DEPTH + 1,
    .read_looks = 1,
    .early = 1,
    .come = "eight fit",
    .kept = "eight fi",
};

CASE(init_sets_the_line, set_up) {
    assert_int_equal(chip.div, 138); /* the manual's example: 16 MHz, 115200 baud */
    assert_int_equal(chip.txctrl, 0x10001);
    assert_int_equal(chip.rxctrl, 1);
    assert_int_equal(chip.ie, 0);
}

CASE(a_divisor_of_the_boot_code_may_stay, set_up) {
    chip.div = 7u;
    assert_true(init(0u, 0u));
    assert_int_equal(chip.div, 7);
}

CASE(a_polled_transmitter_never_interrupts, set_up) {
    assert_int_equal(uart_line_write(line, (const uint8_t *)"a", 1u), 1);
    assert_int_equal(cause(), 0);
    assert_int_equal(chip.ie, 0);
}

CASES(contract, UART_CONTRACT_TESTS(set_up, contract));
