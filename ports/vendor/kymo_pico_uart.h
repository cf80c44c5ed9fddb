/* SPDX-License-Identifier: MIT */
/* A UART of the RP2040 with DMA, for firmware with pico-sdk: claims a channel, sets up UART and pins, and adds a shared
 * handler to DMA_IRQ_1. The driver is ports/transport/rp2040_uart_dma.h, so add rp2040_uart_dma to TRANSPORTS.
 * Libraries of pico-sdk: hardware_clocks, hardware_dma, hardware_gpio, hardware_irq, hardware_resets, hardware_uart.
 *
 *     kymo_init(kymo_pico_uart_start(uart1, 921600, 4, 5), "my firmware");
 *
 * Include it in one source file. Call kymo_drain() on the core that called kymo_pico_uart_start(). Nothing else may use
 * this UART: if stdio does, take the other UART, or pico_enable_stdio_uart(my_firmware 0). */
#ifndef KYMO_PICO_UART_H
#define KYMO_PICO_UART_H

#include "hardware/clocks.h"
#include "hardware/dma.h"
#include "hardware/gpio.h"
#include "hardware/irq.h"
#include "hardware/resets.h"
#include "hardware/uart.h"
#include "rp2040_uart_dma.h"

#if !PICO_RP2040
#error "kymo_pico_uart.h knows the RP2040; other chips have other addresses"
#endif

/* The driver, for kymo_rp2040_uart_dma_idle() before a reset or a change of the clock. */
static struct kymo_rp2040_uart_dma kymo_pico_uart;

/* The next piece starts here. */
static inline void kymo_pico_uart_interrupt(void) {
    while (kymo_rp2040_uart_dma_cause(&kymo_pico_uart) != 0u) {}
}

/* Returns the transport for kymo_init(), in static memory; NULL if clk_peri gives no such baud rate to within 3 %. Call
 * it once, from main code, with the clocks at their final rate. Ends in pico-sdk's panic() if no DMA channel is
 * free. */
static inline const struct kymo_transport *kymo_pico_uart_start(uart_inst_t *uart, uint32_t baud,
                                                                uint32_t transmit_pin,
                                                                uint32_t receive_pin) {
    const bool first = uart == uart0;
    struct kymo_rp2040_uart_dma_config config;
    config.uart.base = first ? UART0_BASE : UART1_BASE;
    config.uart.clock_hz = clock_get_hz(clk_peri);
    config.uart.baud = baud;
    config.channel = (uint32_t)dma_claim_unused_channel(true);
    config.interrupt = 1u;
    const uint32_t block = first ? RESETS_RESET_UART0_BITS : RESETS_RESET_UART1_BITS;
    reset_block(block);
    unreset_block_wait(block);
    if (!kymo_rp2040_uart_dma_init(&kymo_pico_uart, &config)) {
        dma_channel_unclaim(config.channel);
        return NULL;
    }
    gpio_set_function(transmit_pin, GPIO_FUNC_UART);
    gpio_set_function(receive_pin, GPIO_FUNC_UART);
    gpio_pull_up(receive_pin); /* an open receive pin is idle */
    kymo_rp2040_uart_dma_interrupts(&kymo_pico_uart, KYMO_RP2040_UART_DMA_ON_TRANSMIT);
    irq_add_shared_handler(DMA_IRQ_1, kymo_pico_uart_interrupt,
                           PICO_SHARED_IRQ_HANDLER_DEFAULT_ORDER_PRIORITY);
    irq_set_enabled(DMA_IRQ_1, true);
    return kymo_rp2040_uart_dma_transport(&kymo_pico_uart);
}

#endif
