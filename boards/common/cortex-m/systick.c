/* SPDX-License-Identifier: MIT */
#include "cortex-m/systick.h"

#include "board.h"
#include "kymo_cortexm_sample.h"

/* ARMv7-M ARM B3.3.3 to B3.3.5, B3.2.4 (ARMv6-M: the same). SYST_CSR is written, never read: reading takes
 * away the flag that the port's clock needs. */
#define SYST_CSR 0xe000e010u
#define CSR_COUNTS 0x5u /* on the core's clock */
#define CSR_INTERRUPTS 0x7u
#define SYST_RVR 0xe000e014u
#define SYST_CVR 0xe000e018u
#define ICSR 0xe000ed04u
#define ICSR_PENDSTCLR 0x2000000u

static void (*tick_handler)(void);
static volatile uint32_t tick_count;

static void put(uintptr_t address, uint32_t value) { *(volatile uint32_t *)address = value; }

void systick_init(uint32_t ticks) {
    put(SYST_RVR, ticks - 1u);
    put(SYST_CVR, 0u);
    put(SYST_CSR, CSR_COUNTS);
}

void board_timer_start(void (*tick)(void)) {
    tick_handler = tick;
    tick_count = 0u;
    put(SYST_CSR, CSR_INTERRUPTS);
}

void board_timer_stop(void) {
    put(SYST_CSR, CSR_COUNTS);
    __asm__ volatile("dsb\n\tisb" ::: "memory");
    put(ICSR, ICSR_PENDSTCLR);
}

uint32_t board_ticks(void) { return tick_count; }

static const struct kymo_interrupted *interrupted;
const struct kymo_interrupted *board_interrupted(void) { return interrupted; }

KYMO_CORTEXM_SAMPLING_HANDLER(core_systick, systick_tick);

void systick_tick(const struct kymo_interrupted *at) {
    interrupted = at;
    tick_count++;
    tick_handler();
}
