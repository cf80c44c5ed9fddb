/* SPDX-License-Identifier: MIT */
/* Records zones and ends, for the tracer of ports.sh to count the instructions in between. Started by the
 * start-up code of the contract test, of which it has the functions that are called there. */
#include "kymo/arch.h"
#include "kymo/kymo.h"

#define CALLS 32u

KYMO_SITE_DEFINE_GLOBAL(zone, KYMO_SITE_ZONE, "zone", 0u, 0u, NULL);

void calls(void);
void refusals(void);
int check(void);
int contract_check(void);
_Noreturn void machine_finish(int status);
void handle(void);
void callstack_trap(void);
void fault(void);
void pend_sv(void);
void sys_tick(void);

/* Not inlined: ports.sh tells by its name that a call has returned. */
__attribute__((noinline)) void calls(void) {
    for (uint32_t i = 0u; i < CALLS; i++) {
        const kymo_zone open = kymo_zone_begin(&zone);
        kymo_zone_end(open);
    }
}

/* Until the ring is full of open zones, and on: with nobody to drain it. */
__attribute__((noinline)) void refusals(void) {
    uint32_t refused = 0u;
    while (refused < CALLS) {
        refused += kymo_zone_begin(&zone) == NULL ? 1u : 0u;
    }
}

/* As it is while firmware runs: the clock is on, and interrupts, though none comes. */
static void start(void) {
#if defined(__x86_64__) || defined(__i386__)
    __asm__ volatile("outb %0, $0x21\n\tsti" ::"a"((uint8_t)0xff));
#elif defined(__riscv)
    __asm__ volatile("csrsi mstatus, 8");
#elif defined(__aarch64__)
    __asm__ volatile("msr daifclr, #3");
#elif __ARM_ARCH_PROFILE == 'A'
    __asm__ volatile("cpsie if");
#else
#ifdef BENCH_CYCLES
    kymo_cortexm_clock = KYMO_CORTEXM_CYCCNT; /* it stands still, but is read */
#elif KYMO_CLOCK < 2
    (void)kymo_cortexm_start();
#endif
#endif
}

int contract_check(void) {
    start();
    calls();
    refusals();
    return 0;
}

int check(void) { return contract_check(); }

#ifdef __ARM_EABI__
/* The unwinding table of the start-up code refers to it, and no image here has call stacks. */
void __aeabi_unwind_cpp_pr1(void);
void __aeabi_unwind_cpp_pr1(void) {}
#endif

_Noreturn void machine_finish(int status) {
    (void)status;
#if defined(__x86_64__) || defined(__i386__)
    __asm__ volatile("outb %0, $0xf4" ::"a"((uint8_t)0));
#elif defined(__riscv)
    *(volatile uint32_t *)0x00100000u = 0x5555u;
#elif defined(__aarch64__)
    const uint64_t block[2] = {0x20026u, 0u};
    __asm__ volatile("mov x0, #0x18\n\tmov x1, %0\n\thlt #0xf000" ::"r"(block)
                     : "x0", "x1", "memory");
#elif __ARM_ARCH_PROFILE == 'A'
    __asm__ volatile("mov r0, #0x18\n\tldr r1, =0x20026\n\tsvc 0x123456" ::: "r0", "r1");
#elif defined(__arm__)
    __asm__ volatile("mov r0, #0x18\n\tldr r1, =0x20026\n\tbkpt 0xab" ::: "r0", "r1");
#endif
    for (;;) {}
}

void callstack_trap(void) {}

void handle(void) { machine_finish(1); }
void fault(void) { machine_finish(1); }
void pend_sv(void) {}
void sys_tick(void) { kymo_clock_keepalive(); }
