/* SPDX-License-Identifier: MIT */
/* A PC, in 64 or 32 bit: 8259A, 8254, 16550 at COM1. Run in QEMU, machine q35. */
#include "board.h"
#include "kymo/arch.h"
#include "kymo/kymo.h"
#include "kymo/sample.h"
#include "ns16550.h"
#include "text.h"
#include "x86/core.h"

#define COM1 0x3f8u
#define COM1_CLOCK_HZ 1843200u
/* 8259A data sheet (231468), "Initialization Command Words". */
#define PIC_1 0x20u
#define PIC_2 0xa0u
#define PIC_EDGE_CASCADE_ICW4 0x11u
#define PIC_8086 0x01u
#define PIC_END_OF_INTERRUPT 0x20u
/* 8254 data sheet (231164): channel 0, both bytes, mode 2 ("rate generator"). */
#define PIT_CHANNEL_0 0x40u
#define PIT_CONTROL 0x43u
#define PIT_MODE_2_CHANNEL_0 0x34u
#define PIT_DIVISOR 1193u /* 1193182 Hz / 1193 = 1000.15 Hz */
/* QEMU's isa-debug-exit: "value" ends it with status value << 1 | 1, which is never 0. */
#define DEBUG_EXIT 0xf4u
#define DEBUG_EXIT_PASS 16u

static bool has_core_1;
static struct core_counters counters;
static struct kymo_ns16550 uart;
static void (*tick_handler)(void);
static volatile uint32_t tick_count;

static uint8_t in(uintptr_t port) {
    uint8_t value;
    __asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"((uint16_t)port) : "memory");
    return value;
}

static void out(uintptr_t port, uint8_t value) {
    __asm__ volatile("outb %0, %1" ::"a"(value), "Nd"((uint16_t)port) : "memory");
}

/* Their vectors follow the exceptions; all are masked. */
static void set_up_pic(void) {
    out(PIC_1, PIC_EDGE_CASCADE_ICW4);
    out(PIC_2, PIC_EDGE_CASCADE_ICW4);
    out(PIC_1 + 1u, CORE_VECTOR_8259A);
    out(PIC_2 + 1u, CORE_VECTOR_8259A + 8u);
    out(PIC_1 + 1u, 4u); /* the second one is at input 2 */
    out(PIC_2 + 1u, 2u);
    out(PIC_1 + 1u, PIC_8086);
    out(PIC_2 + 1u, PIC_8086);
    out(PIC_1 + 1u, 0xffu);
    out(PIC_2 + 1u, 0xffu);
}

void board_init(void) {
    const struct kymo_ns16550_config config = {
        .base = COM1, .clock_hz = COM1_CLOCK_HZ, .baud = 115200u, .get = in, .put = out};
    core_set_gates();
    set_up_pic();
    if (!kymo_x86_clock_init() || !kymo_ns16550_init(&uart, &config)) {
        board_exit(2);
    }
    has_core_1 = core_start(&counters);
}

const struct kymo_transport *board_transport(void) { return kymo_ns16550_transport(&uart); }

#if KYMO_ENABLE

static void print(const struct text *line) {
    while (!kymo_print(line->bytes, line->length)) {
        (void)kymo_drain(0u);
    }
}

/* Reports how exact the times of this trace are. */
static void tell_clock(void) {
    static const char *const from[] = {"unknown", "given", "from CPUID", "measured by the PIT"};
    struct text line;
    text_start(&line, "pc: counter ");
    text_add(&line, kymo_x86_clock.invariant ? "invariant" : "NOT invariant");
    text_add(&line, ", its rate ");
    text_add(&line, from[kymo_x86_clock.rate]);
    text_add(&line, ", kHz ");
    /* By 8 and 125, as i386 would need a library to divide 64 bits. */
    text_add_number(&line, (uint32_t)(kymo_x86_clock.hz >> 3) / 125u);
    print(&line);
}

static void tell_cores(void) {
    struct text line;
    text_start(&line, "pc: the counters of the cores are ");
    text_add(&line, counters.apart_ticks != 0u ? "NOT in step, but apart by at least "
                                               : "in step, checked to ");
    const uint64_t ticks =
        counters.apart_ticks != 0u ? counters.apart_ticks : counters.within_ticks;
    text_add_number(&line, ticks > UINT32_MAX ? UINT32_MAX : (uint32_t)ticks);
    text_add(&line, " ticks");
    print(&line);
}

#else
static void tell_clock(void) {}
static void tell_cores(void) {}
#endif

void board_timer_start(void (*tick)(void)) {
    tell_clock();
    if (has_core_1) {
        tell_cores();
    }
    tick_handler = tick;
    tick_count = 0u;
    out(PIT_CONTROL, PIT_MODE_2_CHANNEL_0);
    out(PIT_CHANNEL_0, PIT_DIVISOR & 0xffu);
    out(PIT_CHANNEL_0, PIT_DIVISOR >> 8);
    out(PIC_1 + 1u, 0xfeu);
    __asm__ volatile("sti" ::: "memory");
}

void board_timer_stop(void) {
    __asm__ volatile("cli" ::: "memory");
    out(PIC_1 + 1u, 0xffu);
}

uint32_t board_ticks(void) { return tick_count; }

static _Noreturn void end(unsigned value) {
    out(DEBUG_EXIT, (uint8_t)value);
    for (;;) {
        __asm__ volatile("cli; hlt");
    }
}

/* Core 1 has no timer of its own: it sleeps until core 0 wakes it. */
static void tick(void) {
    out(PIC_1, PIC_END_OF_INTERRUPT);
    tick_count++;
    if (has_core_1) {
        core_wake();
    }
    tick_handler();
}

/* For samples: on this core only the record's address gives it. Above the record are the registers of vectors.S, and
 * the core's own: in 64-bit mode the stack pointer too, in 32-bit mode its stack goes on after the rest (SDM
 * 6.12.1, 6.14.2). */
#ifdef __x86_64__
static const uintptr_t *stack_of(const uintptr_t *record) { return (const uintptr_t *)record[16]; }
#else
static const uintptr_t *stack_of(const uintptr_t *record) { return record + 15; }
#endif
static struct kymo_interrupted interrupted;
const struct kymo_interrupted *board_interrupted(void) { return &interrupted; }

void board_trap(uintptr_t vector, const uintptr_t *record) {
    if (vector == CORE_VECTOR_8259A) {
        interrupted = (struct kymo_interrupted){.pc = record[1] - 1u,
                                                .frame = record[0] - 1u, /* without the mark */
                                                .stack = (uintptr_t)stack_of(record),
                                                .link = *stack_of(record)};
        tick();
    } else if (vector == CORE_VECTOR_WAKE) {
        core_interrupt_done();
    } else if (vector != CORE_VECTOR_SPURIOUS) {
        end(64u + (unsigned)vector); /* a fault of the firmware */
    }
}

bool board_start_core(unsigned core, void (*entry)(void)) {
    (void)core; /* it can only be 1 */
    if (has_core_1) {
        core_run(entry);
    }
    return has_core_1;
}

void board_idle(void) { core_idle(); }

_Noreturn void board_exit(int status) {
    while (!kymo_ns16550_idle(&uart)) {}
    end(status == 0 ? DEBUG_EXIT_PASS : (unsigned)status);
}
