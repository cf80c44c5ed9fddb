/* SPDX-License-Identifier: MIT */
/* The nRF UART's driver against a model of the device, made after the nRF51 Series Reference Manual 3.0,
 * chapter 29. */
#include <string.h>

#include "cases.h"
#include "mmio.h"
#include "nrf_uart.h"
#include "uart_contract.h"

#define BASE 0x40002000u

static struct chip {
    uint32_t txdrdy, rxdrdy, error, errorsrc, inten, enable, baudrate, config;
    uint32_t pins[4]; /* RTS, TXD, CTS, RXD */
    int transmitting, receiving;
    struct uart_line line;
    unsigned accesses, writes;
} chip;

static struct uart_line *const line = &chip.line;
static struct kymo_nrf_uart uart;

static void on_left(void) { chip.txdrdy = 1; }

/* RXDRDY reports the byte that has come to the front. */
static void chip_receives(uint8_t byte) {
    if (!uart_line_arrives(line, byte)) {
        chip.error = 1;
        chip.errorsrc |= 1;
    } else if (line->received_count == 1) {
        chip.rxdrdy = 1;
    }
}

static uint8_t take_received(void) {
    const uint8_t byte = uart_line_take(line);
    if (line->received_count > 0) {
        chip.rxdrdy = 1;
    }
    return byte;
}

static bool interrupts(void) {
    return (chip.inten & (chip.rxdrdy << 2 | chip.txdrdy << 7 | chip.error << 9)) != 0;
}

uint32_t mmio_get(uintptr_t address) {
    chip.accesses++;
    switch (address - BASE) {
    case 0x108:
        return chip.rxdrdy;
    case 0x11c:
        return chip.txdrdy;
    case 0x124:
        return chip.error;
    case 0x480:
        return chip.errorsrc;
    case 0x518:
        return take_received();
    default:
        return uart_line_no_register(address - BASE);
    }
}

void mmio_put(uintptr_t address, uint32_t value) {
    chip.accesses++;
    chip.writes++;
    switch (address - BASE) {
    case 0x000:
        chip.receiving = value == 1;
        break;
    case 0x008:
        chip.transmitting = value == 1;
        break;
    case 0x108:
        chip.rxdrdy = value;
        break;
    case 0x11c:
        chip.txdrdy = value;
        break;
    case 0x124:
        chip.error = value;
        break;
    case 0x304:
        chip.inten |= value;
        break;
    case 0x308:
        chip.inten &= ~value;
        break;
    case 0x480:
        chip.errorsrc &= ~value;
        break;
    case 0x500:
        chip.enable = value;
        break;
    case 0x508:
    case 0x50c:
    case 0x510:
    case 0x514:
        chip.pins[(address - BASE - 0x508) / 4] = value;
        break;
    case 0x51c:
        assert_true(chip.transmitting && chip.enable == 4);
        line->overruns += uart_line_idle(line) ? 0 : 1; /* there is no FIFO */
        uart_line_put(line, (uint8_t)value);
        break;
    case 0x524:
        chip.baudrate = value;
        break;
    case 0x56c:
        chip.config = value;
        break;
    default:
        (void)uart_line_no_register(address - BASE);
    }
}

static bool init(uint32_t clock_hz, uint32_t baud) {
    (void)clock_hz; /* the chip has 16 MHz */
    const struct kymo_nrf_uart_config config = {
        .base = BASE, .transmit_pin = 24, .receive_pin = 25, .baud = baud};
    return kymo_nrf_uart_init(&uart, &config);
}

FIXTURE(set_up) {
    memset(&chip, 0, sizeof chip);
    line->depth = 1;
    line->receive_depth = 6;
    line->left = on_left;
    chip.inten = 0xfff;
    chip.rxdrdy = chip.txdrdy = chip.error = 1;
    chip.config = 0xf;
    assert_true(init(0, 115200));
    line->transport = kymo_nrf_uart_transport(&uart);
    chip.accesses = 0;
    return 0;
}

/* The manual's table of BAUDRATE, by its true rates. */
static const struct uart_rate rates[] = {
    {1205, 0x0004f000},   {2396, 0x0009d000},   {4808, 0x0013b000},   {9598, 0x00275000},
    {14414, 0x003b0000},  {19208, 0x004ea000},  {28829, 0x0075f000},  {38462, 0x009d5000},
    {57762, 0x00ebf000},  {76923, 0x013a9000},  {115942, 0x01d7e000}, {231884, 0x03afb000},
    {250000, 0x04000000}, {470588, 0x075f7000}, {941176, 0x0ebedfa4}, {1000000, 0x10000000},
};

static uint32_t divisor(void) { return chip.baudrate; }

UART_DRIVER(nrf_uart, &uart);

static const struct uart_contract contract = {
    UART_DRIVER_ROWS(chip, KYMO_NRF_UART),
    .init = init,
    .divisor = divisor,
    .rates = rates,
    .rate_count = sizeof rates / sizeof rates[0],
    .room = 1,
    .read_looks = 2,
    .come = "abcdefg",
    .kept = "abcdef",
    .errors = &uart.receive_errors,
};

CASE(init_sets_the_line, set_up) {
    assert_int_equal(chip.pins[0], 0xffffffffu);
    assert_int_equal(chip.pins[1], 24);
    assert_int_equal(chip.pins[2], 0xffffffffu);
    assert_int_equal(chip.pins[3], 25);
    assert_int_equal(chip.config, 0);
    assert_int_equal(chip.enable, 4);
    assert_int_equal(chip.inten & 0x284, 0);
    assert_true(chip.receiving && chip.transmitting);
    assert_int_equal(chip.rxdrdy + chip.txdrdy + chip.error, 0);
}

CASE(common_rates_are_accepted, set_up) {
    assert_true(init(0, 921600)); /* + 2.1 % */
    assert_int_equal(chip.baudrate, 0x0ebedfa4);
    assert_false(init(0, 56000)); /* 57762: + 3.1 % */
    assert_false(init(0, 31250));
    assert_false(init(0, 500000));
}

CASE(an_error_alone_is_taken_away, set_up) {
    choose(KYMO_NRF_UART_ON_RECEIVE);
    chip.error = chip.errorsrc = 1;
    uart_line_tells_of_received(line, interrupts, cause, KYMO_NRF_UART_ON_RECEIVE, 0);
    assert_int_equal(chip.errorsrc, 0);
}

CASES(contract, UART_CONTRACT_TESTS(set_up, contract));
