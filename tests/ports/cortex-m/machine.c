/* SPDX-License-Identifier: MIT */
/* The machine of the contract's test: any emulated Cortex-M. Further compiled with
 *   CHECK_CLOCK    the counter that kymo_cortexm_start() must choose
 *   CHECK_PERIOD   0, or the period of a SysTick that the firmware runs already, with its interrupt
 *   CHECK_SETUP    statements that start the chip's timer, if that is the clock
 *   CHECK_ONLY_START  if defined, that choice is all */
#include "contract.h"
#include "kymo/kymo.h"

/* No runtime is linked. */
KYMO_HAS_KNOB_(KYMO_KNOB_NAMES_);
KYMO_HAS_KNOB_(KYMO_KNOB_MEMORY_);

#ifndef CHECK_SETUP
#define CHECK_SETUP
#endif

/* ARMv7-M ARM B3.3.3 to B3.3.5 and B3.2.4. */
#define SYST_CSR 0xe000e010u
#define SYST_RVR 0xe000e014u
#define SYST_CVR 0xe000e018u
#define ICSR 0xe000ed04u
#define ICSR_PENDSVSET 0x10000000u
#define SHPR3 0xe000ed20u
#define SHPR3_PENDSV_LOWEST 0xff0000u
#define SV_CALL 11u

/* "Semihosting for AArch32 and AArch64", Arm. */
#define SYS_EXIT_EXTENDED 0x20u
#define APPLICATION_EXIT 0x20026u

int check(void);
void fault(void);
void pend_sv(void);
void sys_tick(void);

static volatile uint32_t wraps;

static void put(uintptr_t address, uint32_t value) { *(volatile uint32_t *)address = value; }

_Noreturn void machine_finish(int status) {
    const uint32_t block[2] = {APPLICATION_EXIT, (uint32_t)status};
    register uint32_t operation __asm__("r0") = SYS_EXIT_EXTENDED;
    register const uint32_t *argument __asm__("r1") = block;
    __asm__ volatile("bkpt 0xab" : "+r"(operation) : "r"(argument) : "memory");
    for (;;) {}
}

void fault(void) {
    uint32_t number;
    __asm__ volatile("mrs %0, ipsr" : "=r"(number));
    if (number == SV_CALL) {
        callstack_trap();
        return;
    }
    machine_finish(FAULT + (int)(number & 63u));
}

void pend_sv(void) { contract_interrupt(); }

/* Between main code's readings, at any instruction: it must never see less than they. */
static volatile uint64_t seen;

void sys_tick(void) {
    const uint64_t now = kymo_arch_clock64();
    if (now < seen) {
        machine_finish(CLOCK64_GOES_BACK);
    }
    wraps++;
}

static uint64_t read_and_compare(void) {
    const kymo_arch_state state = kymo_arch_mask();
    const uint64_t now = kymo_arch_clock64();
    const bool back = now < seen;
    seen = now;
    kymo_arch_unmask(state);
    if (back) {
        machine_finish(CLOCK64_GOES_BACK);
    }
    return now;
}

#if CHECK_PERIOD

/* As many periods pass on the clock as there are interrupts: each is counted once, no more. One may
 * be under way at either end. Virtual time makes that exact (see check.sh). */
int machine_check_clock(void) {
    const uint64_t first = read_and_compare();
    const uint32_t before = wraps;
    while (wraps - before < 3000u) {
        (void)read_and_compare();
    }
    const uint64_t passed = read_and_compare() - first;
    const uint64_t expected = (uint64_t)(wraps - before) * CHECK_PERIOD;
    const bool right = passed + CHECK_PERIOD >= expected && passed <= expected + CHECK_PERIOD;
    return right ? 0 : CLOCK64_MISSES_THE_WRAP;
}

#else

int machine_check_clock(void) {
    for (unsigned i = 0u; i < 100000u; i++) {
        (void)read_and_compare();
    }
    return 0;
}

#endif

bool machine_enabled(void) {
    uint32_t primask;
    __asm__ volatile("mrs %0, primask" : "=r"(primask)::"memory");
    return primask == 0u;
}

void machine_enable(bool on) {
    if (on) {
        __asm__ volatile("cpsie i" ::: "memory");
    } else {
        __asm__ volatile("cpsid i" ::: "memory");
    }
}

void machine_raise(void) {
    put(ICSR, ICSR_PENDSVSET);
    __asm__ volatile("dsb\n\tisb" ::: "memory");
}

int machine_check_mask(void) { return 0; }

/* The port calls it where nothing counts. */
void kymo_stop(void) {}

/* For a function without a frame, or after its push and before it reserves room: the table does not hold yet. */
#ifdef CHECK_PROLOGUE
#define BEFORE ".save {r4, lr}\n\tpush {r4, lr}"
#define BEHIND ".pad #16\n\tsub sp, #16\n\tadd sp, #16\n\tpop {r4, pc}"
#else
#define BEFORE
#define BEHIND "bx lr"
#endif
__asm__(".syntax unified\n\t.thumb\n\t.thumb_func\n\t.globl "
        "machine_trap\nmachine_trap:\n\t.fnstart\n\t" BEFORE "\n\tsvc 0\n\t" BEHIND "\n\t.fnend");

int check(void) {
    put(SHPR3, SHPR3_PENDSV_LOWEST); /* so that machine_trap() traps in its handler, too */
#if CHECK_PERIOD
    put(SYST_RVR, CHECK_PERIOD - 1u);
    put(SYST_CVR, 0u);
    put(SYST_CSR, 7u);
#endif
    CHECK_SETUP;
    if (kymo_cortexm_start() != CHECK_CLOCK) {
        machine_finish(MACHINE_IS_NOT_FIT);
    }
#ifdef CHECK_ONLY_START
    machine_finish(0);
#else
    return contract_check();
#endif
}
