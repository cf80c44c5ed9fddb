/* SPDX-License-Identifier: MIT */
#include <stdint.h>

#include "riscv/clint.h"

#ifdef BOARD_EMULATED

/* "RISC-V Semihosting", 0.4: these three instructions, none compressed and all on one page, are a call;
 * a0 is the operation, a1 its argument. SYS_EXIT_EXTENDED takes a reason and a status (Arm's
 * "Semihosting for AArch32 and AArch64", which that document builds on). */
#define SYS_EXIT_EXTENDED 0x20
#define ADP_STOPPED_APPLICATION_EXIT 0x20026u

static void exit_by_semihosting(int status) {
    const uintptr_t arguments[2] = {ADP_STOPPED_APPLICATION_EXIT, (uintptr_t)status};
    register uintptr_t operation __asm__("a0") = SYS_EXIT_EXTENDED;
    register const uintptr_t *argument __asm__("a1") = arguments;
    __asm__ volatile(".option push\n"
                     ".option norvc\n"
                     ".balign 16\n"
                     "slli zero, zero, 0x1f\n"
                     "ebreak\n"
                     "srai zero, zero, 7\n"
                     ".option pop\n" ::"r"(operation),
                     "r"(argument)
                     : "memory");
}

#endif

/* Without a debugger or emulator, an ebreak is a fault: so it is for the emulator only. */
_Noreturn void board_end(int status) {
#ifdef BOARD_EMULATED
    exit_by_semihosting(status);
#else
    (void)status;
#endif
    for (;;) {
        __asm__ volatile("wfi");
    }
}
