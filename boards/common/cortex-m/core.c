/* SPDX-License-Identifier: MIT */
#include "cortex-m/core.h"

#include <stdbool.h>

#include "board.h"
#include "kymo/arch.h"

#define DEMO_CORE 0
#include "count.h"

/* "Semihosting for AArch32 and AArch64", Arm: SYS_EXIT_EXTENDED and its reason ADP_Stopped_ApplicationExit. */
#define SYS_EXIT_EXTENDED 0x20u
#define APPLICATION_EXIT 0x20026u

/* Exit status of an unexpected exception: this and its number. 67 is a hard fault. */
#define FAULT_STATUS 64

/* NVIC: ARMv7-M ARM B3.4.4, B3.4.5, B3.4.7 (ARMv6-M: the same, for 32 interrupts). */
#define NVIC_ISER 0xe000e100u
#define NVIC_ICER 0xe000e180u
#define NVIC_ICPR 0xe000e280u

void core_fault(void);

static bool ending;

static void set_bit(uintptr_t registers, unsigned number) {
    *(volatile uint32_t *)(registers + 4u * (number / 32u)) = 1u << number % 32u;
}

void core_interrupt_enable(unsigned number) { set_bit(NVIC_ISER, number); }

void core_interrupt_disable(unsigned number) {
    set_bit(NVIC_ICER, number);
    __asm__ volatile("dsb\n\tisb" ::: "memory"); /* from here on it cannot strike */
    set_bit(NVIC_ICPR, number);
}

void core_clock_start(void) {
    switch (kymo_cortexm_start()) {
    case KYMO_CORTEXM_CYCCNT:
        DEMO_MESSAGE("clock.cyccnt", "clock: the core's cycle counter");
        break;
    case KYMO_CORTEXM_SYSTICK:
        DEMO_MESSAGE_LEVEL("clock.systick", KYMO_LEVEL_WARNING,
                           "clock: SysTick, as this core's cycle counter stands still");
        break;
    case KYMO_CORTEXM_CHIP_TIMER:
        DEMO_MESSAGE("clock.timer", "clock: a timer of the chip");
        break;
    case KYMO_CORTEXM_NONE:
    default:
        core_end(CORE_NO_CLOCK);
    }
}

_Noreturn void core_end(int status) {
    const uint32_t block[2] = {APPLICATION_EXIT, (uint32_t)status};
    register uint32_t operation __asm__("r0") = SYS_EXIT_EXTENDED;
    register const uint32_t *argument __asm__("r1") = block;
    ending = true;
    __asm__ volatile("bkpt 0xab" : "+r"(operation) : "r"(argument) : "memory");
    for (;;) {
        __asm__ volatile("wfi");
    }
}

/* Without semihosting the breakpoint of core_end() is a fault, and the end. */
void core_fault(void) {
    uint32_t number;
    __asm__ volatile("mrs %0, ipsr" : "=r"(number));
    while (ending) {
        __asm__ volatile("wfi");
    }
    core_end(FAULT_STATUS + (int)(number & 0x3fu));
}

void board_idle(void) { __asm__ volatile("dsb\n\twfi" ::: "memory"); }
