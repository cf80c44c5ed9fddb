/* The PL011's driver against a model of the device, made after DDI 0183G, chapters 2 and 3. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mmio.h"
#include "pl011.h"
#include "uart_line.h"

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

static unsigned cause(void) { return kymo_pl011_cause(&uart); }

/* "data" with its error bits, and then the line is quiet. */
static void chip_receives(uint16_t data) {
    assert_true(chip.receive_count < depth());
    chip.receive[chip.receive_count++] = data;
    chip.ris |= INT_RT | (chip.receive_count >= depth() / 2u ? INT_RX : 0u);
}

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
        fail_msg("read at offset 0x%x", (unsigned)(address - BASE));
        return 0;
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
        fail_msg("write at offset 0x%x", (unsigned)(address - BASE));
    }
}

static bool init(uint32_t clock_hz, uint32_t baud) {
    const struct kymo_pl011_config config = {.base = BASE, .clock_hz = clock_hz, .baud = baud};
    return kymo_pl011_init(&uart, &config);
}

/* As a boot loader may have left it: on, with bytes in it and interrupts. */
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
    chip.accesses = 0;
}

static int set_up(void **state) {
    (void)state;
    power_on(16);
    return 0;
}

static void init_sets_the_line(void **state) {
    (void)state;
    assert_int_equal(chip.lcr, 0x70);
    assert_int_equal(chip.cr & 0x301u, 0x301);
    assert_int_equal(chip.imsc, 0);
    assert_int_equal(chip.ris, 0);
    assert_int_equal(chip.receive_count, 0);
    assert_int_equal(line->count, 0);
}

static uint32_t divisor_for(uint32_t clock_hz, uint32_t baud) {
    chip.divisor = 0;
    chip.writes = 0;
    if (!init(clock_hz, baud)) {
        assert_int_equal(chip.writes, 0);
    }
    return chip.divisor;
}

/* The manual's example first (3.3.6: 230400 baud of 4 MHz is 1 + 5/64), then rounding and both ends. */
static void divisor_is_the_nearest_or_none(void **state) {
    (void)state;
    assert_int_equal(divisor_for(4000000, 230400), 64 + 5);
    assert_int_equal(divisor_for(24000000, 115200), 13 * 64 + 1); /* 13.0208 */
    assert_int_equal(divisor_for(48000000, 921600), 3 * 64 + 16); /* 3.2552: 16.33 / 64 */
    assert_int_equal(divisor_for(48000000, 460800), 6 * 64 + 33); /* 6.5104: 32.67 / 64 */
    assert_int_equal(divisor_for(4294967295u, 268435455), 64);
    assert_int_equal(divisor_for(16000000, 1000000), 64);
    assert_int_equal(divisor_for(16000000, 1000001), 0);
    assert_int_equal(divisor_for(4294901760u, 4096), 65535u * 64u);
    assert_int_equal(divisor_for(4294967295u, 4096), 0); /* 65536 */
    assert_int_equal(divisor_for(0, 9600), 0);
}

static void boot_codes_line_may_stay(void **state) {
    (void)state;
    assert_true(init(4000000, 230400));
    chip.lcr = 0x7e; /* 8 bits, even parity, 2 stop bits */
    assert_true(init(0, 0));
    assert_int_equal(chip.lcr, 0x7e);
    assert_int_equal(chip.divisor, 64 + 5);
}

static void any_pace_keeps_every_byte_of_both_depths(void **state) {
    (void)state;
    line->depth = 16;
    uart_line_keeps_every_byte(line);
    power_on(32);
    line->depth = 32;
    uart_line_keeps_every_byte(line);
}

static void never_waits(void **state) {
    (void)state;
    uart_line_never_waits(line, 17, 1, &chip.accesses); /* the FIFO and the shifter */
}

static void idle_is_when_the_last_bit_is_out(void **state) {
    (void)state;
    const uint8_t bytes[2] = {1, 2};
    assert_true(kymo_pl011_idle(&uart));
    assert_int_equal(uart_line_write(line, bytes, 2), 2);
    uart_line_sends(line, 1);
    assert_false(kymo_pl011_idle(&uart));
    uart_line_sends(line, 1);
    assert_true(kymo_pl011_idle(&uart));
}

static void gives_what_was_received_and_counts_errors(void **state) {
    (void)state;
    uint8_t bytes[4];
    chip_receives('a');
    chip_receives('b' | 0x800);   /* overrun: one before it is lost */
    chip_receives(0x400 | 0x100); /* break, and so a framing error */
    assert_int_equal(uart_line_read(line, bytes, 2), 2);
    assert_int_equal(bytes[0], 'a');
    assert_int_equal(bytes[1], 'b');
    assert_int_equal(uart.receive_errors, 1);
    assert_int_equal(uart_line_read(line, bytes, 4), 1);
    assert_int_equal(bytes[0], 0);
    assert_int_equal(uart.receive_errors, 2);
    assert_int_equal(uart_line_read(line, bytes, 4), 0);
}

static void sends_by_interrupt(void **state) {
    (void)state;
    kymo_pl011_interrupts(&uart, KYMO_PL011_ON_TRANSMIT | KYMO_PL011_ON_RECEIVE);
    assert_int_equal(cause(), 0);
    uart_line_sends_by_interrupt(line, interrupts, cause, KYMO_PL011_ON_TRANSMIT);
}

static void receives_by_interrupt(void **state) {
    (void)state;
    uint8_t byte;
    kymo_pl011_interrupts(&uart, KYMO_PL011_ON_RECEIVE);
    chip_receives('x');
    chip_receives('y');
    assert_int_equal(kymo_pl011_cause(&uart), KYMO_PL011_ON_RECEIVE);
    assert_int_equal(uart_line_read(line, &byte, 1), 1);
    assert_int_equal(kymo_pl011_cause(&uart), KYMO_PL011_ON_RECEIVE);
    assert_int_equal(uart_line_read(line, &byte, 1), 1);
    assert_int_equal(kymo_pl011_cause(&uart), 0);
    kymo_pl011_interrupts(&uart, 0);
    chip_receives('z');
    assert_int_equal(kymo_pl011_cause(&uart), 0);
}

#define TEST(name) cmocka_unit_test_setup(name, set_up)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(init_sets_the_line),
        TEST(divisor_is_the_nearest_or_none),
        TEST(boot_codes_line_may_stay),
        TEST(any_pace_keeps_every_byte_of_both_depths),
        TEST(never_waits),
        TEST(idle_is_when_the_last_bit_is_out),
        TEST(gives_what_was_received_and_counts_errors),
        TEST(sends_by_interrupt),
        TEST(receives_by_interrupt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
