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

#define BASE 0x40002000u

static struct chip {
    uint32_t txdrdy, rxdrdy, error, errorsrc, interrupts, enable, baudrate, config;
    uint32_t pins[4]; /* RTS, TXD, CTS, RXD */
    int transmitting, receiving;
    int busy; /* a byte is going out */
    uint8_t shifter;
    unsigned transmit_overruns;
    uint8_t sent[1024];
    unsigned sent_count;
    uint8_t fifo[6];
    unsigned fifo_count;
    unsigned accesses, writes;
} chip;

static struct nrf_uart uart;
static const struct kymo_transport *transport;

static void chip_sends(void) {
    if (chip.busy) {
        chip.sent[chip.sent_count++] = chip.shifter;
        chip.busy = 0;
        chip.txdrdy = 1;
    }
}

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

static int chip_interrupts(void) {
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
        chip.transmit_overruns += chip.busy ? 1 : 0;
        chip.shifter = (uint8_t)value;
        chip.busy = 1;
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
    const struct nrf_uart_config config = {
        .base = BASE, .transmit_pin = 24, .receive_pin = 25, .baud = baud};
    return nrf_uart_init(&uart, &config);
}

static int set_up(void **state) {
    (void)state;
    memset(&chip, 0, sizeof chip);
    chip.interrupts = 0xfff;
    chip.rxdrdy = chip.txdrdy = chip.error = 1;
    chip.config = 0xf;
    assert_true(init(115200));
    transport = nrf_uart_transport(&uart);
    chip.accesses = 0;
    return 0;
}

static size_t write_out(const uint8_t *bytes, size_t length) {
    return transport->write(transport->context, bytes, length);
}

static size_t read_in(uint8_t *bytes, size_t length) {
    return transport->read(transport->context, bytes, length);
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
        assert_int_equal(write_out(bytes + given, sizeof bytes - given), 1);
        given++;
        assert_int_equal(write_out(bytes + given, sizeof bytes - given), 0);
        assert_false(nrf_uart_idle(&uart));
        chip_sends();
    }
    assert_true(nrf_uart_idle(&uart));
    assert_int_equal(chip.transmit_overruns, 0);
    assert_memory_equal(chip.sent, bytes, sizeof bytes);
}

static void never_waits(void **state) {
    (void)state;
    uint8_t bytes[16] = {0};
    assert_int_equal(write_out(bytes, 16), 1);
    chip.accesses = 0;
    assert_int_equal(write_out(bytes, 16), 0);
    assert_int_equal(chip.accesses, 1);
    assert_int_equal(read_in(bytes, 16), 0);
    assert_int_equal(chip.accesses, 3);
}

static void gives_what_was_received(void **state) {
    (void)state;
    uint8_t bytes[8];
    for (uint8_t i = 0; i < 7; i++) {
        chip_receives((uint8_t)('a' + i));
    }
    assert_int_equal(read_in(bytes, 2), 2);
    assert_int_equal(read_in(bytes + 2, 6), 4);
    assert_memory_equal(bytes, "abcdef", 6);
    assert_int_equal(uart.receive_errors, 1);
    assert_int_equal(chip.errorsrc, 0);
    assert_int_equal(read_in(bytes, 8), 0);
    assert_int_equal(uart.receive_errors, 1);
}

static void sends_by_interrupt(void **state) {
    (void)state;
    const uint8_t bytes[] = "by interrupt";
    nrf_uart_interrupts(&uart, NRF_UART_ON_TRANSMIT);
    size_t given = write_out(bytes, sizeof bytes);
    for (unsigned turn = 0; turn < 2 * sizeof bytes; turn++) {
        chip_sends();
        for (unsigned handled = 0; chip_interrupts(); handled++) {
            assert_in_range(handled, 0, 1);
            assert_int_equal(nrf_uart_cause(&uart), NRF_UART_ON_TRANSMIT);
            given += write_out(bytes + given, sizeof bytes - given);
        }
    }
    assert_int_equal(chip.sent_count, sizeof bytes);
    assert_memory_equal(chip.sent, bytes, sizeof bytes);
    assert_int_equal(nrf_uart_cause(&uart), 0);
}

static void tells_of_received_bytes(void **state) {
    (void)state;
    uint8_t bytes[4];
    nrf_uart_interrupts(&uart, NRF_UART_ON_RECEIVE);
    chip_receives('x');
    assert_true(chip_interrupts());
    assert_int_equal(nrf_uart_cause(&uart), NRF_UART_ON_RECEIVE);
    assert_int_equal(read_in(bytes, 4), 1);
    assert_false(chip_interrupts());
    chip.error = 1;
    assert_true(chip_interrupts());
    assert_int_equal(nrf_uart_cause(&uart), NRF_UART_ON_RECEIVE);
    assert_int_equal(read_in(bytes, 4), 0);
    assert_false(chip_interrupts());
}

#define TEST(name) cmocka_unit_test_setup(name, set_up)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(init_sets_the_line),      TEST(baud_rates_are_those_of_the_manual),
        TEST(a_byte_at_a_time),        TEST(never_waits),
        TEST(gives_what_was_received), TEST(sends_by_interrupt),
        TEST(tells_of_received_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
