/* SPDX-License-Identifier: MIT */
#include "x86/core.h"

#include "board_config.h"
#include "kymo/arch.h"
#include "x86/segments.h"

#define VECTOR_BYTES 16u
#define GATE_INTERRUPT 0x8e00u /* present, level 0, interrupts off inside: SDM 7.14.1 */
#define APIC_ENABLE 0x100u     /* SDM 11.9 */

struct gate {
    uint16_t offset_low, selector, type, offset_middle;
#ifdef __x86_64__
    uint32_t offset_high, reserved;
#endif
};

extern const char core_vectors[];

static struct gate gates[CORE_VECTORS];

void core_load_gates(void) {
    const struct {
        uint16_t limit;
        uintptr_t base;
    } __attribute__((packed)) pointer = {sizeof gates - 1u, (uintptr_t)gates};
    __asm__ volatile("lidt %0" ::"m"(pointer) : "memory");
}

void core_set_gates(void) {
    for (unsigned i = 0u; i < CORE_VECTORS; i++) {
        const uint64_t entry = (uintptr_t)core_vectors + i * VECTOR_BYTES;
        gates[i].offset_low = (uint16_t)entry;
        gates[i].selector = CORE_CODE;
        gates[i].type = GATE_INTERRUPT;
        gates[i].offset_middle = (uint16_t)(entry >> 16);
#ifdef __x86_64__
        gates[i].offset_high = (uint32_t)(entry >> 32);
#endif
    }
    core_load_gates();
}

void core_open_apic(void) { *core_apic(CORE_APIC_SPURIOUS) = APIC_ENABLE | CORE_VECTOR_SPURIOUS; }

void core_idle(void) {
#ifdef __x86_64__
    const uint64_t flags = __builtin_ia32_readeflags_u64();
#else
    const uint32_t flags = __builtin_ia32_readeflags_u32();
#endif
    if ((flags & 0x200u) != 0u) {
        __asm__ volatile("hlt" ::: "memory");
    }
}

#if KYMO_LANE_ASKED && KYMO_LANE_NUMBER == 1
unsigned kymo_own_lane(void) {
    uint32_t selector;
    __asm__("movl %%gs, %0" : "=r"(selector));
    return (selector - CORE_DATA) / 8u;
}
#endif
