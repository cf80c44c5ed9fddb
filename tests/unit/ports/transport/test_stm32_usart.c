/* SPDX-License-Identifier: MIT */
/* The STM32 USART's driver against a model of both layouts, made after RM0090 30.6 and RM0351 40.8. */
#include <string.h>

#include "cases.h"
#include "mmio.h"
#include "stm32_usart.h"
#include "uart_contract.h"

#define BASE 0x40004400u

/* The function of a register, whatever its offset. */
enum what { STATUS, RECEIVE, TRANSMIT, CLEAR, BAUD, CR1, CR2, CR3, NOTHING };

static struct chip {
    enum kymo_stm32_usart_layout layout;
    uint32_t cr1, cr2, cr3, brr, errors;
    int status_was_read; /* old layout: the first half of clearing an error */
    struct uart_line line;
    uint8_t received;
    unsigned receive_full;
    unsigned accesses, writes;
} chip;

static struct uart_line *const line = &chip.line;
static struct kymo_stm32_usart usart;

static enum what register_at(uintptr_t offset, int writing) {
    if (chip.layout == KYMO_STM32_USART_OLD) {
        static const enum what old[] = {STATUS, RECEIVE, BAUD, CR1, CR2, CR3};
        const enum what what = offset / 4 < 6 ? old[offset / 4] : NOTHING;
        return what == RECEIVE && writing ? TRANSMIT : what;
    }
    static const enum what new[] = {CR1,     CR2,    CR3,   BAUD,    NOTHING, NOTHING,
                                    NOTHING, STATUS, CLEAR, RECEIVE, TRANSMIT};
    return offset / 4 < 11 ? new[offset / 4] : NOTHING;
}

static uint32_t enable_bit(void) { return chip.layout == KYMO_STM32_USART_OLD ? 1u << 13 : 1u; }

static void chip_receives(uint8_t byte) {
    if (chip.receive_full != 0) {
        chip.errors |= 8u;
        return;
    }
    chip.received = byte;
    chip.receive_full = 1;
}

static uint32_t chip_status(void) {
    return chip.errors | (chip.receive_full != 0 ? 0x20u : 0u) | (line->count == 0 ? 0x80u : 0u) |
           (uart_line_idle(line) ? 0x40u : 0u);
}

/* The line to the interrupt controller: TXEIE with TXE, RXNEIE with RXNE or overrun. */
static bool interrupts(void) {
    return (chip.cr1 & chip_status() & 0x80u) != 0 ||
           ((chip.cr1 & 0x20u) != 0 && (chip_status() & 0x28u) != 0);
}

uint32_t mmio_get(uintptr_t address) {
    chip.accesses++;
    switch (register_at(address - BASE, 0)) {
    case STATUS:
        chip.status_was_read = 1;
        return chip_status();
    case RECEIVE:
        if (chip.layout == KYMO_STM32_USART_OLD && chip.status_was_read) {
            chip.errors = 0;
        }
        chip.receive_full = 0;
        return chip.received;
    default:
        return uart_line_no_register(address - BASE);
    }
}

void mmio_put(uintptr_t address, uint32_t value) {
    chip.accesses++;
    chip.writes++;
    const int enabled = (chip.cr1 & enable_bit()) != 0;
    switch (register_at(address - BASE, 1)) {
    case TRANSMIT:
        assert_true(enabled && (chip.cr1 & 8u) != 0);
        uart_line_put(line, (uint8_t)value);
        break;
    case CLEAR:
        chip.errors &= ~value;
        break;
    case BAUD:
        assert_false(enabled);
        chip.brr = value;
        break;
    case CR1:
        chip.cr1 = value;
        break;
    case CR2:
        assert_false(enabled);
        chip.cr2 = value;
        break;
    case CR3:
        assert_false(enabled);
        chip.cr3 = value;
        break;
    default:
        (void)uart_line_no_register(address - BASE);
    }
}

static bool init(uint32_t clock_hz, uint32_t baud) {
    const struct kymo_stm32_usart_config config = {
        .base = BASE, .layout = chip.layout, .clock_hz = clock_hz, .baud = baud};
    return kymo_stm32_usart_init(&usart, &config);
}

static int power_on(enum kymo_stm32_usart_layout layout) {
    memset(&chip, 0, sizeof chip);
    line->depth = 1;
    chip.layout = layout;
    chip.cr1 = chip.cr2 = chip.cr3 = 0xffffu;
    assert_true(init(42000000, 115200));
    line->transport = kymo_stm32_usart_transport(&usart);
    chip.accesses = 0;
    return 0;
}

FIXTURE(set_up_old) { return power_on(KYMO_STM32_USART_OLD); }

FIXTURE(set_up_new) { return power_on(KYMO_STM32_USART_NEW); }

static uint32_t divisor(void) { return chip.brr; }

UART_DRIVER(stm32_usart, &usart);

static const struct uart_contract contract = {
    UART_DRIVER_ROWS(chip, KYMO_STM32_USART),
    .init = init,
    .divisor = divisor,
    .clocks = 1,
    .parts = 1,
    .least = 16,
    .most = 0xffff,
    .room = 2,
    .read_looks = 1,
    .come = "bc",
    .kept = "b",
    .errors = &usart.receive_errors,
};

/* RM0090 table 136: 42 MHz, 115200 baud: divisor 22.8125, so 365 sixteenths. */
static void init_sets_the_line(void **state) {
    (void)state;
    assert_int_equal(chip.brr, 365);
    assert_int_equal(chip.cr1, enable_bit() | 0xcu);
    assert_int_equal(chip.cr2, 0);
    assert_int_equal(chip.cr3, 0);
}

/* An overrun of a byte that was just being read leaves the flag without a byte. */
static void an_error_alone_is_taken_away(void **state) {
    (void)state;
    choose(KYMO_STM32_USART_ON_RECEIVE);
    chip.errors = 8u;
    uart_line_tells_of_received(line, interrupts, cause, KYMO_STM32_USART_ON_RECEIVE, 0);
    assert_int_equal(usart.receive_errors, 1);
}

#define TEST(name)                                                                                 \
    cmocka_unit_test_setup(name, set_up_old), cmocka_unit_test_setup(name, set_up_new)

CASES(contract, UART_CONTRACT_TESTS(set_up_old, contract),
      UART_CONTRACT_TESTS(set_up_new, contract), TEST(init_sets_the_line),
      TEST(an_error_alone_is_taken_away));
