/* SPDX-License-Identifier: MIT */
/* QEMU's RISC-V "virt" machine for the contract test, in machine, supervisor or user mode. */
#include "contract.h"

/* QEMU's test device: 0x5555 ends with 0, status << 16 | 0x3333 with the status. */
#define TEST_DEVICE 0x00100000u
#define CLINT_MSIP 0x02000000u
#define CLINT_MTIME 0x0200bff8u

void handle(unsigned long cause);

static volatile uint32_t *reg32(uintptr_t address) { return (volatile uint32_t *)address; }

_Noreturn void machine_finish(int status) {
    *reg32(TEST_DEVICE) = status == 0 ? 0x5555u : ((uint32_t)status << 16) | 0x3333u;
    for (;;) {}
}

/* Machine mode may set mtime: shortly before the low word wraps, so that the high word moves under the
 * reader's hands, again and again. */
#if KYMO_PRIVILEGE == 3 && KYMO_CLOCK != 1
int machine_check_clock(void) {
    for (unsigned round = 1u; round <= 200u; round++) {
        *reg32(CLINT_MTIME) = 0u; /* so that no carry comes between the two words */
        *reg32(CLINT_MTIME + 4u) = round;
        *reg32(CLINT_MTIME) = 0xffffff00u;
        uint64_t before = kymo_arch_clock64();
        while (before >> 32 == round) {
            const uint64_t now = kymo_arch_clock64();
            if (now < before) {
                return CLOCK64_GOES_BACK;
            }
            before = now;
        }
        if (before >> 32 != round + 1u || (uint32_t)before > 0x10000000u) {
            return CLOCK64_MISSES_THE_WRAP;
        }
    }
    return 0;
}
#else
int machine_check_clock(void) { return 0; }
#endif

#if KYMO_PRIVILEGE != 3
unsigned kymo_riscv_lane(void) { return 1u; }
#endif

#if KYMO_PRIVILEGE == 0

static bool took_interrupt(unsigned long cause) {
    (void)cause;
    return false;
}

#else

/* Status register, its enable bit, and the software interrupt's bit in the enable register. */
#if KYMO_PRIVILEGE == 3
#define STATUS "mstatus"
#define ENABLES "mie"
#define ENABLE 8ul
#define SOFTWARE 8ul
#else
#define STATUS "sstatus"
#define ENABLES "sie"
#define ENABLE 2ul
#define SOFTWARE 2ul
#endif
#define FS_CLEAN 0x4000ul
#define FS_DIRTY 0x6000ul

static unsigned long status(void) {
    unsigned long value;
    __asm__ volatile("csrr %0, " STATUS : "=r"(value)::"memory");
    return value;
}

static void set_status(unsigned long bits) {
    __asm__ volatile("csrs " STATUS ", %0" ::"r"(bits) : "memory");
}

static void clear_status(unsigned long bits) {
    __asm__ volatile("csrc " STATUS ", %0" ::"r"(bits) : "memory");
}

bool machine_enabled(void) { return (status() & ENABLE) != 0u; }

void machine_enable(bool on) {
    if (on) {
        set_status(ENABLE);
    } else {
        clear_status(ENABLE);
    }
}

/* Somebody may have used a floating-point register in between. A core without such registers has 0 in the field
 * whatever is written (privileged manual, 3.1.6.6), and nothing to lose. */
int machine_check_mask(void) {
    set_status(FS_DIRTY);
    if ((status() & FS_DIRTY) == 0u) {
        return 0;
    }
    clear_status(FS_DIRTY);
    set_status(FS_CLEAN);
    const kymo_arch_state clean = kymo_arch_mask();
    set_status(FS_DIRTY);
    kymo_arch_unmask(clean);
    return (status() & FS_DIRTY) == FS_DIRTY ? 0 : UNMASK_LOSES_A_STATUS_BIT;
}

void machine_raise(void) {
    __asm__ volatile("csrs " ENABLES ", %0" ::"r"(SOFTWARE) : "memory");
#if KYMO_PRIVILEGE == 3
    *reg32(CLINT_MSIP + 4u * CHECK_HART) = 1u;
    while (*reg32(CLINT_MSIP + 4u * CHECK_HART) == 0u) {}
#else
    __asm__ volatile("csrs sip, %0" ::"r"(SOFTWARE) : "memory");
#endif
}

static bool took_interrupt(unsigned long cause) {
    if ((cause >> (__riscv_xlen - 1)) == 0u) {
        return false;
    }
#if KYMO_PRIVILEGE == 3
    *reg32(CLINT_MSIP + 4u * CHECK_HART) = 0u;
#else
    __asm__ volatile("csrc sip, %0" ::"r"(SOFTWARE) : "memory");
#endif
    return true;
}

#endif

#if KYMO_PRIVILEGE == 1
#define EPC "sepc"
#define OWN_STATUS "sstatus"
#else
#define EPC "mepc"
#define OWN_STATUS "mstatus"
#endif
#define BREAKPOINT 3u
#define EBREAK_BYTES 4u

/* Puts back the registers that a trap in the handler would overwrite. */
void handle(unsigned long cause) {
    unsigned long address, before;
    __asm__ volatile("csrr %0, " EPC "\n\tcsrr %1, " OWN_STATUS : "=r"(address), "=r"(before));
    if (cause == BREAKPOINT) {
        callstack_trap();
        address += EBREAK_BYTES;
    } else if (took_interrupt(cause)) {
        contract_interrupt();
    } else {
        machine_finish(FAULT + (int)(cause & 31u));
    }
    __asm__ volatile("csrw " EPC ", %0\n\tcsrw " OWN_STATUS ", %1" ::"r"(address), "r"(before));
}
