/* SPDX-License-Identifier: MIT */
/* The way to the host: UART0, which gets its bytes from the DMA. Section numbers are of the "RP2040
 * Datasheet". */
#include "board_link.h"
#include "cortex-m/core.h"
#include "rp2040_uart_dma.h"
#include "uart0.h"

#define RESET_DMA (1u << 2) /* 2.14.3 */
#define DMA_IRQ_0 11u       /* 2.3.2 */
#define CHANNEL 0u

static struct kymo_rp2040_uart_dma uart;

void board_interrupt(void);

/* The next piece starts here; the main loop, which sleeps until an interrupt, fills the ring. */
void board_interrupt(void) {
    while (kymo_rp2040_uart_dma_cause(&uart) != 0u) {}
}

bool board_link_init(void) {
    const struct kymo_rp2040_uart_dma_config config = {.uart = uart0, .channel = CHANNEL};
    uart0_reset(RESET_DMA);
    if (!kymo_rp2040_uart_dma_init(&uart, &config)) {
        return false;
    }
    uart0_connect_pins();
    kymo_rp2040_uart_dma_interrupts(&uart, KYMO_RP2040_UART_DMA_ON_TRANSMIT);
    core_interrupt_enable(DMA_IRQ_0);
    return true;
}

const struct kymo_transport *board_link_transport(void) {
    return kymo_rp2040_uart_dma_transport(&uart);
}

bool board_link_idle(void) { return kymo_rp2040_uart_dma_idle(&uart); }
