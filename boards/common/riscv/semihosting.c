/* SPDX-License-Identifier: MIT */
#include "riscv/semihosting.h"

#include "riscv/clint.h"

#ifdef BOARD_EMULATED

/* SYS_EXIT_EXTENDED takes a reason and a status. */
#define ADP_STOPPED_APPLICATION_EXIT 0x20026u

static void exit_by_semihosting(int status) {
    const uintptr_t arguments[2] = {ADP_STOPPED_APPLICATION_EXIT, (uintptr_t)status};
    (void)semihosting_call(SYS_EXIT_EXTENDED, arguments);
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
