/* SPDX-License-Identifier: MIT */
/* A second core by PSCI: "Arm Power State Coordination Interface" (DEN 0022), 5.4 CPU_ON. */
#include <stdint.h>

#include "arm/core.h"
#include "arm/psci.h"
#include "board.h"

#ifdef __aarch64__
#define PSCI_CPU_ON 0xc4000003u
#define REGISTER(n) "x" #n
#define HVC "hvc #0"
#define SMC "smc #0"
#else
#define PSCI_CPU_ON 0x84000003u
#define REGISTER(n) "r" #n
#define HVC ".arch_extension virt\n\thvc #0"
#define SMC ".arch_extension sec\n\tsmc #0"
#endif

static void (*entries[BOARD_CORES])(void);

void core_main(unsigned core) {
    board_route_timer();
    entries[core]();
}

/* The core's affinity is its number. What "context" says would arrive there in the first register. */
static intptr_t cpu_on(uintptr_t core, uintptr_t entry) {
    register uintptr_t function __asm__(REGISTER(0)) = PSCI_CPU_ON;
    register uintptr_t target __asm__(REGISTER(1)) = core;
    register uintptr_t address __asm__(REGISTER(2)) = entry;
    register uintptr_t context __asm__(REGISTER(3)) = 0u;
    if (core_under_hypervisor != 0u) {
        __asm__ volatile(HVC
                         : "+r"(function), "+r"(target), "+r"(address), "+r"(context)::"memory");
    } else {
        __asm__ volatile(SMC
                         : "+r"(function), "+r"(target), "+r"(address), "+r"(context)::"memory");
    }
    return (intptr_t)function;
}

bool board_start_core(unsigned core, void (*entry)(void)) {
    entries[core] = entry;
    __asm__ volatile("dsb sy" ::: "memory");
    return cpu_on(core, (uintptr_t)core_start) == 0;
}
