/* The 16550 driver against a model of the chip, made after the PC16550D data sheet. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ns16550.h"
#include "uart_line.h"

#define BASE 0x3f8u
#define STRIDE 2u

/* The chip: what the driver wrote, what is in the FIFOs, what came wrong. */
static struct chip {
    uint8_t ier, lcr, mcr, fcr, dll, dlm, iir_cause, line_errors;
    struct uart_line line;
    uint8_t receive[64];
    unsigned receive_count;
    unsigned accesses, writes;
} chip;

static struct uart_line *const line = &chip.line;
static struct kymo_ns16550 uart;

static uint8_t line_status(void) {
    const uint8_t status =
        (uint8_t)((chip.receive_count > 0 ? 0x01 : 0) | (line->count == 0 ? 0x20 : 0) |
                  (uart_line_idle(line) ? 0x40 : 0) | chip.line_errors);
    chip.line_errors = 0;
    return status;
}

static uint8_t take_received(void) {
    assert_true(chip.receive_count > 0);
    const uint8_t byte = chip.receive[0];
    memmove(chip.receive, chip.receive + 1, --chip.receive_count);
    return byte;
}

static uint8_t interrupt_identification(void) {
    const uint8_t cause = chip.iir_cause;
    if (cause == 0x02) {
        chip.iir_cause = 0x01; /* 8.6: reading IIR resets the transmitter's interrupt */
    }
    return (uint8_t)(cause | ((chip.fcr & 1) != 0 && line->depth > 1 ? 0xc0 : 0));
}

static uint8_t model_get(uintptr_t address) {
    chip.accesses++;
    switch ((address - BASE) / STRIDE) {
    case 0:
        return take_received();
    case 2:
        return interrupt_identification();
    case 5:
        return line_status();
    case 6:
        return 0;
    default:
        fail_msg("read of register %u", (unsigned)((address - BASE) / STRIDE));
        return 0;
    }
}

static void model_put(uintptr_t address, uint8_t value) {
    const int latch = (chip.lcr & 0x80) != 0;
    chip.accesses++;
    chip.writes++;
    switch ((address - BASE) / STRIDE) {
    case 0:
        if (latch) {
            chip.dll = value;
        } else {
            uart_line_put(line, value);
        }
        break;
    case 1:
        *(latch ? &chip.dlm : &chip.ier) = value;
        break;
    case 2:
        chip.fcr = value;
        break;
    case 3:
        chip.lcr = value;
        break;
    case 4:
        chip.mcr = value;
        break;
    default:
        fail_msg("write to register %u", (unsigned)((address - BASE) / STRIDE));
    }
}

static void chip_receives(const char *bytes) {
    memcpy(chip.receive + chip.receive_count, bytes, strlen(bytes));
    chip.receive_count += (unsigned)strlen(bytes);
}

static const struct kymo_ns16550_config wiring = {
    .base = BASE,
    .stride = STRIDE,
    .clock_hz = 1843200,
    .baud = 115200,
    .get = model_get,
    .put = model_put,
};

static void power_on(unsigned transmit_depth) {
    memset(&chip, 0, sizeof chip);
    chip.iir_cause = 0x01;
    line->depth = transmit_depth;
    chip.ier = 0x0f;
    assert_true(kymo_ns16550_init(&uart, &wiring));
    line->transport = kymo_ns16550_transport(&uart);
    chip.accesses = 0;
}

static int set_up(void **state) {
    (void)state;
    power_on(16);
    return 0;
}

static void init_sets_the_line(void **state) {
    (void)state;
    assert_int_equal(chip.lcr, 0x03);
    assert_int_equal(chip.dll, 1);
    assert_int_equal(chip.dlm, 0);
    assert_int_equal(chip.fcr & 0x07, 0x07);
    assert_int_equal(chip.ier, 0);
    assert_int_equal(chip.mcr & 0x03, 0x03);
}

static unsigned divisor_for(uint32_t clock_hz, uint32_t baud) {
    struct kymo_ns16550_config config = wiring;
    config.clock_hz = clock_hz;
    config.baud = baud;
    chip.dll = chip.dlm = 0xaa;
    chip.writes = 0;
    if (!kymo_ns16550_init(&uart, &config)) {
        assert_int_equal(chip.writes, 0);
        return 0;
    }
    return chip.dll + chip.dlm * 256u;
}

/* Divisors of the data sheet's table III (1.8432 MHz), one from rounding, and the two ends. */
static void divisor_is_the_nearest(void **state) {
    (void)state;
    assert_int_equal(divisor_for(1843200, 50), 2304);
    assert_int_equal(divisor_for(1843200, 9600), 12);
    assert_int_equal(divisor_for(1843200, 2000), 58); /* 57.6 */
    assert_int_equal(divisor_for(48000000, 1000000), 3);
    assert_int_equal(divisor_for(48000000, 4000000), 1); /* 0.75 */
    assert_int_equal(divisor_for(2000000000, 1908), 65514);
    assert_int_equal(divisor_for(2000000000, 1907), 0); /* 65548 has 17 bits */
    assert_int_equal(divisor_for(1843200, 300000), 0);
    assert_int_equal(divisor_for(1843200, 4294967295u), 0);
    assert_int_equal(divisor_for(0, 9600), 0);
    assert_int_equal(divisor_for(2147483648, 9600), 0);
}

