/* The CMSDK UART's driver against a model of the device, made after DDI 0479, 4.3. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cmsdk_uart.h"
#include "mmio.h"
#include "uart_line.h"

#define BASE 0x40004000u

static struct chip {
    uint32_t ctrl, intstatus, bauddiv, overrun;
    struct uart_line line;
    uint8_t received;
    unsigned receive_full;
    unsigned accesses, writes;
} chip;

static struct uart_line *const line = &chip.line;
static struct kymo_cmsdk_uart uart;

/* The buffer was full and is empty. */
static void on_moved(void) { chip.intstatus |= (chip.ctrl & 4u) != 0 ? 1u : 0u; }

static bool interrupts(void) { return chip.intstatus != 0; }

static unsigned cause(void) { return kymo_cmsdk_uart_cause(&uart); }

static void chip_receives(uint8_t byte) {
    chip.overrun |= chip.receive_full != 0 ? 8u : 0u;
    chip.received = byte;
    chip.receive_full = 1;
    chip.intstatus |= (chip.ctrl & 8u) != 0 ? 2u : 0u;
}

uint32_t mmio_get(uintptr_t address) {
    chip.accesses++;
    switch (address - BASE) {
    case 0x00:
        assert_int_equal(chip.receive_full, 1);
        chip.receive_full = 0;
        return chip.received;
    case 0x04:
        return (line->count != 0 ? 1u : 0u) | (chip.receive_full != 0 ? 2u : 0u) | chip.overrun;
    case 0x0c:
        return chip.intstatus;
    default:
        fail_msg("read at offset 0x%x", (unsigned)(address - BASE));
        return 0;
    }
}

void mmio_put(uintptr_t address, uint32_t value) {
    chip.accesses++;
    chip.writes++;
    switch (address - BASE) {
    case 0x00:
        assert_int_equal(chip.ctrl & 1u, 1u);
        uart_line_put(line, (uint8_t)value);
        break;
    case 0x04:
        chip.overrun &= ~value;
        break;
    case 0x08:
        chip.ctrl = value;
        break;
    case 0x0c:
        chip.intstatus &= ~value;
        break;
    case 0x10:
        chip.bauddiv = value;
        break;
    default:
        fail_msg("write at offset 0x%x", (unsigned)(address - BASE));
    }
}

static bool init(uint32_t clock_hz, uint32_t baud) {
    const struct kymo_cmsdk_uart_config config = {.base = BASE, .clock_hz = clock_hz, .baud = baud};
    return kymo_cmsdk_uart_init(&uart, &config);
}

static int set_up(void **state) {
    (void)state;
    memset(&chip, 0, sizeof chip);
    line->depth = 1;
    line->moved = on_moved;
    chip.ctrl = 0x7f;
    chip.intstatus = 3;
    chip.overrun = 8;
    assert_true(init(25000000, 115200));
    line->transport = kymo_cmsdk_uart_transport(&uart);
    chip.accesses = 0;
    return 0;
}

static void init_sets_the_line(void **state) {
    (void)state;
    assert_int_equal(chip.bauddiv, 217);
    assert_int_equal(chip.ctrl, 3);
    assert_int_equal(chip.intstatus, 0);
    assert_int_equal(chip.overrun, 0);
}

static void divisor_is_the_nearest_or_none(void **state) {
    (void)state;
    assert_true(init(25000000, 460800)); /* 54.25 */
    assert_int_equal(chip.bauddiv, 54);
    assert_true(init(25000000, 230400)); /* 108.51 */
    assert_int_equal(chip.bauddiv, 109);
    assert_true(init(4294967295u, 4294967295u / 17u));
    assert_int_equal(chip.bauddiv, 17);
    chip.writes = 0;
    assert_false(init(1600000, 100001)); /* 15.99 */
    assert_false(init(25000000, 23));    /* 21 bits */
    assert_false(init(0, 9600));
    assert_int_equal(chip.writes, 0);
    assert_true(init(0, 0)); /* as the boot code left it */
    assert_int_equal(chip.bauddiv, 17);
}

static void any_pace_keeps_every_byte(void **state) {
    (void)state;
    uart_line_keeps_every_byte(line);
}

static void never_waits(void **state) {
    (void)state;
    uart_line_never_waits(line, 2, 1, &chip.accesses);
    assert_false(kymo_cmsdk_uart_idle(&uart));
    uart_line_sends(line, 1);
    assert_true(kymo_cmsdk_uart_idle(&uart));
}

static void gives_what_was_received(void **state) {
    (void)state;
    uart_line_gives(line, chip_receives, "a", "a");
    uart_line_gives(line, chip_receives, "bc", "c");
    assert_int_equal(uart.receive_errors, 1);
    uart_line_gives(line, chip_receives, "", "");
    assert_int_equal(uart.receive_errors, 1);
}

static void sends_by_interrupt(void **state) {
    (void)state;
    kymo_cmsdk_uart_interrupts(&uart, KYMO_CMSDK_UART_ON_TRANSMIT | KYMO_CMSDK_UART_ON_RECEIVE);
    assert_int_equal(chip.ctrl, 0xf);
    assert_int_equal(cause(), 0);
    uart_line_sends_by_interrupt(line, interrupts, cause, KYMO_CMSDK_UART_ON_TRANSMIT);
    chip_receives('x');
    assert_int_equal(kymo_cmsdk_uart_cause(&uart), KYMO_CMSDK_UART_ON_RECEIVE);
    assert_int_equal(kymo_cmsdk_uart_cause(&uart), 0);
    kymo_cmsdk_uart_interrupts(&uart, 0);
    assert_int_equal(chip.ctrl, 3);
}

#define TEST(name) cmocka_unit_test_setup(name, set_up)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(init_sets_the_line),        TEST(divisor_is_the_nearest_or_none),
        TEST(any_pace_keeps_every_byte), TEST(never_waits),
        TEST(gives_what_was_received),   TEST(sends_by_interrupt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
