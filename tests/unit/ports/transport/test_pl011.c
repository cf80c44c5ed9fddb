/* SPDX-License-Identifier: MIT */
/* The PL011's driver against a model of the device, made after DDI 0183G, chapters 2 and 3. */
#include <string.h>

#include "cases.h"
#include "mmio.h"
#include "pl011.h"
#include "uart_contract.h"

#define BASE 0x09000000u
#define INT_RX 0x10u
#define INT_TX 0x20u
#define INT_RT 0x40u

static struct chip {
    uint32_t ibrd, fbrd, lcr, cr, ifls, imsc, ris;
    uint32_t divisor; /* in use, in 1/64 */
    unsigned depth;   /* of the FIFOs when on */
    struct uart_line line;
    uint16_t receive[64];
    unsigned receive_count;
    bool overrun; /* since the last byte that found room (table 3-2) */
    unsigned accesses, writes;
} chip;

static struct uart_line *const line = &chip.line;
static struct kymo_pl011 uart;

static unsigned depth(void) { return (chip.lcr & 0x10u) != 0 ? chip.depth : 1u; }

/* 2.8.2: by the transition through the level, here an eighth. */
static void on_moved(void) {
    if (line->count == depth() / 8u) {
        chip.ris |= INT_TX;
    }
}

static bool interrupts(void) { return (chip.ris & chip.imsc) != 0; }

/* "data" with its error bits, and then the line is quiet. */
static void chip_receives_with(uint16_t data) {
    if (chip.receive_count == depth()) {
        chip.overrun = true;
        return;
    }
    chip.receive[chip.receive_count++] = (uint16_t)(data | (chip.overrun ? 0x800u : 0u));
    chip.overrun = false;
    chip.ris |= INT_RT | (chip.receive_count >= depth() / 2u ? INT_RX : 0u);
}

static void chip_receives(uint8_t byte) { chip_receives_with(byte); }

static uint32_t take_received(void) {
    assert_true(chip.receive_count > 0);
    const uint16_t data = chip.receive[0];
    memmove(chip.receive, chip.receive + 1, --chip.receive_count * sizeof chip.receive[0]);
    if (chip.receive_count < depth() / 2u) {
        chip.ris &= ~INT_RX;
    }
    if (chip.receive_count == 0) {
        chip.ris &= ~INT_RT;
    }
    return data;
}

uint32_t mmio_get(uintptr_t address) {
    chip.accesses++;
    switch (address - BASE) {
    case 0x00:
        return take_received();
    case 0x18:
        return (uart_line_idle(line) ? 0u : 0x08u) | (chip.receive_count == 0 ? 0x10u : 0u) |
               (line->count >= depth() ? 0x20u : 0u) | (line->count == 0 ? 0x80u : 0u);
    case 0x2c:
        return chip.lcr;
    case 0x40:
        return chip.ris & chip.imsc;
    default:
        return uart_line_no_register(address - BASE);
    }
}

static void put_byte(uint8_t byte) {
    assert_int_equal(chip.cr & 0x101u, 0x101u);
    line->depth = depth();
    if (line->count + 1 > depth() / 8u && line->shifting) {
        chip.ris &= ~INT_TX;
    }
    uart_line_put(line, byte);
}

/* 3.3.7: with this write the divisor takes effect. 3.3.8: not while the UART is on. */
static void put_line(uint32_t value) {
    assert_int_equal(chip.cr & 1u, 0);
    if ((value & 0x10u) == 0) {
        line->count = chip.receive_count = 0;
    }
    chip.lcr = value;
    chip.divisor = chip.ibrd * 64u + chip.fbrd;
}

void mmio_put(uintptr_t address, uint32_t value) {
    uint32_t *const registers[] = {&chip.ibrd, &chip.fbrd, NULL, &chip.cr, &chip.ifls, &chip.imsc};
    chip.accesses++;
    chip.writes++;
    switch (address - BASE) {
    case 0x00:
        put_byte((uint8_t)value);
        break;
    case 0x24:
    case 0x28:
    case 0x30:
    case 0x34:
    case 0x38:
        *registers[(address - BASE - 0x24u) / 4u] = value;
        break;
    case 0x2c:
        put_line(value);
        break;
    case 0x44:
        chip.ris &= ~value;
        break;
    default:
        (void)uart_line_no_register(address - BASE);
    }
}

