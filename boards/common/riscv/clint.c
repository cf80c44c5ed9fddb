/* SPDX-License-Identifier: MIT */
#include "riscv/clint.h"

#include "board.h"

/* "SiFive FU540-C000 Manual", v1p0, chapter 9 ("Core-Local Interruptor"); the same in the FE310. */
#define CLINT_MSIP 0x02000000u
#define CLINT_MTIMECMP 0x02004000u
#define CLINT_MTIME 0x0200bff8u

#define MSTATUS_MIE 8u
#define MIE_MTIE 0x80u
/* mcause of the machine timer interrupt: the top bit and 7 (privileged manual, table 3.6). */
#define CAUSE_TIMER (((unsigned long)1 << (__riscv_xlen - 1)) | 7u)

void (*board_entries[BOARD_CORES])(void); /* read by start.S */

static void (*tick_handler)(void);
static uint64_t tick_deadline;  /* of hart 0, in units of mtime */
static uint32_t tick_remainder; /* thousandths of such a unit that the deadline is early */
static volatile uint32_t tick_count;

static volatile uint32_t *reg32(uintptr_t address) { return (volatile uint32_t *)address; }

static unsigned hart_number(void) {
    unsigned long hart;
    __asm__("csrr %0, mhartid" : "=r"(hart));
    return (unsigned)hart;
}

static uint64_t mtime(void) {
    uint32_t high, low;
    do {
        high = *reg32(CLINT_MTIME + 4u);
        low = *reg32(CLINT_MTIME);
    } while (high != *reg32(CLINT_MTIME + 4u));
    return ((uint64_t)high << 32) | low;
}

/* In halves, so that it serves rv32 too; the largest high half keeps a mixed value from firing
 * (privileged manual 3.2.1). */
static void set_deadline(uint64_t time) {
    const uintptr_t compare = CLINT_MTIMECMP + 8u * hart_number();
    *reg32(compare + 4u) = UINT32_MAX;
    *reg32(compare) = (uint32_t)time;
    *reg32(compare + 4u) = (uint32_t)(time >> 32);
}

/* A millisecond need not be a whole number of units: mtime runs at 32768 Hz on some boards. */
static void next_deadline(void) {
    tick_deadline += BOARD_MTIME_HZ / 1000u;
    tick_remainder += BOARD_MTIME_HZ % 1000u;
    if (tick_remainder >= 1000u) {
        tick_remainder -= 1000u;
        tick_deadline++;
    }
}

void board_timer_start(void (*tick)(void)) {
    tick_handler = tick;
    tick_count = 0u;
    tick_remainder = 0u;
    tick_deadline = mtime();
    next_deadline();
    set_deadline(tick_deadline);
    __asm__ volatile("csrs mie, %0" ::"r"((unsigned long)MIE_MTIE));
    __asm__ volatile("csrs mstatus, %0" ::"r"((unsigned long)MSTATUS_MIE) : "memory");
}

void board_timer_stop(void) {
    __asm__ volatile("csrc mie, %0" ::"r"((unsigned long)MIE_MTIE) : "memory");
}

void board_timer_in(uint32_t ticks) {
    tick_deadline = mtime() + ticks;
    set_deadline(tick_deadline);
}

uint32_t board_ticks(void) { return tick_count; }

/* An emulator can be held up for many periods: the missed ones count, but are not made up for. */
static void timer_interrupt(void) {
    const uint64_t now = mtime();
    do {
        tick_count++;
        next_deadline();
    } while (tick_deadline <= now);
    set_deadline(tick_deadline);
    tick_handler();
}

__attribute__((weak)) void board_trap(unsigned long cause) {
    if (cause != CAUSE_TIMER) {
        board_end(64 + (int)(cause & 0x3fu)); /* a fault of the firmware */
    }
    timer_interrupt();
}

bool board_start_core(unsigned core, void (*entry)(void)) {
    board_entries[core] = entry;
    __asm__ volatile("fence rw, rw" ::: "memory");
    *reg32(CLINT_MSIP + 4u * core) = 1u;
    return true;
}

/* Hart 0 is woken by its tick. The others have no interrupt on, so they set an alarm of their own:
 * wfi ends when an interrupt is pending, also while interrupts are masked (privileged manual 3.3.3). */
void board_idle(void) {
    if (hart_number() != 0u) {
        set_deadline(mtime() + BOARD_MTIME_HZ / 1000u);
        __asm__ volatile("csrs mie, %0" ::"r"((unsigned long)MIE_MTIE));
    }
    __asm__ volatile("wfi" ::: "memory");
}
