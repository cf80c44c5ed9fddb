/* QEMU's "virt" machine (hw/riscv/virt.c has the memory map), machine mode, no firmware below. */
#include "board.h"
#include "ns16550.h"
#include "riscv/clint.h"

#define UART0 0x10000000u
/* The machine's test device: a 32-bit write ends the emulation with a status. */
#define TEST_DEVICE 0x00100000u
#define TEST_PASS 0x5555u
#define TEST_FAIL 0x3333u

static struct ns16550 uart;

void board_init(void) {
    const struct ns16550_config config = {.base = UART0, .clock_hz = 3686400u, .baud = 115200u};
    if (!ns16550_init(&uart, &config)) {
        board_exit(2);
    }
}

const struct kymo_transport *board_transport(void) { return ns16550_transport(&uart); }

_Noreturn void board_end(int status) {
    volatile uint32_t *test = (volatile uint32_t *)(uintptr_t)TEST_DEVICE;
    *test = status == 0 ? TEST_PASS : ((uint32_t)status << 16) | TEST_FAIL;
    for (;;) {
        __asm__ volatile("wfi");
    }
}

_Noreturn void board_exit(int status) {
    while (!ns16550_idle(&uart)) {}
    board_end(status);
}
