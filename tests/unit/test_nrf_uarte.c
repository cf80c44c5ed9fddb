/* The nRF UARTE's driver against a model of the device, made after the nRF52840 Product Specification
 * 1.7, 6.34. It fetches each byte only when the line is ready for it, as the chip does, so a buffer that
 * is filled too early is seen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "dma_line.h"
#include "mmio.h"
#include "nrf_uarte.h"

#define BASE 0x40002000u
#define FIFO_BYTES 4u

static struct kymo_nrf_uarte uart;

static struct chip {
    uint32_t endrx, endtx, error, errorsrc, interrupts, enable, baudrate, config, shorts;
    uint32_t pins[4]; /* RTS, TXD, CTS, RXD */
    uint32_t txd_ptr, txd_maxcnt, rxd_ptr, rxd_maxcnt;
    bool sending, fetched, receiving;
    uint8_t fifo[FIFO_BYTES];
    unsigned fifo_count;
} chip;

static struct uart_line *const line = &dma.line;

static void piece_fetched(void) { chip.fetched = true; }

static void on_left(void) {
    if (chip.sending && chip.fetched && uart_line_idle(line)) {
        chip.sending = false;
        chip.endtx = 1;
    }
}

static void start_sending(void) {
    assert_int_equal(chip.enable, 8);
    assert_false(chip.sending);
    assert_in_range(chip.txd_maxcnt, 1, 255);
    chip.sending = true;
    chip.fetched = false;
    dma_line_start(chip.txd_ptr, chip.txd_maxcnt);
}

static void store_received(void) {
    if (chip.receiving && chip.fifo_count > 0) {
        assert_int_equal(chip.rxd_ptr, (uint32_t)(uintptr_t)&uart.in);
        assert_int_equal(chip.rxd_maxcnt, 1);
        uart.in = chip.fifo[0];
        memmove(chip.fifo, chip.fifo + 1, --chip.fifo_count);
        chip.receiving = false;
        chip.endrx = 1;
    }
}

static void chip_receives(uint8_t byte) {
    if (chip.fifo_count == FIFO_BYTES) {
        chip.error = 1;
        chip.errorsrc |= 1;
        return;
    }
    chip.fifo[chip.fifo_count++] = byte;
    store_received();
}

static bool chip_interrupts(void) {
    return (chip.interrupts & (chip.endrx << 4 | chip.endtx << 8 | chip.error << 9)) != 0;
}

uint32_t mmio_get(uintptr_t address) {
    dma_line_access(false);
    switch (address - BASE) {
    case 0x110:
        return chip.endrx;
    case 0x120:
        return chip.endtx;
    case 0x124:
        return chip.error;
    case 0x480:
        return chip.errorsrc;
    default:
        fail_msg("read at offset 0x%x", (unsigned)(address - BASE));
        return 0;
    }
}

/* The registers that only keep what is written. */
static uint32_t *plain_register(uintptr_t offset) {
    switch (offset) {
    case 0x110:
        return &chip.endrx;
    case 0x120:
        return &chip.endtx;
    case 0x124:
        return &chip.error;
    case 0x200:
        return &chip.shorts;
    case 0x500:
        return &chip.enable;
    case 0x508:
    case 0x50c:
    case 0x510:
    case 0x514:
        return &chip.pins[(offset - 0x508) / 4];
    case 0x524:
        return &chip.baudrate;
    case 0x534:
        return &chip.rxd_ptr;
    case 0x538:
        return &chip.rxd_maxcnt;
    case 0x544:
        return &chip.txd_ptr;
    case 0x548:
        return &chip.txd_maxcnt;
    case 0x56c:
        return &chip.config;
    default:
        fail_msg("write at offset 0x%x", (unsigned)offset);
        return NULL;
    }
}

void mmio_put(uintptr_t address, uint32_t value) {
    dma_line_access(true);
    switch (address - BASE) {
    case 0x000:
        assert_int_equal(value, 1);
        chip.receiving = true;
        store_received();
        break;
    case 0x008:
        assert_int_equal(value, 1);
        start_sending();
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
    default:
        *plain_register(address - BASE) = value;
    }
}

static bool init(uint32_t baud) {
    const struct kymo_nrf_uarte_config config = {
        .base = BASE, .transmit_pin = 6, .receive_pin = 8, .baud = baud};
    return kymo_nrf_uarte_init(&uart, &config);
}

static int set_up(void **state) {
    (void)state;
    memset(&chip, 0, sizeof chip);
    dma_line_reset(1, uart.out, sizeof uart.out, piece_fetched);
    line->left = on_left;
    chip.interrupts = 0x7fffff;
    chip.endrx = chip.endtx = chip.error = 1;
    chip.config = 0xf;
    chip.shorts = 0x60;
    assert_true(init(115200));
    line->transport = kymo_nrf_uarte_transport(&uart);
    dma.accesses = 0;
    return 0;
}

static void init_sets_the_line(void **state) {
    (void)state;
    assert_int_equal(chip.pins[0], 0xffffffffu);
    assert_int_equal(chip.pins[1], 6);
    assert_int_equal(chip.pins[2], 0xffffffffu);
    assert_int_equal(chip.pins[3], 8);
    assert_int_equal(chip.config, 0);
    assert_int_equal(chip.shorts, 0);
    assert_int_equal(chip.enable, 8);
    assert_int_equal(chip.interrupts & 0x310, 0);
    assert_true(chip.receiving);
    assert_int_equal(chip.endrx + chip.endtx + chip.error, 0);
}