static bool init(uint32_t clock_hz, uint32_t baud) {
    const struct kymo_pl011_config config = {.base = BASE, .clock_hz = clock_hz, .baud = baud};
    return kymo_pl011_init(&uart, &config);
}

/* The chip as a boot loader may have left it: on, with bytes in it and interrupts. */
static void power_on(unsigned fifo_depth) {
    memset(&chip, 0, sizeof chip);
    chip.depth = fifo_depth;
    line->moved = on_moved;
    chip.lcr = 0x10;
    chip.cr = 0x301;
    chip.imsc = chip.ris = 0x7ff;
    chip.receive_count = 3;
    line->count = 3;
    assert_true(init(24000000, 115200));
    line->transport = kymo_pl011_transport(&uart);
    line->depth = fifo_depth;
    chip.accesses = 0;
}

FIXTURE(set_up) {
    power_on(16);
    return 0;
}

FIXTURE(set_up_deep) {
    power_on(32);
    return 0;
}

static uint32_t divisor(void) { return chip.divisor; }

UART_DRIVER(pl011, &uart);

static const struct uart_contract contract = {
    UART_DRIVER_ROWS(chip, KYMO_PL011),
    .init = init,
    .divisor = divisor,
    .clocks = 16,
    .parts = 64,
    .least = 64,
    .most = 65535u * 64u,
    .room = 17,
    .read_looks = 1,
    .come = "sixteen bytes fit, not more",
    .kept = "sixteen bytes fi",
    .errors = &uart.receive_errors,
};

CASE(init_sets_the_line, set_up) {
    assert_int_equal(chip.lcr, 0x70);
    assert_int_equal(chip.cr & 0x301u, 0x301);
    assert_int_equal(chip.imsc, 0);
    assert_int_equal(chip.ris, 0);
    assert_int_equal(chip.receive_count, 0);
    assert_int_equal(line->count, 0);
}

/* The manual's example first (3.3.6: 230400 baud of 4 MHz is 1 + 5/64), then rounding. */
CASE(divisors_have_a_fraction, set_up) {
    static const uint32_t table[][3] = {
        {4000000, 230400, 64 + 5},       {24000000, 115200, 13 * 64 + 1}, /* 13.0208 */
        {48000000, 921600, 3 * 64 + 16},                                  /* 3.2552: 16.33 / 64 */
        {48000000, 460800, 6 * 64 + 33},                                  /* 6.5104: 32.67 / 64 */
        {125000000, 7812500, 64},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        assert_true(init(table[i][0], table[i][1]));
        assert_int_equal(chip.divisor, table[i][2]);
    }
}

CASE(boot_codes_line_may_stay, set_up) {
    assert_true(init(4000000, 230400));
    chip.lcr = 0x7e; /* 8 bits, even parity, 2 stop bits */
    assert_true(init(0, 0));
    assert_int_equal(chip.lcr, 0x7e);
    assert_int_equal(chip.divisor, 64 + 5);
}

CASE(any_pace_keeps_every_byte_of_a_deep_fifo, set_up_deep) { uart_line_keeps_every_byte(line); }

CASE(counts_errors, set_up) {
    uint8_t bytes[4];
    chip_receives('a');
    chip_receives_with('b' | 0x800);   /* overrun: one before it is lost */
    chip_receives_with(0x400 | 0x100); /* break, and so a framing error */
    assert_int_equal(uart_line_read(line, bytes, 2), 2);
    assert_int_equal(bytes[0], 'a');
    assert_int_equal(bytes[1], 'b');
    assert_int_equal(uart.receive_errors, 1);
    assert_int_equal(uart_line_read(line, bytes, 4), 1);
    assert_int_equal(bytes[0], 0);
    assert_int_equal(uart.receive_errors, 2);
}

CASES(contract, UART_CONTRACT_TESTS(set_up, contract));
