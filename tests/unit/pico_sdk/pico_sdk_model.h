/* SPDX-License-Identifier: MIT */
/* The part of pico-sdk 2.2 that ports/vendor/kymo_pico_*.h use, under its names; test_pico_sdk.c plays it. */
#ifndef PICO_SDK_MODEL_H
#define PICO_SDK_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef unsigned int uint;

#define PICO_RP2040 1
#define UART0_BASE 0x40034000u
#define UART1_BASE 0x40038000u
#define RESETS_RESET_UART0_BITS (1u << 22)
#define RESETS_RESET_UART1_BITS (1u << 23)
#define RESETS_RESET_USBCTRL_BITS (1u << 24)
#define DMA_IRQ_1 12
#define USBCTRL_IRQ 5
#define PICO_SHARED_IRQ_HANDLER_DEFAULT_ORDER_PRIORITY 0x80

typedef struct uart_inst uart_inst_t;
extern uart_inst_t *const uart0, *const uart1;

enum clock_index { clk_peri = 6 };
uint32_t clock_get_hz(uint clock);

void reset_block(uint32_t bits);
void unreset_block_wait(uint32_t bits);

int dma_claim_unused_channel(bool required);
void dma_channel_unclaim(uint channel);

enum gpio_function { GPIO_FUNC_UART = 2 };
void gpio_set_function(uint gpio, enum gpio_function function);
void gpio_pull_up(uint gpio);

typedef void (*irq_handler_t)(void);
void irq_add_shared_handler(uint number, irq_handler_t handler, uint8_t order_priority);
void irq_set_exclusive_handler(uint number, irq_handler_t handler);
void irq_set_enabled(uint number, bool enabled);

typedef struct {
    uint8_t id[8];
} pico_unique_board_id_t;
void pico_get_unique_board_id(pico_unique_board_id_t *id);

#ifdef __cplusplus
}
#endif

#endif
