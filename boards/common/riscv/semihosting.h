/* SPDX-License-Identifier: MIT */
/* Calls of the emulator. Without an emulator or a debugger the ebreak is a fault. */
#ifndef RISCV_SEMIHOSTING_H
#define RISCV_SEMIHOSTING_H

#include <stdint.h>

/* Operations of Arm's "Semihosting for AArch32 and AArch64", on which "RISC-V Semihosting" builds. */
#define SYS_WRITE0 0x04u
#define SYS_EXIT_EXTENDED 0x20u

/* "RISC-V Semihosting", 0.4: these three instructions, none compressed and all on one page, are a call; a0 is the
 * operation and the result, a1 the argument. */
static inline uintptr_t semihosting_call(uintptr_t operation, const void *argument) {
    register uintptr_t call __asm__("a0") = operation;
    register const void *with __asm__("a1") = argument;
    __asm__ volatile(".balign 16\n" /* by short instructions, too: clang 14 has no other padding */
                     ".option push\n"
                     ".option norvc\n"
                     "slli zero, zero, 0x1f\n"
                     "ebreak\n"
                     "srai zero, zero, 7\n"
                     ".option pop\n"
                     : "+r"(call)
                     : "r"(with)
                     : "memory");
    return call;
}

#endif
