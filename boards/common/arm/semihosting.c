/* SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stdint.h>

#include "arm/core.h"

/* "Semihosting for AArch32 and AArch64", Arm: SYS_EXIT_EXTENDED and its reason ADP_Stopped_ApplicationExit. */
#define SYS_EXIT_EXTENDED 0x20u
#define APPLICATION_EXIT 0x20026u
#define FAULT_STATUS 64

static volatile bool ending;

static void stop(void) {
    for (;;) {
        __asm__ volatile("wfi");
    }
}

#ifdef __aarch64__
#define SEMIHOSTING_CALL "hlt #0xf000"
#define OPERATION "x0"
#define ARGUMENT "x1"
#else
#define SEMIHOSTING_CALL "svc 0x123456"
#define OPERATION "r0"
#define ARGUMENT "r1"
#endif

_Noreturn void core_end(int status) {
    const uintptr_t block[2] = {APPLICATION_EXIT, (uintptr_t)status};
    register uintptr_t operation __asm__(OPERATION) = SYS_EXIT_EXTENDED;
    register const uintptr_t *argument __asm__(ARGUMENT) = block;
    ending = true;
    __asm__ volatile(SEMIHOSTING_CALL : "+r"(operation) : "r"(argument) : "memory", "cc");
    stop();
    __builtin_unreachable();
}

/* Without semihosting the call of core_end() is a fault, and the end. */
_Noreturn void core_fault(unsigned number) {
    if (ending) {
        stop();
    }
    core_end(FAULT_STATUS + (int)number);
}
