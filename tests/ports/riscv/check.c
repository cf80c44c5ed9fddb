/* Runs the RISC-V arch port on an emulated hart and ends the emulator with status 0, or with the number
 * of the check that failed. Built once for each mode, clock and width; see check.sh. */
#include <stdbool.h>

#include "kymo/arch.h"

/* QEMU's test device (virt machine): 0x5555 ends with 0, status << 16 | 0x3333 with the status. */
#define TEST_DEVICE 0x00100000u
#define CLINT_MSIP 0x02000000u
#define CLINT_MTIME 0x0200bff8u

enum {
    CLOCK_STANDS = 1,
    CLOCK_GOES_BACK,
    CLOCK64_DIFFERS,
    CLOCK64_GOES_BACK,
    CLOCK64_MISSES_THE_WRAP,
    RATE_DIFFERS,
    LANE_DIFFERS,
    MASK_LEAVES_INTERRUPTS_ON,
    UNMASK_OF_INNER_ENABLES,
    UNMASK_LEAVES_INTERRUPTS_OFF,
    UNMASK_ENABLES_WHAT_WAS_OFF,
    UNMASK_LOSES_A_STATUS_BIT,
    INTERRUPT_STRUCK_INSIDE,
    INTERRUPT_DID_NOT_COME,
    FAULT = 32, /* and the exception code */
};

int check(void);
_Noreturn void finish(int status);
void handle(unsigned long cause);

static volatile unsigned interrupts;

static volatile uint32_t *reg32(uintptr_t address) { return (volatile uint32_t *)address; }

_Noreturn void finish(int status) {
    *reg32(TEST_DEVICE) = status == 0 ? 0x5555u : ((uint32_t)status << 16) | 0x3333u;
    for (;;) {}
}

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
    return kymo_arch_clock_hz() == CHECK_HZ ? 0 : RATE_DIFFERS;
}

/* Machine mode may set mtime: shortly before the low word wraps, so that the high word moves under the
 * reader's hands, again and again. */
#if KYMO_RISCV_MODE == 3 && KYMO_RISCV_CLOCK != 1
static int check_wrap(void) {
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
static int check_wrap(void) { return 0; }
#endif

#if KYMO_RISCV_MODE == 0

unsigned kymo_riscv_lane(void) { return 1u; }
static int check_mask(void) { return 0; }
static int check_interrupt(void) { return 0; }

#else

/* Status register, its enable bit, and the software interrupt's bit in the enable register. */
#if KYMO_RISCV_MODE == 3
#define STATUS "mstatus"
#define ENABLES "mie"
#define ENABLE 8ul
#define SOFTWARE 8ul
#else
#define STATUS "sstatus"
#define ENABLES "sie"
#define ENABLE 2ul
#define SOFTWARE 2ul
unsigned kymo_riscv_lane(void) { return 1u; }
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

static int check_mask(void) {
    set_status(ENABLE);
    const kymo_arch_state outer = kymo_arch_mask();
    if ((status() & ENABLE) != 0u) {
        return MASK_LEAVES_INTERRUPTS_ON;
    }
    kymo_arch_unmask(kymo_arch_mask());
    if ((status() & ENABLE) != 0u) {
        return UNMASK_OF_INNER_ENABLES;
    }
    kymo_arch_unmask(outer);
    if ((status() & ENABLE) == 0u) {
        return UNMASK_LEAVES_INTERRUPTS_OFF;
    }
    clear_status(ENABLE);
    kymo_arch_unmask(kymo_arch_mask());
    if ((status() & ENABLE) != 0u) {
        return UNMASK_ENABLES_WHAT_WAS_OFF;
    }
    clear_status(FS_DIRTY);
    set_status(FS_CLEAN);
    const kymo_arch_state clean = kymo_arch_mask();
    set_status(FS_DIRTY);
    kymo_arch_unmask(clean);
    return (status() & FS_DIRTY) == FS_DIRTY ? 0 : UNMASK_LOSES_A_STATUS_BIT;
}

static void raise_software_interrupt(void) {
#if KYMO_RISCV_MODE == 3
    *reg32(CLINT_MSIP + 4u * CHECK_HART) = 1u;
    while (*reg32(CLINT_MSIP + 4u * CHECK_HART) == 0u) {}
#else
    __asm__ volatile("csrs sip, %0" ::"r"(SOFTWARE) : "memory");
#endif
}

static void end_software_interrupt(void) {
#if KYMO_RISCV_MODE == 3
    *reg32(CLINT_MSIP + 4u * CHECK_HART) = 0u;
#else
    __asm__ volatile("csrc sip, %0" ::"r"(SOFTWARE) : "memory");
#endif
}

static int check_interrupt(void) {
    __asm__ volatile("csrs " ENABLES ", %0" ::"r"(SOFTWARE) : "memory");
    set_status(ENABLE);
    const kymo_arch_state before = kymo_arch_mask();
    raise_software_interrupt();
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

void handle(unsigned long cause) {
#if KYMO_RISCV_MODE != 0
    if ((cause >> (__riscv_xlen - 1)) != 0u) {
        interrupts++;
        end_software_interrupt();
        return;
    }
#endif
    finish(FAULT + (int)(cause & 31u));
}

int check(void) {
    int failed = check_clock();
    failed = failed != 0 ? failed : check_wrap();
    failed = failed != 0 || kymo_arch_lane() == CHECK_LANE ? failed : LANE_DIFFERS;
    failed = failed != 0 ? failed : check_mask();
    return failed != 0 ? failed : check_interrupt();
}
