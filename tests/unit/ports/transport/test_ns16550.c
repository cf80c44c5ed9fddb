/* SPDX-License-Identifier: MIT */
/* The 16550 driver against the model of the chip. */
#include <string.h>

#include "cases.h"
#include "model_16550.h"
#include "ns16550.h"
#include "uart_contract.h"

#define BASE 0x3f8u
#define STRIDE 2u

static struct model_16550 *const chip = &model_16550;
static struct uart_line *const line = &model_16550.line;
static struct kymo_ns16550 uart;

static const struct kymo_ns16550_config wiring = {
    .base = BASE,
    .stride = STRIDE,
    .clock_hz = 1843200,
    .baud = 115200,
    .get = model_16550_get,
    .put = model_16550_put,
};

static void power_on(unsigned transmit_depth) {
    model_16550_power_on(BASE, STRIDE, transmit_depth);
    chip->ier = 0x0f;
    assert_true(kymo_ns16550_init(&uart, &wiring));
    line->transport = kymo_ns16550_transport(&uart);
    chip->accesses = 0;
}

FIXTURE(set_up) {
    power_on(MODEL_16550_FIFO);
    return 0;
}

static bool init(uint32_t clock_hz, uint32_t baud) {
    struct kymo_ns16550_config config = wiring;
    config.clock_hz = clock_hz;
    config.baud = baud;
    return kymo_ns16550_init(&uart, &config);
}

static uint32_t divisor(void) { return chip->dll + chip->dlm * 256u; }

UART_DRIVER(ns16550, &uart);

static bool interrupts(void) { return model_16550_interrupts(); }

/* After that the line is quiet, so that a few bytes are reported, too. */
static void chip_receives(uint8_t byte) {
    model_16550_receives(byte);
    model_16550_run(4u * model_16550_character());
}

static const struct uart_contract contract = {
    UART_DRIVER_ROWS(model_16550, KYMO_NS16550),
    .init = init,
    .divisor = divisor,
    .clocks = 16,
    .parts = 1,
    .least = 1,
    .most = 0xffff,
    .room = MODEL_16550_FIFO,
    .read_looks = 1,
    .come = "sixteen bytes fit, not more",
    .kept = "sixteen bytes fi",
    .errors = &uart.receive_errors,
};

CASE(init_sets_the_line, set_up) {
    assert_int_equal(chip->lcr, 0x03);
    assert_int_equal(divisor(), 1);
    assert_int_equal(chip->fcr & 0x07, 0x07);
    assert_int_equal(chip->ier, 0);
    assert_int_equal(chip->mcr & 0x03, 0x03);
}

/* Divisors of the data sheet's table III (1.8432 MHz), and those of 50 MHz. */
CASE(divisors_are_those_of_the_data_sheet, set_up) {
    static const uint32_t table[][2] = {{50, 2304}, {9600, 12}, {19200, 6}, {38400, 3}, {56000, 2}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        assert_true(init(1843200, table[i][0]));
        assert_int_equal(divisor(), table[i][1]);
    }
    assert_true(init(50000000, 781250));
    assert_int_equal(divisor(), 4);
    assert_false(init(50000000, 921600)); /* 3.39: +13 % or -15 % */
}

CASE(baud_0_leaves_the_line_alone, set_up) {
    chip->lcr = 0x1b;
    chip->dll = 7;
    assert_true(init(1843200, 0));
    assert_int_equal(chip->lcr, 0x1b);
    assert_int_equal(chip->dll, 7);
}

/* Accepted bytes arrive; the model sees a line set wrong by others. */
CASE(the_far_end_reads_what_is_sent, set_up) {
    const uint8_t bytes[4] = {1, 2, 3, 4};
    chip->far_bit_cycles = UINT64_C(50000000000) / 921600u;
    assert_true(init(50000000, 0));
    chip->dll = 3;
    assert_int_equal(uart_line_write(line, bytes, 4), 4);
    model_16550_run(5u * model_16550_character());
    assert_int_equal(chip->damaged, 4);
    chip->far_bit_cycles = UINT64_C(50000000000) / 775000u;
    assert_true(init(50000000, 775000));
    assert_int_equal(uart_line_write(line, bytes, 4), 4);
    model_16550_run(5u * model_16550_character());
    assert_int_equal(chip->damaged, 4);
    uart_line_has_sent(line, (const uint8_t[]){1, 2, 3, 4, 1, 2, 3, 4}, 8);
}

CASE(fills_the_fifo_and_returns, set_up) {
    uint8_t bytes[100];
    for (unsigned i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(i + 1);
    }
    assert_int_equal(uart_line_write(line, bytes, sizeof bytes), 16);
    assert_int_equal(uart_line_write(line, bytes + 16, 84), 0);
    uart_line_sends(line, 14); /* one is still in the FIFO, one in the shift register */
    assert_int_equal(uart_line_write(line, bytes + 16, 84),
                     0); /* not empty: how much fits is not known */
    uart_line_sends(line, 1);
    assert_int_equal(uart_line_write(line, bytes + 16, 84), 16);
    uart_line_sends(line, 17);
    uart_line_has_sent(line, bytes, 32);
}

CASE(short_writes_share_the_fifo, set_up) {
    const uint8_t bytes[20] = "abcdefghijklmnopqrs";
    assert_int_equal(uart_line_write(line, bytes, 5), 5);
    assert_int_equal(uart_line_write(line, bytes + 5, 15), 11);
    assert_int_equal(uart_line_write(line, bytes + 16, 4), 0);
    uart_line_sends(line, 16);
    assert_int_equal(uart_line_write(line, bytes + 16, 4), 4);
    uart_line_sends(line, 4);
    uart_line_has_sent(line, bytes, 20);
    assert_int_equal(uart_line_write(line, bytes, 0), 0);
}

