/* SPDX-License-Identifier: MIT */
/* The CMSDK UART's driver against a model of the device, made after DDI 0479, 4.3. */
#include <string.h>

#include "cases.h"
#include "cmsdk_uart.h"
#include "mmio.h"
#include "uart_contract.h"

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
        return uart_line_no_register(address - BASE);
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
        (void)uart_line_no_register(address - BASE);
    }
}

static bool init(uint32_t clock_hz, uint32_t baud) {
    const struct kymo_cmsdk_uart_config config = {.base = BASE, .clock_hz = clock_hz, .baud = baud};
    return kymo_cmsdk_uart_init(&uart, &config);
}

FIXTURE(set_up) {
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

static uint32_t divisor(void) { return chip.bauddiv; }

UART_DRIVER(cmsdk_uart, &uart);

static const struct uart_contract contract = {
    UART_DRIVER_ROWS(chip, KYMO_CMSDK_UART),
    .init = init,
    .divisor = divisor,
    .clocks = 1,
    .parts = 1,
    .least = 16,
    .most = 0xfffff,
    .room = 2,
    .read_looks = 1,
    .early = 1,
    .come = "bc",
    .kept = "c",
    .errors = &uart.receive_errors,
};

CASE(init_sets_the_line, set_up) {
    assert_int_equal(chip.bauddiv, 217);
    assert_int_equal(chip.ctrl, 3);
    assert_int_equal(chip.intstatus, 0);
    assert_int_equal(chip.overrun, 0);
}

CASE(a_divisor_of_the_boot_code_may_stay, set_up) {
    chip.bauddiv = 17;
    assert_true(init(0, 0));
    assert_int_equal(chip.bauddiv, 17);
}

CASE(interrupts_are_chosen, set_up) {
    choose(KYMO_CMSDK_UART_ON_TRANSMIT | KYMO_CMSDK_UART_ON_RECEIVE);
    assert_int_equal(chip.ctrl, 0xf);
    choose(0);
    assert_int_equal(chip.ctrl, 3);
}

CASES(contract, UART_CONTRACT_TESTS(set_up, contract));
