/* SPDX-License-Identifier: MIT */
#include "cortex-m/cmsdk_timer.h"

#include "board.h"
#include "cortex-m/core.h"

/* "Cortex-M System Design Kit Technical Reference Manual", DDI 0479, table 4-2 "APB timer". */
#define CTRL 0x0u
#define CTRL_ENABLE 0x1u
#define CTRL_INTERRUPT 0x8u
#define VALUE 0x4u
#define RELOAD 0x8u
#define INTCLEAR 0xcu

void board_interrupt(void);

static struct {
    uintptr_t base;
    uint32_t ticks;
    unsigned interrupt;
    void (*handler)(void);
} timer;

static volatile uint32_t tick_count;

static void put(uintptr_t offset, uint32_t value) {
    *(volatile uint32_t *)(timer.base + offset) = value;
}

void cmsdk_timer_init(uintptr_t base, uint32_t ticks, unsigned interrupt) {
    timer.base = base;
    timer.ticks = ticks;
    timer.interrupt = interrupt;
    put(CTRL, 0u);
}

void board_timer_start(void (*tick)(void)) {
    timer.handler = tick;
    tick_count = 0u;
    put(RELOAD, timer.ticks - 1u); /* it counts down to 0 and one step further */
    put(VALUE, timer.ticks - 1u);
    put(CTRL, CTRL_ENABLE | CTRL_INTERRUPT);
    core_interrupt_enable(timer.interrupt);
}

void board_timer_stop(void) {
    put(CTRL, 0u);
    core_interrupt_disable(timer.interrupt);
}

uint32_t board_ticks(void) { return tick_count; }

void board_interrupt(void) {
    put(INTCLEAR, 1u);
    tick_count++;
    timer.handler();
}
