/* QEMU's Arm "virt" machine (hw/arm/virt.c has the memory map), with 64-bit or 32-bit cores. */
#include "board.h"

#include "arm/core.h"
#include "arm/gicv2.h"
#include "pl011.h"

#define UART0 0x09000000u
#define UART_CLOCK_HZ 24000000u /* the "apb-pclk" of its device tree */

static const struct gicv2 gic = {.distributor = 0x08000000u, .core = 0x08010000u};
static struct pl011 uart;

void board_init(void) {
    const struct pl011_config config = {.base = UART0, .clock_hz = UART_CLOCK_HZ, .baud = 115200u};
    core_check_clock();
    if (!pl011_init(&uart, &config)) {
        core_end(CORE_NO_UART);
    }
}

const struct kymo_transport *board_transport(void) { return pl011_transport(&uart); }

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
    while (!pl011_idle(&uart)) {}
    core_end(status);
}
