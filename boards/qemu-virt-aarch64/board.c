/* SPDX-License-Identifier: MIT */
/* QEMU's Arm "virt" machine (hw/arm/virt.c has the memory map), with 64-bit or 32-bit cores. */
#include "board.h"

#include "arm/core.h"
#include "arm/gicv2.h"
#include "board_link.h"

static const struct gicv2 gic = {.distributor = 0x08000000u, .core = 0x08010000u};

void board_init(void) {
    core_check_clock();
    if (!board_link_init()) {
        core_end(CORE_NO_LINK);
    }
}

const struct kymo_transport *board_transport(void) { return board_link_transport(); }

void board_route_timer(void) { gicv2_enable(&gic, GICV2_VIRTUAL_TIMER); }

void board_interrupt(void) {
    const unsigned number = gicv2_take(&gic);
    if (number == GICV2_VIRTUAL_TIMER) {
        core_timer_interrupt();
    }
    if (number != GICV2_NONE) {
        gicv2_done(&gic, number);
    }
}

_Noreturn void board_exit(int status) {
    while (!board_link_idle()) {}
    core_end(status);
}
