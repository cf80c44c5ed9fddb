/* SPDX-License-Identifier: MIT */
/* BBC micro:bit, version 1: nRF51822, a Cortex-M0 at 16 MHz. Section numbers are of the "nRF51 Series
 * Reference Manual", version 3.0; pins of the micro:bit's published schematic. */
#include "board.h"
#include "cortex-m/core.h"
#include "nrf_uart.h"

/* 13.2: the crystal. Without it the clock is an RC oscillator, too far off for a UART. */
#define CLOCK 0x40000000u
#define TASKS_HFCLKSTART 0x000u
#define EVENTS_HFCLKSTARTED 0x100u
/* The crystal needs less than 1 ms, so no more looks than take some milliseconds. */
#define CRYSTAL_LOOKS 20000u

/* 18.2: TIMER0 is the clock of the trace, TIMER1 the tick. */
#define TIMER0 0x40008000u
#define TIMER1 0x40009000u
#define TIMER1_INTERRUPT 9u
#define TASKS_START 0x000u
#define TASKS_STOP 0x004u
#define TASKS_CLEAR 0x00cu
#define EVENTS_COMPARE0 0x140u
#define SHORTS 0x200u
#define SHORT_COMPARE0_CLEAR 0x1u
#define INTENSET 0x304u
#define INT_COMPARE0 0x10000u
#define MODE 0x504u /* 0 is "timer" */
#define BITMODE 0x508u
#define BITMODE_16 0u
#define BITMODE_32 3u
#define PRESCALER 0x510u /* 16 MHz / 2^n */
#define CC0 0x540u

/* 14.2: port 0. */
#define GPIO 0x50000000u
#define OUTSET 0x508u
#define DIRSET 0x518u
#define PIN_CNF 0x700u /* 0: input, connected, no pull */

#define UART0 0x40002000u
#define PIN_TRANSMIT 24u
#define PIN_RECEIVE 25u
#define BAUD 115200u

void board_interrupt(void);

static struct kymo_nrf_uart uart;
static void (*tick_handler)(void);
static volatile uint32_t tick_count;

static volatile uint32_t *reg(uintptr_t base, uintptr_t offset) {
    return (volatile uint32_t *)(base + offset);
}

static void start_crystal(void) {
    *reg(CLOCK, EVENTS_HFCLKSTARTED) = 0u;
    *reg(CLOCK, TASKS_HFCLKSTART) = 1u;
    for (uint32_t look = 0u; look < CRYSTAL_LOOKS; look++) {
        if (*reg(CLOCK, EVENTS_HFCLKSTARTED) != 0u) {
            break;
        }
    }
}

static void set_timer(uintptr_t timer, uint32_t bits, uint32_t prescaler) {
    *reg(timer, TASKS_STOP) = 1u;
    *reg(timer, TASKS_CLEAR) = 1u;
    *reg(timer, MODE) = 0u;
    *reg(timer, BITMODE) = bits;
    *reg(timer, PRESCALER) = prescaler;
}

void board_init(void) {
    const struct kymo_nrf_uart_config config = {
        .base = UART0, .transmit_pin = PIN_TRANSMIT, .receive_pin = PIN_RECEIVE, .baud = BAUD};
    start_crystal();
    set_timer(TIMER0, BITMODE_32, 0u);
    *reg(TIMER0, TASKS_START) = 1u;
    set_timer(TIMER1, BITMODE_16, 4u);
    core_clock_start();
    *reg(GPIO, OUTSET) = 1u << PIN_TRANSMIT; /* high is idle */
    *reg(GPIO, DIRSET) = 1u << PIN_TRANSMIT;
    *reg(GPIO, PIN_CNF + 4u * PIN_RECEIVE) = 0u;
    if (!kymo_nrf_uart_init(&uart, &config)) {
        core_end(2);
    }
}

const struct kymo_transport *board_transport(void) { return kymo_nrf_uart_transport(&uart); }

/* 1 MHz, back to 0 at 1000. */
void board_timer_start(void (*tick)(void)) {
    tick_handler = tick;
    tick_count = 0u;
    *reg(TIMER1, CC0) = 1000u;
    *reg(TIMER1, SHORTS) = SHORT_COMPARE0_CLEAR;
    *reg(TIMER1, EVENTS_COMPARE0) = 0u;
    *reg(TIMER1, INTENSET) = INT_COMPARE0;
    *reg(TIMER1, TASKS_START) = 1u;
    core_interrupt_enable(TIMER1_INTERRUPT);
}

void board_timer_stop(void) {
    *reg(TIMER1, TASKS_STOP) = 1u;
    core_interrupt_disable(TIMER1_INTERRUPT);
}

uint32_t board_ticks(void) { return tick_count; }

void board_interrupt(void) {
    *reg(TIMER1, EVENTS_COMPARE0) = 0u;
    tick_count++;
    tick_handler();
}

_Noreturn void board_exit(int status) {
    while (!kymo_nrf_uart_idle(&uart)) {}
    core_end(status);
}
