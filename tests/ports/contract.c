/* SPDX-License-Identifier: MIT */
#include "contract.h"
#include "kymo/counters.h"

#ifndef CHECK_HZ_MOST
#define CHECK_HZ_MOST CHECK_HZ
#endif

static int check_clock(void) {
    const kymo_clock_t first = kymo_arch_clock();
    kymo_clock_t before = first;
    for (unsigned i = 0u; i < 1000000u && kymo_arch_clock() == first; i++) {}
    if (kymo_arch_clock() == first) {
        return CLOCK_STANDS;
    }
    for (unsigned i = 0u; i < 1000u; i++) {
        const kymo_clock_t low = kymo_arch_clock();
        const uint64_t whole = kymo_arch_clock64();
        const kymo_clock_t after = kymo_arch_clock();
        if (low < before) {
            return CLOCK_GOES_BACK;
        }
        if ((kymo_clock_t)whole < low || (kymo_clock_t)whole > after) {
            return CLOCK64_DIFFERS;
        }
        before = low;
    }
    const uint64_t least = CHECK_HZ, most = CHECK_HZ_MOST;
    const uint64_t hz = kymo_arch_clock_hz();
    return hz >= least && hz <= most ? 0 : RATE_DIFFERS;
}

/* By less than half of the 32 bits, of course. */
static bool goes_back(uint32_t (*counter)(void)) {
    uint32_t before = counter();
    for (unsigned i = 0u; i < 1000u; i++) {
        const uint32_t now = counter();
        if (now - before > UINT32_MAX / 2u) {
            return true;
        }
        before = now;
    }
    return false;
}

static int check_counters(void) {
    const uint32_t counting = kymo_counters_start();
    if (counting != (CHECK_COUNTERS)) {
        return OTHER_COUNTERS_COUNT;
    }
    const bool cycles = (counting & KYMO_COUNTER_CYCLES) != 0u;
    const bool instructions = (counting & KYMO_COUNTER_INSTRUCTIONS) != 0u;
    return (cycles && goes_back(kymo_arch_cycles)) ||
                   (instructions && goes_back(kymo_arch_instructions))
               ? COUNTER_GOES_BACK
               : 0;
}

#ifdef CHECK_EVENT

static uint32_t last_counter(void) { return kymo_arch_event_count(KYMO_COUNTER_EVENTS - 1u); }

/* A counter that was refused goes on as before. */
static int check_events(void) {
    const uint32_t last = KYMO_COUNTER_EVENTS - 1u;
    if (!kymo_arch_event_start(last, CHECK_EVENT) || kymo_arch_event_start(0u, CHECK_NO_EVENT) ||
        kymo_arch_event_start(31u, CHECK_EVENT)) {
        return OTHER_EVENTS_COUNT;
    }
    return !kymo_counter_moves(last_counter) ? EVENT_DOES_NOT_COUNT
           : goes_back(last_counter)         ? COUNTER_GOES_BACK
                                             : 0;
}

#else

static int check_events(void) {
    return kymo_arch_event_start(31u, KYMO_EVENT_UNKNOWN) ? OTHER_EVENTS_COUNT : 0;
}

#endif

#if KYMO_ARCH_ATOMIC

static int check_mask(void) { return 0; }
static int check_interrupt(void) { return 0; }

void contract_interrupt(void) {}

#else

static volatile unsigned interrupts;

void contract_interrupt(void) {
    interrupts++;
    callstack_interrupt();
}

static int check_mask(void) {
    machine_enable(true);
    const kymo_arch_state outer = kymo_arch_mask();
    if (machine_enabled()) {
        return MASK_LEAVES_INTERRUPTS_ON;
    }
    kymo_arch_unmask(kymo_arch_mask());
    if (machine_enabled()) {
        return UNMASK_OF_INNER_ENABLES;
    }
    kymo_arch_unmask(outer);
    if (!machine_enabled()) {
        return UNMASK_LEAVES_INTERRUPTS_OFF;
    }
    machine_enable(false);
    kymo_arch_unmask(kymo_arch_mask());
    if (machine_enabled()) {
        return UNMASK_ENABLES_WHAT_WAS_OFF;
    }
    return machine_check_mask();
}

static int check_interrupt(void) {
    machine_enable(true);
    const kymo_arch_state before = kymo_arch_mask();
    machine_raise();
    for (unsigned i = 0u; i < 1000u; i++) {
        if (interrupts != 0u) {
            return INTERRUPT_STRUCK_INSIDE;
        }
    }
    kymo_arch_unmask(before);
    for (unsigned i = 0u; i < 1000000u && interrupts == 0u; i++) {}
    return interrupts == 1u ? 0 : INTERRUPT_DID_NOT_COME;
}

#endif

int contract_check(void) {
    int broken = check_clock();
    broken = broken != 0 ? broken : machine_check_clock();
    broken = broken != 0 || kymo_arch_lane() == CHECK_LANE ? broken : LANE_DIFFERS;
    broken = broken != 0 ? broken : check_mask();
    broken = broken != 0 ? broken : check_interrupt();
    broken = broken != 0 ? broken : check_counters();
    broken = broken != 0 ? broken : check_events();
    return broken != 0 ? broken : callstack_check();
}
