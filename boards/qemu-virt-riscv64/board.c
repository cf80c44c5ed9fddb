/* SPDX-License-Identifier: MIT */
/* QEMU's "virt" machine (hw/riscv/virt.c has the memory map), machine mode, no firmware below. */
#include "board.h"
#include "board_link.h"
#include "riscv/clint.h"

/* The machine's test device: a 32-bit write ends the emulation with a status. */
#define TEST_DEVICE 0x00100000u
#define TEST_PASS 0x5555u
#define TEST_FAIL 0x3333u

void board_init(void) {
    if (!board_link_init()) {
        board_end(2);
    }
}

const struct kymo_transport *board_transport(void) { return board_link_transport(); }

_Noreturn void board_end(int status) {
    volatile uint32_t *test = (volatile uint32_t *)(uintptr_t)TEST_DEVICE;
    *test = status == 0 ? TEST_PASS : ((uint32_t)status << 16) | TEST_FAIL;
    for (;;) {
        __asm__ volatile("wfi");
    }
}

_Noreturn void board_exit(int status) {
    while (!board_link_idle()) {}
    board_end(status);
}
