/* The nRF UART's driver against a model of the device, made after the nRF51 Series Reference Manual 3.0,
 * chapter 29. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mmio.h"
#include "nrf_uart.h"
#include "uart_line.h"

#define BASE 0x40002000u

static struct chip {
    uint32_t txdrdy, rxdrdy, error, errorsrc, interrupts, enable, baudrate, config;
    uint32_t pins[4]; /* RTS, TXD, CTS, RXD */
    int transmitting, receiving;
    struct uart_line line;
    uint8_t fifo[6];
    unsigned fifo_count;
    unsigned accesses, writes;
} chip;

static struct uart_line *const line = &chip.line;
static struct kymo_nrf_uart uart;

static void on_left(void) { chip.txdrdy = 1; }

/* RXDRDY tells of the byte that has come to the front. */
static void chip_receives(uint8_t byte) {
    if (chip.fifo_count == sizeof chip.fifo) {
        chip.error = 1;
        chip.errorsrc |= 1;
        return;
    }
    chip.fifo[chip.fifo_count++] = byte;
    if (chip.fifo_count == 1) {
        chip.rxdrdy = 1;
    }
}

static uint8_t take_received(void) {
    assert_int_not_equal(chip.fifo_count, 0);
    const uint8_t byte = chip.fifo[0];
    memmove(chip.fifo, chip.fifo + 1, --chip.fifo_count);
    if (chip.fifo_count > 0) {
        chip.rxdrdy = 1;
    }
    return byte;
}

static bool chip_interrupts(void) {
    return (chip.interrupts & (chip.rxdrdy << 2 | chip.txdrdy << 7 | chip.error << 9)) != 0;
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
        fail_msg("read at offset 0x%x", (unsigned)(address - BASE));
        return 0;
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
        chip.interrupts |= value;
        break;
    case 0x308:
        chip.interrupts &= ~value;
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
        fail_msg("write at offset 0x%x", (unsigned)(address - BASE));
    }
}

static bool init(uint32_t baud) {
    const struct kymo_nrf_uart_config config = {
        .base = BASE, .transmit_pin = 24, .receive_pin = 25, .baud = baud};
    return kymo_nrf_uart_init(&uart, &config);
}

static int set_up(void **state) {
    (void)state;
    memset(&chip, 0, sizeof chip);
    line->depth = 1;
    line->left = on_left;
    chip.interrupts = 0xfff;
    chip.rxdrdy = chip.txdrdy = chip.error = 1;
    chip.config = 0xf;
    assert_true(init(115200));
    line->transport = kymo_nrf_uart_transport(&uart);
    chip.accesses = 0;
    return 0;
}

static void init_sets_the_line(void **state) {
    (void)state;
    assert_int_equal(chip.pins[0], 0xffffffffu);
    assert_int_equal(chip.pins[1], 24);
    assert_int_equal(chip.pins[2], 0xffffffffu);
    assert_int_equal(chip.pins[3], 25);
    assert_int_equal(chip.config, 0);
    assert_int_equal(chip.enable, 4);
    assert_int_equal(chip.interrupts & 0x284, 0);
    assert_true(chip.receiving && chip.transmitting);
    assert_int_equal(chip.rxdrdy + chip.txdrdy + chip.error, 0);
}

/* Values of the manual's table of BAUDRATE. */
static void baud_rates_are_those_of_the_manual(void **state) {
    (void)state;
    static const uint32_t table[][2] = {
        {1200, 0x0004f000},   {2400, 0x0009d000},   {9600, 0x00275000},   {19200, 0x004ea000},
        {38400, 0x009d5000},  {57600, 0x00ebf000},  {76800, 0x013a9000},  {115200, 0x01d7e000},
        {230400, 0x03afb000}, {250000, 0x04000000}, {460800, 0x075f7000}, {921600, 0x0ebedfa4},
        {1000000, 0x10000000}};
    for (unsigned i = 0; i < sizeof table / sizeof table[0]; i++) {
        assert_true(init(table[i][0]));
        assert_int_equal(chip.baudrate,
                         (table[i][1] + 0x800) & ~0xfffu); /* one is not rounded there */
    }
    assert_int_equal(chip.baudrate, 0x10000000);
    chip.writes = 0;
    assert_false(init(1199));
    assert_false(init(1000001));
    assert_int_equal(chip.writes, 0);
}

static void a_byte_at_a_time(void **state) {
    (void)state;
    const uint8_t bytes[] = "one by one";
    size_t given = 0;
    while (given < sizeof bytes) {
        assert_int_equal(uart_line_write(line, bytes + given, sizeof bytes - given), 1);
        given++;
        assert_int_equal(uart_line_write(line, bytes + given, sizeof bytes - given), 0);
        assert_false(kymo_nrf_uart_idle(&uart));
        uart_line_sends(line, 1);
    }
    assert_true(kymo_nrf_uart_idle(&uart));
    uart_line_has_sent(line, bytes, sizeof bytes);
}

static void any_pace_keeps_every_byte(void **state) {
    (void)state;
    uart_line_keeps_every_byte(line);
}

static void never_waits(void **state) {
    (void)state;
    uart_line_never_waits(line, 1, 2, &chip.accesses);
}

static void gives_what_was_received(void **state) {
    (void)state;
    uart_line_gives(line, chip_receives, "abcdefg", "abcdef");
    assert_int_equal(uart.receive_errors, 1);
    assert_int_equal(chip.errorsrc, 0);
    uart_line_gives(line, chip_receives, "", "");
    assert_int_equal(uart.receive_errors, 1);
}

static unsigned cause(void) { return kymo_nrf_uart_cause(&uart); }

static void sends_by_interrupt(void **state) {
    (void)state;
    kymo_nrf_uart_interrupts(&uart, KYMO_NRF_UART_ON_TRANSMIT);
    uart_line_sends_by_interrupt(line, chip_interrupts, cause, KYMO_NRF_UART_ON_TRANSMIT);
}

static void tells_of_received_bytes(void **state) {
    (void)state;
    kymo_nrf_uart_interrupts(&uart, KYMO_NRF_UART_ON_RECEIVE);
    assert_int_equal(kymo_nrf_uart_cause(&uart), 0);
    chip_receives('x');
    uart_line_tells_of_received(line, chip_interrupts, cause, KYMO_NRF_UART_ON_RECEIVE, 1);
    chip.error = 1;
    uart_line_tells_of_received(line, chip_interrupts, cause, KYMO_NRF_UART_ON_RECEIVE, 0);
}

#define TEST(name) cmocka_unit_test_setup(name, set_up)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(init_sets_the_line), TEST(baud_rates_are_those_of_the_manual),
        TEST(a_byte_at_a_time),   TEST(any_pace_keeps_every_byte),
        TEST(never_waits),        TEST(gives_what_was_received),
        TEST(sends_by_interrupt), TEST(tells_of_received_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
