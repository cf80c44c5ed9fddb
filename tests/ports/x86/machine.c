/* A PC for the contract test, in 32 or 64 bit: the interrupt is one that the core sends itself through its
 * local APIC. */
#include "contract.h"

#define DEBUG_EXIT 0xf4u
/* SDM volume 3, "Advanced Programmable Interrupt Controller": the local APIC's registers. */
#define APIC_END_OF_INTERRUPT 0xfee000b0u
#define APIC_SPURIOUS 0xfee000f0u
#define APIC_COMMAND_LOW 0xfee00300u
#define APIC_ENABLE 0x100u
#define APIC_TO_SELF 0x40000u

#define VECTORS 256u
#define VECTOR_INTERRUPT 64u
#define VECTOR_SPURIOUS 255u
#define CODE 0x08u
#define GATE_INTERRUPT 0x8e00u

struct gate {
    uint16_t offset_low, selector, type, offset_middle;
#ifdef __x86_64__
    uint32_t offset_high, reserved;
#endif
};

extern const char entry_fault[], entry_interrupt[];
void handle(void);
void fault(void);
int check(void);

static struct gate gates[VECTORS];

static void put(uintptr_t address, uint32_t value) { *(volatile uint32_t *)address = value; }

static void out(uint16_t port, uint8_t value) {
    __asm__ volatile("outb %0, %1" ::"a"(value), "Nd"(port) : "memory");
}

/* The exit device makes status << 1 | 1 of it, and 16 stands for "passed". */
_Noreturn void machine_finish(int status) {
    out(DEBUG_EXIT, status == 0 ? 16u : (uint8_t)(status + 16));
    for (;;) {}
}

static void set_gate(unsigned vector, const char *entry) {
    const uint64_t address = (uintptr_t)entry;
    gates[vector].offset_low = (uint16_t)address;
    gates[vector].selector = CODE;
    gates[vector].type = GATE_INTERRUPT;
    gates[vector].offset_middle = (uint16_t)(address >> 16);
}

static void start(void) {
    const struct {
        uint16_t limit;
        uintptr_t base;
    } __attribute__((packed)) pointer = {sizeof gates - 1u, (uintptr_t)gates};
    for (unsigned i = 0u; i < VECTORS; i++) {
        set_gate(i, entry_fault);
    }
    set_gate(VECTOR_INTERRUPT, entry_interrupt);
    __asm__ volatile("lidt %0" ::"m"(pointer) : "memory");
    out(0x21u, 0xffu); /* nothing from the old controllers */
    out(0xa1u, 0xffu);
    put(APIC_SPURIOUS, APIC_ENABLE | VECTOR_SPURIOUS);
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

void machine_raise(void) { put(APIC_COMMAND_LOW, APIC_TO_SELF | VECTOR_INTERRUPT); }

void handle(void) {
    put(APIC_END_OF_INTERRUPT, 0u);
    contract_interrupt();
}

void fault(void) { machine_finish(FAULT); }

#if KYMO_LANES > 1 && KYMO_X86_LANE == 1
unsigned kymo_x86_lane(void) { return 1u; }
#endif

int check(void) {
    start();
    if (!kymo_x86_clock_init() || kymo_x86_clock.rate != CHECK_RATE) {
        return MACHINE_IS_NOT_FIT;
    }
    return contract_check();
}
