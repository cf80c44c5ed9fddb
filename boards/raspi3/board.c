/* SPDX-License-Identifier: MIT */
/* Raspberry Pi 3 (BCM2837), two of its four Cortex-A53 in AArch64 state.
 *
 * Sources: "BCM2835 ARM Peripherals" (Broadcom, 6 February 2012; here "BCM"), whose bus addresses
 * 0x7exxxxxx are 0x3fxxxxxx for the cores of this chip; "ARM Quad A7 core" (BCM2836, revision 3.4; here
 * "QA7") for the timers' interrupts; config.txt of the Raspberry Pi documentation for the UART's clock. */
#include "board.h"

#include "arm/core.h"
#include "arm/registers.h"
#include "raspi3_uart.h"

/* BCM 6.1: three bits choose the function of a pin, ten pins a register. */
#define GPFSEL 0x3f200000u
#define GPIO_INPUT 0u
#define GPPUD 0x3f200094u
#define GPPUDCLK0 0x3f200098u
#define PULL_SETTLE_CYCLES 150u
/* QA7 4.6 and 4.10: bit 3 is the virtual timer. One register each core. */
#define CORE_TIMER_INTERRUPTS 0x40000040u
#define CORE_INTERRUPT_SOURCE 0x40000060u
#define VIRTUAL_TIMER 8u
#define CORES 4u

/* Where the boot code's other cores look for an address to go to: 0xd8 (armstub8.S of the Raspberry Pi tools;
 * QEMU has the same). Its address is in link.ld, as the compiler holds one so low for a null pointer's. */
extern volatile uint64_t boot_spin_table[CORES];

static void (*entries[BOARD_CORES])(void);

static volatile uint32_t *reg32(uintptr_t address) { return (volatile uint32_t *)address; }

static void set_function(unsigned pin, uint32_t function) {
    volatile uint32_t *select = reg32(GPFSEL + 4u * (pin / 10u));
    const unsigned shift = 3u * (pin % 10u);
    *select = (*select & ~(7u << shift)) | function << shift;
}

static void settle(void) {
    for (unsigned i = 0u; i < PULL_SETTLE_CYCLES; i++) {
        __asm__ volatile("nop");
    }
}

/* GPIO 14 and 15 (pins 8 and 10 of the header) to the UART, without pull resistors. The boot code may have
 * led the same UART to 32 and 33, where the Bluetooth chip is: they are let go. */
static void set_up_pins(void) {
    set_function(32u, GPIO_INPUT);
    set_function(33u, GPIO_INPUT);
    set_function(14u, RASPI3_UART_FUNCTION);
    set_function(15u, RASPI3_UART_FUNCTION);
    *reg32(GPPUD) = 0u;
    settle();
    *reg32(GPPUDCLK0) = 3u << 14;
    settle();
    *reg32(GPPUDCLK0) = 0u;
}

static void send_core(unsigned core, void (*entry)(void)) {
    boot_spin_table[core] = (uintptr_t)entry;
    __asm__ volatile("dsb sy\n\tsev" ::: "memory");
}

void board_init(void) {
    for (unsigned core = BOARD_CORES; core < CORES; core++) {
        send_core(core, core_sleep);
    }
    core_check_clock();
    set_up_pins();
    if (!raspi3_uart_init()) {
        core_end(CORE_NO_LINK);
    }
}

const struct kymo_transport *board_transport(void) { return raspi3_uart_transport(); }

void board_route_timer(void) { *reg32(CORE_TIMER_INTERRUPTS + 4u * core_number()) = VIRTUAL_TIMER; }

void board_interrupt(void) {
    if ((*reg32(CORE_INTERRUPT_SOURCE + 4u * core_number()) & VIRTUAL_TIMER) != 0u) {
        core_timer_interrupt();
    }
}

bool board_start_core(unsigned core, void (*entry)(void)) {
    entries[core] = entry;
    send_core(core, core_start);
    return true;
}

void core_main(unsigned core) {
    board_route_timer();
    entries[core]();
}

_Noreturn void board_exit(int status) {
    while (!raspi3_uart_idle()) {}
    core_end(status);
}
