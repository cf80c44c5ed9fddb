/* SPDX-License-Identifier: MIT */
/* QEMU's Arm "virt" machine for the contract test, in AArch64 or AArch32 state: the interrupt is one that the
 * core sends itself through the GICv2. */
#include "contract.h"

/* IHI 0048B, 4.3 and 4.4: distributor and interface of the core. */
#define GICD_CTLR 0x08000000u
#define GICD_ISENABLER0 0x08000100u
#define GICD_SGIR 0x08000f00u
#define GICD_SGIR_SELF 0x02000000u
#define GICC_CTLR 0x08010000u
#define GICC_PMR 0x08010004u
#define GICC_IAR 0x0801000cu
#define GICC_EOIR 0x08010010u
#define GICC_HPPIR 0x08010018u
#define SGI 5u

/* "Semihosting for AArch32 and AArch64": SYS_EXIT_EXTENDED, ADP_Stopped_ApplicationExit. */
#define SYS_EXIT_EXTENDED 0x20u
#define APPLICATION_EXIT 0x20026u

#ifdef __aarch64__
#define SEMIHOSTING_CALL "hlt #0xf000"
#define OPERATION "x0"
#define ARGUMENT "x1"
#define READ_MASK "mrs %0, daif"
#define ENABLE "msr daifclr, #3"
#define DISABLE "msr daifset, #3"
#define OTHER_ON "msr daifclr, #4"
#define OTHER_OFF "msr daifset, #4"
#define WRITE_RATE "msr cntfrq_el0, %0"
#define LEVEL_(level) #level
#define LEVEL(level) LEVEL_(level)
#define GET_RETURN "mrs %0, elr_el" LEVEL(CHECK_LEVEL) "\n\tmrs %1, spsr_el" LEVEL(CHECK_LEVEL)
#define PUT_RETURN "msr elr_el" LEVEL(CHECK_LEVEL) ", %0\n\tmsr spsr_el" LEVEL(CHECK_LEVEL) ", %1"
#else
#define SEMIHOSTING_CALL "svc 0x123456"
#define OPERATION "r0"
#define ARGUMENT "r1"
#define READ_MASK "mrs %0, cpsr"
#define ENABLE "cpsie if"
#define DISABLE "cpsid if"
#define OTHER_ON "cpsie a"
#define OTHER_OFF "cpsid a"
#define WRITE_RATE "mcr p15, 0, %0, c14, c0, 0"
#if CHECK_LEVEL == 2
#define GET_RETURN ".arch_extension virt\n\tmrs %0, elr_hyp\n\tmrs %1, spsr"
#define PUT_RETURN ".arch_extension virt\n\tmsr elr_hyp, %0\n\tmsr spsr_cxsf, %1"
#endif
#endif
/* In DAIF as in CPSR. */
#define MASKED_SERROR 0x100u
#define MASKED_IRQ 0x80u
#define MASKED_FIQ 0x40u

void handle(void);
_Noreturn void fault(int number);
int check(void);

static volatile uint32_t *reg32(uintptr_t address) { return (volatile uint32_t *)address; }

_Noreturn void machine_finish(int status) {
    const uintptr_t block[2] = {APPLICATION_EXIT, (uintptr_t)status};
    register uintptr_t operation __asm__(OPERATION) = SYS_EXIT_EXTENDED;
    register const uintptr_t *argument __asm__(ARGUMENT) = block;
    __asm__ volatile(SEMIHOSTING_CALL : "+r"(operation) : "r"(argument) : "memory", "cc");
    for (;;) {}
}

static uintptr_t mask(void) {
    uintptr_t value;
    __asm__ volatile(READ_MASK : "=r"(value)::"memory");
    return value;
}

/* The highest level may write the rate: so a boot code that wrote none is played. */
int machine_check_clock(void) {
#ifdef CHECK_WRITES_RATE
    __asm__ volatile(WRITE_RATE ::"r"((uintptr_t)0u) : "memory");
    if (kymo_arch_clock_hz() != 0u) {
        return RATE_DIFFERS;
    }
#endif
    return 0;
}

bool machine_enabled(void) { return (mask() & (MASKED_IRQ | MASKED_FIQ)) == 0u; }

void machine_enable(bool on) {
    if (on) {
        __asm__ volatile(ENABLE ::: "memory");
    } else {
        __asm__ volatile(DISABLE ::: "memory");
    }
}

/* FIQ is kept out like IRQ, the mask of system errors comes through as it was. */
int machine_check_mask(void) {
    machine_enable(true);
    __asm__ volatile(OTHER_ON ::: "memory");
    const kymo_arch_state on = kymo_arch_mask();
    if ((mask() & (MASKED_IRQ | MASKED_FIQ)) != (MASKED_IRQ | MASKED_FIQ)) {
        return MASK_LEAVES_INTERRUPTS_ON;
    }
    kymo_arch_unmask(on);
    const bool kept_on = (mask() & MASKED_SERROR) == 0u;
    __asm__ volatile(OTHER_OFF ::: "memory");
    kymo_arch_unmask(kymo_arch_mask());
    const bool kept_off = (mask() & MASKED_SERROR) != 0u;
    return kept_on && kept_off ? 0 : UNMASK_LOSES_A_STATUS_BIT;
}

void machine_raise(void) {
    *reg32(GICD_SGIR) = GICD_SGIR_SELF | SGI;
    while ((*reg32(GICC_HPPIR) & 0x3ffu) != SGI) {}
}

/* Registers that a trap in the handler would overwrite; in SVC mode they are on the stack. */
struct state {
    uintptr_t address, status;
};

static struct state return_state(void) {
    struct state state = {0u, 0u};
#ifdef GET_RETURN
    __asm__ volatile(GET_RETURN : "=r"(state.address), "=r"(state.status));
#endif
    return state;
}

static void put_back(struct state state) {
#ifdef PUT_RETURN
    __asm__ volatile(PUT_RETURN ::"r"(state.address), "r"(state.status));
#else
    (void)state;
#endif
}

void handle(void) {
    const uint32_t taken = *reg32(GICC_IAR);
    *reg32(GICC_EOIR) = taken;
    const struct state state = return_state();
    contract_interrupt();
    put_back(state);
}

_Noreturn void fault(int number) { machine_finish(FAULT + number); }

#if KYMO_LANE_ASKED && defined(KYMO_LANE_NUMBER) && KYMO_LANE_NUMBER == 1
unsigned kymo_own_lane(void) { return 1u; }
#endif

int check(void) {
    *reg32(GICD_ISENABLER0) = 1u << SGI;
    *reg32(GICD_CTLR) = 1u;
    *reg32(GICC_PMR) = 0xffu;
    *reg32(GICC_CTLR) = 1u;
    return contract_check();
}
