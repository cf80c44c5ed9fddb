/* SPDX-License-Identifier: MIT */
/* Netduino Plus 2: STM32F405RG, a Cortex-M4 at 168 MHz; and other boards with an STM32F405 or F407. Section
 * numbers are of "RM0090 Reference manual STM32F405/415, STM32F407/417, ...".
 *
 * The PLL runs from the internal oscillator, 1 % exact, which is enough for a UART and the same on every
 * board whatever its crystal; hostlink measures what it really is. */
#include "board.h"
#include "cortex-m/core.h"
#include "cortex-m/systick.h"
#include "stm32_usart.h"

#define CLOCK_HZ 168000000u
#define APB1_HZ 42000000u

/* 7.3: RCC. */
#define RCC 0x40023800u
#define RCC_CR 0x00u
#define CR_PLLON (1u << 24)
#define CR_PLLRDY (1u << 25)
#define RCC_PLLCFGR 0x04u
#define RCC_CFGR 0x08u
#define CFGR_SW_PLL 0x2u
#define CFGR_PPRE1_4 (5u << 10)
#define CFGR_PPRE2_2 (4u << 13)
#define RCC_AHB1ENR 0x30u
#define AHB1ENR_GPIOA 1u
#define RCC_APB1ENR 0x40u
#define APB1ENR_USART2 (1u << 17)
/* 7.3.2: 16 MHz / M 16 = 1 MHz, times N 336, / P 2 = 168 MHz; / Q 7 = 48 MHz. */
#define PLL_M 16u
#define PLL_N (336u << 6)
#define PLL_P_2 (0u << 16)
#define PLL_Q (7u << 24)
/* The PLL locks within 300 us (data sheet, "Main PLL characteristics"). */
#define PLL_LOOKS 10000u

/* 3.9.1: five wait states for 168 MHz at 2.7 to 3.6 V (table 10); prefetch, both caches. */
#define FLASH_ACR 0x40023c00u
#define ACR_FAST (5u | 1u << 8 | 1u << 9 | 1u << 10)

/* 38.16.3: keeps the core's clock on in sleep, or its cycle counter would stand still in wfi. */
#define DBGMCU_CR 0xe0042004u
#define CR_DBG_SLEEP 1u

/* 8.4: PA2 and PA3 are USART2's (alternate function 7, data sheet table 9). */
#define GPIOA 0x40020000u
#define GPIO_MODER 0x00u
#define GPIO_PUPDR 0x0cu
#define GPIO_AFRL 0x20u

#define USART2 0x40004400u
#define BAUD 1000000u

static struct kymo_stm32_usart usart;

static volatile uint32_t *reg(uintptr_t base, uintptr_t offset) {
    return (volatile uint32_t *)(base + offset);
}

/* Replaces the fields of "width" bits of pins 2 and 3. */
static void set_pins(uintptr_t offset, unsigned width, uint32_t value) {
    const uint32_t mask = (1u << 2u * width) - 1u;
    const uint32_t rest = *reg(GPIOA, offset) & ~(mask << 2u * width);
    *reg(GPIOA, offset) = rest | (value | value << width) << 2u * width;
}

static void start_clocks(void) {
    *reg(FLASH_ACR, 0u) = ACR_FAST;
    *reg(RCC, RCC_PLLCFGR) = PLL_M | PLL_N | PLL_P_2 | PLL_Q;
    *reg(RCC, RCC_CR) |= CR_PLLON;
    for (uint32_t look = 0u; look < PLL_LOOKS; look++) {
        if ((*reg(RCC, RCC_CR) & CR_PLLRDY) != 0u) {
            break;
        }
    }
    *reg(RCC, RCC_CFGR) = CFGR_PPRE1_4 | CFGR_PPRE2_2 | CFGR_SW_PLL;
    *reg(RCC, RCC_AHB1ENR) |= AHB1ENR_GPIOA;
    *reg(RCC, RCC_APB1ENR) |= APB1ENR_USART2;
    (void)*reg(RCC, RCC_APB1ENR); /* two cycles, before the first access (7.3.13) */
    *reg(DBGMCU_CR, 0u) |= CR_DBG_SLEEP;
}

void board_init(void) {
    const struct kymo_stm32_usart_config config = {
        .base = USART2, .layout = KYMO_STM32_USART_OLD, .clock_hz = APB1_HZ, .baud = BAUD};
    start_clocks();
    systick_init(CLOCK_HZ / 1000u);
    core_clock_start();
    set_pins(GPIO_AFRL, 4u, 7u);
    set_pins(GPIO_PUPDR, 2u, 1u); /* up: an open receive pin is idle */
    set_pins(GPIO_MODER, 2u, 2u);
    if (!kymo_stm32_usart_init(&usart, &config)) {
        core_end(2);
    }
}

const struct kymo_transport *board_transport(void) { return kymo_stm32_usart_transport(&usart); }

_Noreturn void board_exit(int status) {
    while (!kymo_stm32_usart_idle(&usart)) {}
    core_end(status);
}
