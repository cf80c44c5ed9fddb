/* The driver of SiFive's UART on registers in memory, which hold what the test wants to be read. The
 * FIFOs themselves run in the emulated chips, in e2e.sifive-*. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sifive_uart.h"

/* FE310-G002 manual, 18.3: byte offsets 0, 4, ... 0x18. */
static struct { uint32_t txdata, rxdata, txctrl, rxctrl, ie, ip, div; } chip;

static struct kymo_sifive_uart uart;
static const struct kymo_transport *transport;

static bool init(uint32_t clock_hz, uint32_t baud) {
    const struct kymo_sifive_uart_config config = {
        .base = (uintptr_t)&chip, .clock_hz = clock_hz, .baud = baud};
    return kymo_sifive_uart_init(&uart, &config);
}

static int set_up(void **state) {
    (void)state;
    memset(&chip, 0, sizeof chip);
    chip.ie = 3u;
    assert_true(init(16000000u, 115200u));
    transport = kymo_sifive_uart_transport(&uart);
    return 0;
}

static void init_sets_the_line(void **state) {
    (void)state;
    assert_int_equal(chip.div, 138); /* the manual's example: 16 MHz, 115200 baud */
    assert_int_equal(chip.txctrl, 0x10001);
    assert_int_equal(chip.rxctrl, 1);
    assert_int_equal(chip.ie, 0);
}

static void divisor_is_the_nearest_or_none(void **state) {
    (void)state;
    assert_true(init(16000000u, 1000000u));
    assert_int_equal(chip.div, 15);
    assert_true(init(500000000u, 1000000u));
    assert_int_equal(chip.div, 499);
    chip.div = 7u;
    assert_false(init(16000000u, 1000001u)); /* fewer than 16 clocks a bit */
    assert_false(init(16000000u, 100u));     /* more than 16 bits hold */
    assert_false(init(0u, 9600u));
    assert_false(init(0x80000000u, 1000000u));
    assert_int_equal(chip.div, 7);
    assert_true(init(0u, 0u));
    assert_int_equal(chip.div, 7);
}

static void a_full_fifo_takes_nothing(void **state) {
    (void)state;
    chip.txdata = 0x80000000u;
    assert_int_equal(transport->write(transport->context, (const uint8_t *)"ab", 2u), 0);
    assert_int_equal(chip.txdata, 0x80000000u);
    chip.txdata = 0u;
    assert_int_equal(transport->write(transport->context, (const uint8_t *)"ab", 2u), 2);
    assert_int_equal(chip.txdata, 'b');
}

static void an_empty_fifo_gives_nothing(void **state) {
    (void)state;
    uint8_t bytes[3] = {0};
    chip.rxdata = 0x80000041u;
    assert_int_equal(transport->read(transport->context, bytes, 3u), 0);
    chip.rxdata = 0x41u;
    assert_int_equal(transport->read(transport->context, bytes, 2u), 2);
    assert_memory_equal(bytes, "AA\0", 3);
}

static void idle_is_an_empty_transmitter(void **state) {
    (void)state;
    chip.ip = 2u;
    assert_false(kymo_sifive_uart_idle(&uart));
    chip.ip = 1u;
    assert_true(kymo_sifive_uart_idle(&uart));
}

static void causes_are_told_once(void **state) {
    (void)state;
    kymo_sifive_uart_interrupts(&uart, KYMO_SIFIVE_UART_ON_RECEIVE | KYMO_SIFIVE_UART_ON_TRANSMIT);
    assert_int_equal(chip.ie, 3);
    chip.ip = 3u;
    assert_int_equal(kymo_sifive_uart_cause(&uart), KYMO_SIFIVE_UART_ON_RECEIVE);
    chip.ip = 1u; /* it was read */
    assert_int_equal(kymo_sifive_uart_cause(&uart), KYMO_SIFIVE_UART_ON_TRANSMIT);
    assert_int_equal(chip.ie, 2);
    assert_int_equal(kymo_sifive_uart_cause(&uart), 0);
    /* What is written next will run out again. */
    assert_int_equal(transport->write(transport->context, (const uint8_t *)"a", 1u), 1);
    assert_int_equal(chip.ie, 3);
}

static void a_polled_transmitter_never_interrupts(void **state) {
    (void)state;
    chip.ip = 3u;
    assert_int_equal(kymo_sifive_uart_cause(&uart), 0);
    assert_int_equal(transport->write(transport->context, (const uint8_t *)"a", 1u), 1);
    assert_int_equal(chip.ie, 0);
}

#define TEST(name) cmocka_unit_test_setup(name, set_up)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(init_sets_the_line),
        TEST(divisor_is_the_nearest_or_none),
        TEST(a_full_fifo_takes_nothing),
        TEST(an_empty_fifo_gives_nothing),
        TEST(idle_is_an_empty_transmitter),
        TEST(causes_are_told_once),
        TEST(a_polled_transmitter_never_interrupts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
