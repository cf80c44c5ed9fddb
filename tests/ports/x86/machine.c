/* SPDX-License-Identifier: MIT */
/* A PC for the contract test, in 32 or 64 bit: the interrupt is one that the core sends itself through its
 * local APIC. */
#include "contract.h"
#include "x86/core.h"

#define DEBUG_EXIT 0xf4u
/* SDM volume 3, 11.6.1 ("Interrupt Command Register"). */
#define COMMAND_TO_SELF 0x40000u
#define VECTOR_BREAKPOINT 3u
#define VECTOR_RAISED (CORE_VECTOR_WAKE + 1u)

int check(void);

static void out(uint16_t port, uint8_t value) {
    __asm__ volatile("outb %0, %1" ::"a"(value), "Nd"(port) : "memory");
}

/* The exit device makes status << 1 | 1 of it, and 16 means "passed". */
_Noreturn void machine_finish(int status) {
    out(DEBUG_EXIT, status == 0 ? 16u : (uint8_t)(status + 16));
    for (;;) {}
}

int machine_check_clock(void) { return 0; }

bool machine_enabled(void) {
#ifdef __x86_64__
    return (__builtin_ia32_readeflags_u64() & 0x200u) != 0u;
#else
    return (__builtin_ia32_readeflags_u32() & 0x200u) != 0u;
#endif
}

void machine_enable(bool on) {
    if (on) {
        __asm__ volatile("sti" ::: "memory");
    } else {
        __asm__ volatile("cli" ::: "memory");
    }
}

int machine_check_mask(void) { return 0; }

void machine_raise(void) { *core_apic(CORE_APIC_COMMAND) = COMMAND_TO_SELF | VECTOR_RAISED; }

__asm__(".globl machine_trap\nmachine_trap:\n\tint3\n\tret");

void board_trap(uintptr_t vector, const uintptr_t *record) {
    (void)record;
    if (vector == VECTOR_BREAKPOINT) {
        callstack_trap();
        return;
    }
    if (vector != CORE_VECTOR_WAKE && vector != VECTOR_RAISED) {
        machine_finish(FAULT + (int)vector);
    }
    core_interrupt_done();
    if (vector == VECTOR_RAISED) {
        contract_interrupt();
    }
}

static int check_this_core(void) {
    if (!kymo_x86_clock_init() || kymo_x86_clock.rate != CHECK_RATE) {
        return MACHINE_IS_NOT_FIT;
    }
    return contract_check();
}

static void begin(void) {
    core_set_gates();
    out(0x21u, 0xffu); /* nothing from the old controllers */
    out(0xa1u, 0xffu);
}

#ifdef CHECK_SECOND_CORE

static void second_core(void) { machine_finish(check_this_core()); }

int check(void) {
    struct core_counters counters;
    begin();
    if (!core_start(&counters) || counters.apart_ticks != 0u) {
        return MACHINE_IS_NOT_FIT;
    }
    core_run(second_core);
    for (;;) {
        __asm__ volatile("hlt");
    }
}

#else

int check(void) {
    begin();
    core_open_apic();
    return check_this_core();
}

#endif