/* Each value of the manual's table is near to baud * 2^32 / 16 MHz, which is what the chip makes of it. */
static void baud_rates_are_those_of_the_manual(void **state) {
    (void)state;
    static const uint32_t rates[] = {1200,   2400,   4800,   9600,   14400,  19200,
                                     28800,  31250,  38400,  56000,  57600,  76800,
                                     115200, 230400, 250000, 460800, 921600, 1000000};
    for (unsigned i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        assert_true(init(rates[i]));
        const uint64_t exact = ((uint64_t)rates[i] << 32) / 16000000u;
        assert_in_range(chip.baudrate, exact - exact / 40, exact + exact / 40);
    }
    assert_int_equal(chip.baudrate, 0x10000000);
    assert_true(init(115200));
    assert_int_equal(chip.baudrate, 0x01d60000);
    dma.writes = 0;
    assert_false(init(115201));
    assert_false(init(0));
    assert_int_equal(dma.writes, 0);
}

/* While a piece goes out the next one is filled; idle when the last byte has left. */
static void a_piece_at_a_time(void **state) {
    (void)state;
    uint8_t bytes[KYMO_NRF_UARTE_BYTES + 10];
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(i * 7);
    }
    assert_true(kymo_nrf_uarte_idle(&uart));
    assert_int_equal(uart_line_write(line, bytes, 0), 0);
    assert_int_equal(uart_line_write(line, bytes, 10), 10);
    assert_int_equal(uart_line_write(line, bytes + 10, KYMO_NRF_UARTE_BYTES),
                     KYMO_NRF_UARTE_BYTES - 10);
    uart_line_sends(line, 9);
    assert_int_equal(uart_line_write(line, bytes + KYMO_NRF_UARTE_BYTES, 10), 0);
    uart_line_sends(line, 1);
    assert_int_equal(uart_line_write(line, bytes + KYMO_NRF_UARTE_BYTES, 10), 10);
    uart_line_sends(line, KYMO_NRF_UARTE_BYTES - 10);
    assert_false(kymo_nrf_uarte_idle(&uart));
    uart_line_sends(line, 9);
    assert_false(kymo_nrf_uarte_idle(&uart));
    uart_line_sends(line, 1);
    assert_true(kymo_nrf_uarte_idle(&uart));
    uart_line_has_sent(line, bytes, sizeof bytes);
}

static bool idle(void) { return kymo_nrf_uarte_idle(&uart); }

static unsigned cause(void) { return kymo_nrf_uarte_cause(&uart); }

static void by_interrupt(void) {
    kymo_nrf_uarte_interrupts(&uart, KYMO_NRF_UARTE_ON_TRANSMIT);
    dma.interrupts = chip_interrupts;
    dma.cause = cause;
}

static void any_order_keeps_every_byte(void **state) {
    (void)state;
    dma_line_keeps_every_byte(set_up, idle, NULL);
    dma_line_keeps_every_byte(set_up, idle, by_interrupt);
}

static void never_waits(void **state) {
    (void)state;
    uart_line_never_waits(line, dma.ring_bytes, 3, &dma.accesses);
}

/* The buffer, the chip's own few, and what finds no room. */
static void gives_what_was_received(void **state) {
    (void)state;
    uart_line_gives(line, chip_receives, "abcdef", "abcde");
    assert_int_equal(uart.receive_errors, 1);
    assert_int_equal(chip.errorsrc, 0);
    uart_line_gives(line, chip_receives, "z", "z");
    assert_int_equal(uart.receive_errors, 1);
}

static void sends_by_interrupt(void **state) {
    (void)state;
    kymo_nrf_uarte_interrupts(&uart, KYMO_NRF_UARTE_ON_TRANSMIT);
    uart_line_sends_by_interrupt(line, chip_interrupts, cause, KYMO_NRF_UARTE_ON_TRANSMIT);
}

static void tells_of_received_bytes(void **state) {
    (void)state;
    kymo_nrf_uarte_interrupts(&uart, KYMO_NRF_UARTE_ON_RECEIVE);
    assert_int_equal(kymo_nrf_uarte_cause(&uart), 0);
    chip_receives('x');
    uart_line_tells_of_received(line, chip_interrupts, cause, KYMO_NRF_UARTE_ON_RECEIVE, 1);
    chip.error = 1;
    uart_line_tells_of_received(line, chip_interrupts, cause, KYMO_NRF_UARTE_ON_RECEIVE, 0);
    chip_receives('y');
    kymo_nrf_uarte_interrupts(&uart, KYMO_NRF_UARTE_ON_TRANSMIT);
    assert_int_equal(cause(),
                     0); /* unasked it is none, or a handler that does not read would hang */
}

static void a_receive_interrupt_starts_nothing(void **state) {
    (void)state;
    kymo_nrf_uarte_interrupts(&uart, KYMO_NRF_UARTE_ON_RECEIVE);
    dma_line_is_left_alone(cause, idle);
}

#define TEST(name) cmocka_unit_test_setup(name, set_up)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(init_sets_the_line),
        TEST(baud_rates_are_those_of_the_manual),
        TEST(a_piece_at_a_time),
        TEST(any_order_keeps_every_byte),
        TEST(never_waits),
        TEST(gives_what_was_received),
        TEST(sends_by_interrupt),
        TEST(tells_of_received_bytes),
        TEST(a_receive_interrupt_starts_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