static void baud_0_leaves_the_line_alone(void **state) {
    (void)state;
    struct kymo_ns16550_config config = wiring;
    config.baud = 0;
    chip.lcr = 0x1b;
    chip.dll = 7;
    assert_true(kymo_ns16550_init(&uart, &config));
    assert_int_equal(chip.lcr, 0x1b);
    assert_int_equal(chip.dll, 7);
}

static void fills_the_fifo_and_returns(void **state) {
    (void)state;
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

static void short_writes_share_the_fifo(void **state) {
    (void)state;
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

static void any_pace_keeps_every_byte(void **state) {
    (void)state;
    uart_line_keeps_every_byte(line);
}

static void never_waits(void **state) {
    (void)state;
    uart_line_never_waits(line, 16, 1, &chip.accesses);
}

static void without_fifo_a_byte_at_a_time(void **state) {
    (void)state;
    power_on(1);
    const uint8_t bytes[3] = "xyz";
    assert_int_equal(uart_line_write(line, bytes, 3), 2); /* the first is in the shift register */
    assert_int_equal(uart_line_write(line, bytes + 2, 1), 0);
    uart_line_sends(line, 1);
    assert_int_equal(uart_line_write(line, bytes + 2, 1), 1);
    assert_int_equal(line->overruns, 0);
}

static void deeper_fifo_is_used(void **state) {
    (void)state;
    struct kymo_ns16550_config config = wiring;
    config.fifo_bytes = 64;
    line->depth = 64;
    assert_true(kymo_ns16550_init(&uart, &config));
    const uint8_t bytes[100] = {0};
    assert_int_equal(uart_line_write(line, bytes, 100), 64);
    assert_int_equal(line->overruns, 0);
}

static void gives_what_was_received(void **state) {
    (void)state;
    uint8_t bytes[8];
    assert_int_equal(uart_line_read(line, bytes, sizeof bytes), 0);
    chip_receives("hello");
    assert_int_equal(uart_line_read(line, bytes, 3), 3);
    assert_memory_equal(bytes, "hel", 3);
    assert_int_equal(uart_line_read(line, bytes, sizeof bytes), 2);
    assert_memory_equal(bytes, "lo", 2);
    assert_int_equal(uart_line_read(line, bytes, sizeof bytes), 0);
}

/* Reading LSR clears its error bits, whoever reads it. */
static void counts_errors_seen_on_either_way(void **state) {
    (void)state;
    uint8_t bytes[1];
    chip.line_errors = 0x02;
    assert_int_equal(uart_line_read(line, bytes, 1), 0);
    chip.line_errors = 0x08;
    assert_int_equal(uart_line_write(line, (const uint8_t *)"a", 1), 1);
    assert_int_equal(uart.receive_errors, 2);
}

static void idle_is_when_the_last_bit_is_out(void **state) {
    (void)state;
    assert_true(kymo_ns16550_idle(&uart));
    assert_int_equal(uart_line_write(line, (const uint8_t *)"a", 1), 1);
    assert_int_equal(line->count, 0); /* it is in the shift register */
    assert_false(kymo_ns16550_idle(&uart));
    uart_line_sends(line, 1);
    assert_true(kymo_ns16550_idle(&uart));
}

static void interrupts_are_chosen(void **state) {
    (void)state;
    kymo_ns16550_interrupts(&uart, KYMO_NS16550_ON_TRANSMIT);
    assert_int_equal(chip.ier, 0x02);
    kymo_ns16550_interrupts(&uart, KYMO_NS16550_ON_RECEIVE | KYMO_NS16550_ON_TRANSMIT);
    assert_int_equal(chip.ier & 0x03, 0x03);
    kymo_ns16550_interrupts(&uart, 0);
    assert_int_equal(chip.ier, 0);
}

static void causes_are_told_and_acknowledged(void **state) {
    (void)state;
    assert_int_equal(kymo_ns16550_cause(&uart), 0);
    chip.iir_cause = 0x02;
    assert_int_equal(kymo_ns16550_cause(&uart), KYMO_NS16550_ON_TRANSMIT);
    assert_int_equal(kymo_ns16550_cause(&uart), 0);
    chip.iir_cause = 0x04;
    assert_int_equal(kymo_ns16550_cause(&uart), KYMO_NS16550_ON_RECEIVE);
    chip.iir_cause = 0x0c;
    assert_int_equal(kymo_ns16550_cause(&uart), KYMO_NS16550_ON_RECEIVE);
    chip.iir_cause = 0x06; /* a line status that never goes away must not hold the handler */
    chip.accesses = 0;
    assert_int_equal(kymo_ns16550_cause(&uart), 0);
    assert_true(chip.accesses <= 8);
}

/* Registers in memory, at strides 1 and 4: the last register written by init is MCR, number 4. */
static void memory_registers_of_both_widths(void **state) {
    (void)state;
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

#define TEST(name) cmocka_unit_test_setup(name, set_up)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(init_sets_the_line),
        TEST(divisor_is_the_nearest),
        TEST(baud_0_leaves_the_line_alone),
        TEST(fills_the_fifo_and_returns),
        TEST(short_writes_share_the_fifo),
        TEST(any_pace_keeps_every_byte),
        TEST(never_waits),
        TEST(without_fifo_a_byte_at_a_time),
        TEST(deeper_fifo_is_used),
        TEST(gives_what_was_received),
        TEST(counts_errors_seen_on_either_way),
        TEST(idle_is_when_the_last_bit_is_out),
        TEST(interrupts_are_chosen),
        TEST(causes_are_told_and_acknowledged),
        TEST(memory_registers_of_both_widths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
