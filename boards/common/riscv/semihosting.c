#include <stdint.h>

#include "riscv/clint.h"

/* "RISC-V Semihosting", 0.4, section 2.1: these three instructions, none compressed and all on one page,
 * are a call; a0 is the operation, a1 its argument. SYS_EXIT_EXTENDED takes the reason 0x20026
 * (ADP_Stopped_ApplicationExit) and a status ("Semihosting for AArch32 and AArch64", 6.6). */
#define SYS_EXIT_EXTENDED 0x20
#define ADP_STOPPED_APPLICATION_EXIT 0x20026u

_Noreturn void semihosting_end(int status) {
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
    for (;;) {
        __asm__ volatile("wfi");
    }
}
