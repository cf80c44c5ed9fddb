/* SPDX-License-Identifier: MIT */
/* Records zones, those of device blocks too, and ends, for the tracer of ports.sh to count the instructions in between.
 * Started by the start-up code of the contract test, of which it has the functions that are called there. */
#include "kymo/arch.h"
#include "kymo/kymo.h"
#include "kymo/tasks.h"

/* A register of the core on RISC-V; elsewhere one at an address, for which a variable stands. */
#ifdef __riscv
static inline uint32_t device_clock(void) {
    uintptr_t cycles;
    __asm__ volatile("csrr %0, mcycle" : "=r"(cycles));
    return (uint32_t)cycles;
}
#define KYMO_DEVICE_CLOCK() (device_clock())
#else
extern volatile uint32_t device_timer;
volatile uint32_t device_timer;
#define KYMO_DEVICE_CLOCK() device_timer
#endif
#include "kymo/device.h"

#define CALLS 32u

KYMO_SITE_DEFINE_GLOBAL(zone, KYMO_SITE_ZONE, "zone", 0u, 0u, NULL);

void calls(void);
void device_two_begins(struct kymo_device_block *block, uint32_t site);
void device_six_begins(struct kymo_device_block *block, uint32_t site);
void device_two_ends(struct kymo_device_block *block, uint32_t site);
void device_six_ends(struct kymo_device_block *block, uint32_t site);
void device_two_events(struct kymo_device_block *block, uint32_t site);
void device_six_events(struct kymo_device_block *block, uint32_t site);
void refusals(void);
int check(void);
int contract_check(void);
_Noreturn void machine_finish(int status);
void handle(void);
void callstack_trap(void);
void fault(void);
void pend_sv(void);
void sys_tick(void);

/* Two records, and six: a quarter of the difference is the inlined code of each, with block and site in registers. */
#define DEVICE_RECORDS(name, record)                                                               \
    __attribute__((noinline)) void device_two_##name##s(struct kymo_device_block *block,           \
                                                        uint32_t site) {                           \
        (void)site;                                                                                \
        record;                                                                                    \
        record;                                                                                    \
    }                                                                                              \
    __attribute__((noinline)) void device_six_##name##s(struct kymo_device_block *block,           \
                                                        uint32_t site) {                           \
        (void)site;                                                                                \
        record;                                                                                    \
        record;                                                                                    \
        record;                                                                                    \
        record;                                                                                    \
        record;                                                                                    \
        record;                                                                                    \
    }
DEVICE_RECORDS(begin, (void)kymo_device_begin(block, site))
DEVICE_RECORDS(end, kymo_device_end(block, true))
DEVICE_RECORDS(event, kymo_device_event(block, site))

static inline __attribute__((always_inline)) void device_calls(
    void (*two)(struct kymo_device_block *, uint32_t),
    void (*six)(struct kymo_device_block *, uint32_t)) {
    uint64_t memory[32] = {0u};
    struct kymo_device_block *block = (struct kymo_device_block *)(void *)memory;
    kymo_device_start(block, sizeof memory);
    two(block, KYMO_DEVICE_NUMBER(1));
    six(block, KYMO_DEVICE_NUMBER(1));
}

/* A task waits, another runs in its place and wakes it. */
#if KYMO_TASKS
static inline __attribute__((always_inline)) void task_calls(uint32_t i) {
    kymo_task_why(KYMO_WHY_SEMAPHORE, (uintptr_t)&zone);
    kymo_task_out(false, 10u);
    kymo_task_in(kymo_task_numbered(i % 2u));
    kymo_task_ready(kymo_task_numbered(1u - i % 2u), KYMO_WAKER_RUNS);
}
#else
static inline void task_calls(uint32_t i) { (void)i; }
#endif

/* Not inlined: ports.sh tells by its name that a call has returned. */
__attribute__((noinline)) void calls(void) {
    for (uint32_t i = 0u; i < CALLS; i++) {
        task_calls(i);
        const kymo_zone open = kymo_zone_begin(&zone);
        kymo_zone_end(open);
        device_calls(device_two_begins, device_six_begins);
        device_calls(device_two_ends, device_six_ends);
        device_calls(device_two_events, device_six_events);
    }
}

/* Fills the ring with open zones, and goes on: without a consumer. */
__attribute__((noinline)) void refusals(void) {
    uint32_t refused = 0u;
    while (refused < CALLS) {
        refused += kymo_zone_begin(&zone) == NULL ? 1u : 0u;
    }
}

/* The state in which firmware runs: the clock is on, and interrupts, though none comes. */
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
