/* SPDX-License-Identifier: MIT */
/* The mini UART's driver against a model of the device, made after "BCM2835 ARM Peripherals", 2.2. */
#include <string.h>

#include "bcm2835_miniuart.h"
#include "cases.h"
#include "mmio.h"
#include "uart_contract.h"

#define BASE 0x3f215000u
#define DEPTH 8u

static struct chip {
    uint32_t enables, ier, lcr, mcr, cntl, baud, overrun;
    struct uart_line line;
    unsigned accesses, writes;
} chip;

static struct uart_line *const line = &chip.line;
static struct kymo_bcm2835_miniuart uart;

static void chip_receives(uint8_t byte) {
    chip.overrun = uart_line_arrives(line, byte) ? chip.overrun : 2u;
}

/* The interrupt line: bits 2 and 3 must be set for received bytes. */
static bool interrupts(void) {
    return ((chip.ier & 0x0du) == 0x0du && line->received_count > 0) ||
           ((chip.ier & 0x02u) != 0 && line->count == 0);
}

static uint32_t line_status(void) {
    const uint32_t status = (line->received_count > 0 ? 0x01u : 0u) | chip.overrun |
                            (line->count < DEPTH ? 0x20u : 0u) |
                            (uart_line_idle(line) ? 0x40u : 0u);
    chip.overrun = 0;
    return status;
}

uint32_t mmio_get(uintptr_t address) {
    chip.accesses++;
    switch (address - BASE) {
    case 0x04:
        return chip.enables;
    case 0x40:
        return uart_line_take(line);
    case 0x54:
        return line_status();
    default:
        return uart_line_no_register(address - BASE);
    }
}

void mmio_put(uintptr_t address, uint32_t value) {
    const uintptr_t offset = address - BASE;
    uint32_t *const registers[] = {NULL, &chip.ier, NULL,       &chip.lcr, &chip.mcr, NULL,
                                   NULL, NULL,      &chip.cntl, NULL,      &chip.baud};
    chip.accesses++;
    chip.writes++;
    if (offset == 0x04) {
        chip.enables = value;
        return;
    }
    assert_true((chip.enables & 1u) != 0); /* else the registers are not there */
    if (offset == 0x40) {
        assert_int_equal(chip.cntl & 2u, 2u);
        uart_line_put(line, (uint8_t)value);
    } else if (offset == 0x48) {
        line->received_count = (value & 2u) != 0 ? 0 : line->received_count;
        line->count = (value & 4u) != 0 ? 0 : line->count;
    } else {
        assert_true(offset >= 0x44 && offset <= 0x68 && registers[(offset - 0x40) / 4] != NULL);
        *registers[(offset - 0x40) / 4] = value;
    }
}

static bool init(uint32_t clock_hz, uint32_t baud) {
    const struct kymo_bcm2835_miniuart_config config = {BASE, clock_hz, baud};
    return kymo_bcm2835_miniuart_init(&uart, &config);
}

FIXTURE(set_up) {
    memset(&chip, 0, sizeof chip);
    line->depth = line->receive_depth = DEPTH;
    chip.enables = 6; /* both SPIs */
    chip.ier = 0x0f;
    line->received_count = 2;
    assert_true(init(250000000, 115200));
    line->transport = kymo_bcm2835_miniuart_transport(&uart);
    chip.accesses = 0;
    return 0;
}

static uint32_t divisor(void) { return chip.baud + 1u; }

UART_DRIVER(bcm2835_miniuart, &uart);

static const struct uart_contract contract = {
    UART_DRIVER_ROWS(chip, KYMO_BCM2835_MINIUART),
    .init = init,
    .divisor = divisor,
    .clocks = 8,
    .parts = 1,
    .least = 1,
    .most = 0x10000,
    .room = DEPTH + 1,
    .read_looks = 1,
    .come = "eight fit",
    .kept = "eight fi",
    .errors = &uart.receive_errors,
};

CASE(init_sets_the_line, set_up) {
    assert_int_equal(chip.enables, 7);
    assert_int_equal(chip.baud, 270);
    assert_int_equal(chip.lcr, 3);
    assert_int_equal(chip.cntl, 3);
    assert_int_equal(chip.ier, 0);
    assert_int_equal(line->received_count, 0);
}

/* An overrun is reported once, to the first call that looks: here to a write. */
CASE(a_write_sees_an_overrun, set_up) {
    uint8_t bytes[16] = {0};
    for (unsigned i = 0; i < 10; i++) {
        chip_receives((uint8_t)('a' + i));
    }
    assert_int_equal(uart_line_write(line, bytes, 1), 1);
    assert_int_equal(uart.receive_errors, 1);
    assert_int_equal(uart_line_read(line, bytes, 16), DEPTH);
    assert_memory_equal(bytes, "abcdefgh", DEPTH);
    assert_int_equal(uart_line_read(line, bytes, 16), 0);
    assert_int_equal(uart.receive_errors, 1);
}

CASE(rates_of_the_raspberry_pi, set_up) {
    assert_true(init(250000000, 921600)); /* 33.91 */
    assert_int_equal(chip.baud, 33);
    assert_true(init(250000000, 1500000)); /* 20.83 */
    assert_int_equal(chip.baud, 20);
    assert_true(init(250000000, 1530000)); /* 20.42 */
    assert_int_equal(chip.baud, 19);
    assert_false(init(250000000, 13000000)); /* 2.40 */
}

CASES(contract, UART_CONTRACT_TESTS(set_up, contract));
