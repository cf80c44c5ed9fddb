/* SPDX-License-Identifier: MIT */
/* Starts a second core, by the sequence of SDM volume 3, 9.4.4.1 ("Typical BSP Initialization Sequence"). */
#include <stdatomic.h>
#include <stddef.h>

#include "board_config.h"
#include "kymo/arch.h"
#include "x86/core.h"
#include "x86/segments.h"

/* SDM 11.6.1 ("Interrupt Command Register"): to all but oneself, "assert". */
#define COMMAND_TO_OTHERS 0xc4000u
#define COMMAND_INIT 0x500u
#define COMMAND_START_UP 0x600u
#define COMMAND_PENDING 0x1000u
#define MOST_READS 1000000u /* of a command that stays pending */

#define INIT_US 10000u
#define START_UP_US 200u
#define ARRIVAL_US 1000000u /* of an emulator whose host is busy, too */

/* IA32_APIC_BASE, from family 6 on: SDM 11.4.4. Its address and state, of which "on, not x2APIC" will do. */
#define APIC_BASE_MSR 0x1bu
#define APIC_BASE_STATE 0xfffffc00u
#define APIC_BASE_ON 0x800u

/* A write to the port of the power-on self test takes a PC about a microsecond. */
#define PORT_POST 0x80u

#define ROUNDS 32u

void core_main(void);
extern const uint8_t core_trampoline[], core_trampoline_end[];

/* Numbers that were given out, also to cores that came too late: start.S. */
atomic_uint core_count;

/* "asked" is written by the first core, the other two by the second. */
static atomic_uint asked, answered;
static uint64_t answer_ticks;

static _Atomic(void (*)(void)) other_entry;

struct leaf {
    uint32_t eax, ebx, ecx, edx;
};

static struct leaf cpuid(uint32_t number) {
    struct leaf leaf = {number, 0u, 0u, 0u};
    __asm__ volatile("cpuid"
                     : "+a"(leaf.eax), "=b"(leaf.ebx), "+c"(leaf.ecx), "=d"(leaf.edx)::"memory");
    return leaf;
}

static void relax(void) { __asm__ volatile("pause" ::: "memory"); }

static void wait_us(uint32_t us) {
    for (uint32_t i = 0u; i < us; i++) {
        __asm__ volatile("outb %0, %1" ::"a"((uint8_t)0u), "Nd"((uint16_t)PORT_POST) : "memory");
        relax(); /* an emulator on one thread goes on to the next core here */
    }
}

static bool apic_is_usable(void) {
    const struct leaf leaf = cpuid(1u);
    if ((leaf.edx & 0x200u) == 0u || (leaf.eax >> 8 & 15u) < 6u) {
        return false;
    }
    uint32_t low, high;
    __asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(APIC_BASE_MSR));
    return (low & APIC_BASE_STATE) == (CORE_APIC | APIC_BASE_ON) && high == 0u;
}

static void command(uint32_t what) {
    for (uint32_t i = 0u; i < MOST_READS && (*core_apic(CORE_APIC_COMMAND) & COMMAND_PENDING) != 0u;
         i++) {
        relax();
    }
    *core_apic(CORE_APIC_COMMAND) = COMMAND_TO_OTHERS | what;
}

/* ---- the two counters ---- */

/* CPUID waits for all before it (SDM 9.3), which RDTSC does not. */
static uint64_t counter(void) {
    (void)cpuid(0u);
    return kymo_arch_clock64();
}

static void answer(void) {
    for (unsigned round = 1u; round <= ROUNDS; round++) {
        while (atomic_load_explicit(&asked, memory_order_acquire) != round) {
            relax();
        }
        answer_ticks = counter();
        atomic_store_explicit(&answered, round, memory_order_release);
    }
}

/* In step, the other core's counter is between this core's counters before and afterwards. */
static void compare(struct core_counters *counters) {
    counters->apart_ticks = 0u;
    counters->within_ticks = UINT64_MAX;
    for (unsigned round = 1u; round <= ROUNDS; round++) {
        const uint64_t before = counter();
        atomic_store_explicit(&asked, round, memory_order_release);
        while (atomic_load_explicit(&answered, memory_order_acquire) != round) {
            relax();
        }
        const uint64_t after = counter();
        const uint64_t apart = answer_ticks < before  ? before - answer_ticks
                               : answer_ticks > after ? answer_ticks - after
                                                      : 0u;
        counters->apart_ticks = apart > counters->apart_ticks ? apart : counters->apart_ticks;
        if (after - before < counters->within_ticks) {
            counters->within_ticks = after - before;
        }
    }
}

/* ---- start ---- */

static bool has_arrived(void) { return atomic_load(&core_count) > 1u; }

bool core_start(struct core_counters *counters) {
    if (!apic_is_usable()) {
        return false;
    }
    volatile uint8_t *place = (volatile uint8_t *)(uintptr_t)CORE_TRAMPOLINE;
    for (const uint8_t *from = core_trampoline; from < core_trampoline_end; from++) {
        *place++ = *from;
    }
    atomic_store(&core_count, 1u);
    command(COMMAND_INIT);
    wait_us(INIT_US);
    command(COMMAND_START_UP | CORE_TRAMPOLINE >> 12);
    wait_us(START_UP_US);
    if (!has_arrived()) {
        command(COMMAND_START_UP | CORE_TRAMPOLINE >> 12);
    }
    for (uint32_t us = 0u; us < ARRIVAL_US && !has_arrived(); us += START_UP_US) {
        wait_us(START_UP_US);
    }
    /* From here on nobody comes any more. */
    if (atomic_exchange(&core_count, BOARD_CORES) < 2u) {
        return false;
    }
    compare(counters);
    return true;
}

/* start.S calls it on the second core. */
void core_main(void) {
    core_load_gates();
    core_open_apic();
    answer();
    __asm__ volatile("sti" ::: "memory");
    void (*entry)(void);
    while ((entry = atomic_load_explicit(&other_entry, memory_order_acquire)) == NULL) {
        core_idle();
    }
    entry();
}

void core_run(void (*entry)(void)) {
    atomic_store_explicit(&other_entry, entry, memory_order_release);
    core_wake();
}

void core_wake(void) { command(CORE_VECTOR_WAKE); }