CASE(without_fifo_a_byte_at_a_time, set_up) {
    power_on(1);
    const uint8_t bytes[3] = "xyz";
    assert_int_equal(uart_line_write(line, bytes, 3), 2); /* the first is in the shift register */
    assert_int_equal(uart_line_write(line, bytes + 2, 1), 0);
    uart_line_sends(line, 1);
    assert_int_equal(uart_line_write(line, bytes + 2, 1), 1);
    assert_int_equal(line->overruns, 0);
}

CASE(deeper_fifo_is_used, set_up) {
    struct kymo_ns16550_config config = wiring;
    config.fifo_bytes = 64;
    line->depth = 64;
    assert_true(kymo_ns16550_init(&uart, &config));
    const uint8_t bytes[100] = {0};
    assert_int_equal(uart_line_write(line, bytes, 100), 64);
    assert_int_equal(line->overruns, 0);
}

/* Bytes that come at the line's own pace: one that is read in time is not lost, the 17th unread
 * one is. */
CASE(a_late_reader_overruns, set_up) {
    static const uint8_t bytes[40] = "0123456789abcdefghijklmnopqrstuvwxyzABC";
    uint8_t read[40];
    model_16550_far_sends(bytes, 40);
    for (size_t count = 0; count < 20; count += 10) {
        model_16550_run(10u * model_16550_character());
        assert_int_equal(uart_line_read(line, read + count, 40), 10);
    }
    model_16550_run(20u * model_16550_character());
    assert_int_equal(chip->overruns, 4);
    assert_int_equal(uart_line_read(line, read + 20, 40), 16);
    assert_memory_equal(read, bytes, 36);
    assert_int_equal(uart.receive_errors, 1);
}

/* Any read of LSR clears its error bits. */
CASE(counts_errors_seen_on_either_way, set_up) {
    uint8_t bytes[1];
    chip->errors = 0x02;
    assert_int_equal(uart_line_read(line, bytes, 1), 0);
    chip->errors = 0x08;
    assert_int_equal(uart_line_write(line, (const uint8_t *)"a", 1), 1);
    assert_int_equal(uart.receive_errors, 2);
}

/* The interrupt comes with the transition to an empty FIFO and with its enable bit, and
 * identifying it takes it away. */
CASE(the_transmit_interrupt_is_told_once, set_up) {
    choose(KYMO_NS16550_ON_TRANSMIT);
    assert_int_equal(cause(), KYMO_NS16550_ON_TRANSMIT);
    assert_int_equal(cause(), 0);
    model_16550_run(1000u * model_16550_character());
    assert_int_equal(cause(), 0); /* silence brings none */
    choose(KYMO_NS16550_ON_TRANSMIT);
    assert_int_equal(cause(), 0); /* nor does choosing the same */
    choose(0);
    choose(KYMO_NS16550_ON_TRANSMIT);
    assert_int_equal(cause(), KYMO_NS16550_ON_TRANSMIT);
}

CASE(all_causes_are_acknowledged, set_up) {
    uint8_t bytes[1];
    choose(KYMO_NS16550_ON_RECEIVE | KYMO_NS16550_ON_TRANSMIT);
    chip->errors = 0x02;
    chip_receives('x');
    assert_int_equal(cause(), KYMO_NS16550_ON_RECEIVE); /* after the line status */
    assert_int_equal(chip->errors, 0);
    assert_int_equal(uart_line_read(line, bytes, 1), 1);
    assert_int_equal(cause(), KYMO_NS16550_ON_TRANSMIT);
    assert_int_equal(cause(), 0);
    for (unsigned i = 0; i < 8; i++) {
        model_16550_receives('y'); /* the level, without waiting */
    }
    assert_int_equal(cause(), KYMO_NS16550_ON_RECEIVE);
}

static uint8_t stuck_get(uintptr_t address) {
    chip->accesses++;
    return (address - BASE) / STRIDE == 2u ? 0x06u : 0x02u;
}

/* A line status that never goes away must not hold the handler. */
CASE(a_stuck_cause_ends, set_up) {
    uart.get = stuck_get;
    assert_int_equal(cause(), 0);
    assert_true(chip->accesses <= 8);
}

/* Registers in memory, at strides 1 and 4: the last register written by init is MCR, number 4. */
CASE(memory_registers_of_both_widths, set_up) {
    uint8_t narrow[8] = {0};
    struct kymo_ns16550_config config = {
        .base = (uintptr_t)narrow, .clock_hz = 1843200, .baud = 9600};
    assert_true(kymo_ns16550_init(&uart, &config));
    assert_int_equal(narrow[3], 0x03);
    assert_int_not_equal(narrow[4], 0);
    assert_int_equal(narrow[0], 12);

    uint32_t wide[8] = {0};
    config.base = (uintptr_t)wide;
    config.stride = 4;
    config.access_bytes = 4;
    assert_true(kymo_ns16550_init(&uart, &config));
    assert_int_equal(wide[3], 0x03);
    assert_int_not_equal(wide[4], 0);
    assert_int_equal(wide[0], 12);
    config.access_bytes = 2;
    assert_false(kymo_ns16550_init(&uart, &config));
}

CASES(contract, UART_CONTRACT_TESTS(set_up, contract));
