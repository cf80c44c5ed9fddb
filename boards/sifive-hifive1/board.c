/* SPDX-License-Identifier: MIT */
/* SiFive HiFive1 Rev B. Chapters: "SiFive FE310-G002 Manual", v19p05. */
#include "board.h"
#include "riscv/clint.h"
#include "sifive_uart.h"

#define UART0 0x10013000u
#define GPIO_IOF_EN 0x10012038u
#define GPIO_IOF_SEL 0x1001203cu
#define PINS_UART0 0x00030000u /* 16 receives, 17 transmits: chapter 17, hardware I/O functions */

/* Chapter 6, "Clock Generation": the 16 MHz crystal, past the PLL. */
#define PRCI_HFROSCCFG 0x10008000u
#define PRCI_HFXOSCCFG 0x10008004u
#define PRCI_PLLCFG 0x10008008u
#define OSC_ENABLE 0x40000000u
#define OSC_READY 0x80000000u
#define PLL_SEL 0x00010000u    /* the core runs from the PLL's output ... */
#define PLL_REFSEL 0x00020000u /* ... which comes from the crystal ... */
#define PLL_BYPASS 0x00040000u /* ... unchanged */
#define CRYSTAL_HZ 16000000u

static struct kymo_sifive_uart uart;

static volatile uint32_t *reg32(uintptr_t address) { return (volatile uint32_t *)address; }

static void use_crystal(void) {
    *reg32(PRCI_HFXOSCCFG) = OSC_ENABLE;
    while ((*reg32(PRCI_HFXOSCCFG) & OSC_READY) == 0u) {}
    *reg32(PRCI_PLLCFG) = PLL_REFSEL | PLL_BYPASS;
    *reg32(PRCI_PLLCFG) = PLL_REFSEL | PLL_BYPASS | PLL_SEL;
    *reg32(PRCI_HFROSCCFG) &= ~OSC_ENABLE;
}

void board_init(void) {
    const struct kymo_sifive_uart_config config = {
        .base = UART0, .clock_hz = CRYSTAL_HZ, .baud = BOARD_BAUD};
    use_crystal();
    *reg32(GPIO_IOF_SEL) &= ~PINS_UART0;
    *reg32(GPIO_IOF_EN) |= PINS_UART0;
    if (!kymo_sifive_uart_init(&uart, &config)) {
        board_end(2);
    }
}

const struct kymo_transport *board_transport(void) { return kymo_sifive_uart_transport(&uart); }

_Noreturn void board_exit(int status) {
    while (!kymo_sifive_uart_idle(&uart)) {}
    board_end(status);
}
