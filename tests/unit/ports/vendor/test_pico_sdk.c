/* SPDX-License-Identifier: MIT */
/* The set-up beside pico-sdk, against a model of its calls; registers are memory. */
#include <string.h>

#include "cases.h"
#include "kymo_pico_uart.h"
#include "kymo_pico_usb.h"
#include "mmio.h"

#define REGISTERS 2000u /* the USB has 4 KiB of buffers */
#define UARTIBRD 0x24u
#define CHANNEL 7

struct uart_inst {
    int number;
};
static struct uart_inst uarts[2];
uart_inst_t *const uart0 = &uarts[0], *const uart1 = &uarts[1];

static struct sdk {
    uintptr_t address[REGISTERS];
    uint32_t value[REGISTERS];
    unsigned registers;
    uint32_t in_reset, released;
    int claimed;
    uint32_t uart_pins, pulled_up;
    irq_handler_t shared[32], exclusive[32];
    uint32_t interrupts;
} sdk;

static uint32_t *at(uintptr_t address) {
    unsigned i = 0;
    while (i < sdk.registers && sdk.address[i] != address) {
        i++;
    }
    assert_true(i < REGISTERS);
    if (i == sdk.registers) {
        sdk.address[sdk.registers++] = address;
    }
    return &sdk.value[i];
}

/* A block in reset takes nothing. */
static uint32_t block_of(uintptr_t address) {
    const uintptr_t page = address & ~(uintptr_t)0xfff;
    return page == UART0_BASE                   ? RESETS_RESET_UART0_BITS
           : page == UART1_BASE                 ? RESETS_RESET_UART1_BITS
           : (address >> 16 & 0xfff0) == 0x5010 ? RESETS_RESET_USBCTRL_BITS
                                                : 0u;
}

uint32_t mmio_get(uintptr_t address) {
    assert_int_equal(block_of(address) & ~sdk.released, 0);
    return *at(address);
}

void mmio_put(uintptr_t address, uint32_t value) {
    assert_int_equal(block_of(address) & ~sdk.released, 0);
    *at(address) = value;
}

uint32_t clock_get_hz(uint clock) { return clock == clk_peri ? 125000000u : 1u; }

void reset_block(uint32_t bits) { sdk.in_reset |= bits; }

void unreset_block_wait(uint32_t bits) {
    assert_int_equal(sdk.in_reset & bits, bits);
    sdk.in_reset &= ~bits;
    sdk.released |= bits;
}

int dma_claim_unused_channel(bool required) {
    assert_true(required);
    sdk.claimed++;
    return CHANNEL;
}

void dma_channel_unclaim(uint channel) {
    assert_int_equal(channel, CHANNEL);
    sdk.claimed--;
}

void gpio_set_function(uint gpio, enum gpio_function function) {
    assert_int_equal(function, GPIO_FUNC_UART);
    sdk.uart_pins |= 1u << gpio;
}

void gpio_pull_up(uint gpio) { sdk.pulled_up |= 1u << gpio; }

void irq_add_shared_handler(uint number, irq_handler_t handler, uint8_t order_priority) {
    (void)order_priority;
    sdk.shared[number] = handler;
}

void irq_set_exclusive_handler(uint number, irq_handler_t handler) {
    sdk.exclusive[number] = handler;
}

void irq_set_enabled(uint number, bool enabled) {
    assert_true(sdk.shared[number] != NULL || sdk.exclusive[number] != NULL);
    sdk.interrupts |= (uint32_t)enabled << number;
}

void pico_get_unique_board_id(pico_unique_board_id_t *id) {
    memcpy(id->id, "\1\2\3\4\5\6\7\10", 8);
}

FIXTURE(set_up) {
    memset(&sdk, 0, sizeof sdk);
    return 0;
}

/* 125 MHz / (16 * 921600) = 8.48 */
CASE(starts_a_uart, set_up) {
    const struct kymo_transport *const transport = kymo_pico_uart_start(uart1, 921600, 4, 5);
    assert_non_null(transport);
    assert_int_equal(*at(UART1_BASE + UARTIBRD), 8);
    assert_int_equal(sdk.released, RESETS_RESET_UART1_BITS);
    assert_int_equal(sdk.uart_pins, 1u << 4 | 1u << 5);
    assert_int_equal(sdk.pulled_up, 1u << 5);
    assert_int_equal(sdk.claimed, 1);
    assert_int_equal(sdk.interrupts, 1u << DMA_IRQ_1);
    assert_int_equal(transport->write(transport->context, (const uint8_t *)"abc", 3), 3);
}

/* The channel is freed, and no other driver's interrupt is touched. */
CASE(refuses_a_rate, set_up) {
    assert_null(kymo_pico_uart_start(uart0, 100000000, 0, 1));
    assert_int_equal(sdk.claimed, 0);
    assert_int_equal(sdk.interrupts, 0);
    assert_int_equal(sdk.uart_pins, 0);
}

CASE(starts_usb, set_up) {
    const struct kymo_transport *const transport = kymo_pico_usb_start();
    assert_non_null(transport->read);
    assert_int_equal(sdk.released, RESETS_RESET_USBCTRL_BITS);
    assert_int_equal(sdk.interrupts, 1u << USBCTRL_IRQ);
    assert_non_null(sdk.exclusive[USBCTRL_IRQ]);
    sdk.exclusive[USBCTRL_IRQ]();
    assert_memory_equal(kymo_pico_usb.chip_id, "\1\2\3\4\5\6\7\10", 8);
    /* no host has opened the port */
    assert_int_equal(transport->write(transport->context, (const uint8_t *)"abc", 3), 0);
}
