/* SPDX-License-Identifier: MIT */
/* The cores of a PC: their interrupts, and a second one. SDM: Intel 64 and IA-32 Architectures Software Developer's
 * Manual, volume 3. */
#ifndef X86_CORE_H
#define X86_CORE_H

#include <stdbool.h>
#include <stdint.h>

/* The first 16 vectors from 32 on are for the 8259A. A spurious vector ends in ones (SDM 11.9). */
#define CORE_VECTORS 64u
#define CORE_VECTOR_8259A 32u
#define CORE_VECTOR_WAKE 48u
#define CORE_VECTOR_SPURIOUS 63u

/* ---- the local APIC ---- */

/* Where it is after reset, and its registers: SDM 11.4.1, table 11-1. */
#define CORE_APIC 0xfee00000u
#define CORE_APIC_END_OF_INTERRUPT 0x0b0u
#define CORE_APIC_SPURIOUS 0x0f0u
#define CORE_APIC_COMMAND 0x300u

static inline volatile uint32_t *core_apic(uintptr_t offset) {
    return (volatile uint32_t *)(CORE_APIC + offset);
}

/* This core takes interrupts of its local APIC. They may be masked. */
void core_open_apic(void);

/* Takes note of such an interrupt. Not for CORE_VECTOR_SPURIOUS. */
static inline void core_interrupt_done(void) { *core_apic(CORE_APIC_END_OF_INTERRUPT) = 0u; }

/* ---- exceptions and interrupts ---- */

/* All of them go to board_trap(), on every core. Once, on the first core, before all else. */
void core_set_gates(void);
/* The same for this core, after that. */
void core_load_gates(void);

/* The board's: called with interrupts masked. "record": the interrupted code's frame pointer, and the address after
 * the first byte of its next instruction. */
void board_trap(uintptr_t vector, const uintptr_t *record);

/* Sleeps until an interrupt comes, unless they are masked. */
void core_idle(void);

/* ---- the second core ---- */

/* How its time stamp counter stands to the first core's. */
struct core_counters {
    uint64_t apart_ticks;  /* they are apart by so much at the least; 0 if none was seen ... */
    uint64_t within_ticks; /* ... when one was read so shortly after the other */
};

/* Starts another core, which then waits for core_run(). Once, on the first core, with interrupts masked. Takes 10 ms,
 * or a second and returns false if there is no other core. */
bool core_start(struct core_counters *counters);

/* Lets the core that was started run "entry", with interrupts on; it sleeps for ever when that returns. */
void core_run(void (*entry)(void));

/* Sends CORE_VECTOR_WAKE to the core that was started. From the first core. */
void core_wake(void);

#endif
