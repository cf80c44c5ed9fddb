/* The way to the host: UART0 on GPIO 0 and 1. Section numbers are of the "RP2040 Datasheet". */
#include "board_link.h"
#include "pico.h"
#include "pl011.h"

/* 2.14.3: IO and pads of bank 0, UART0 */
#define RESET_USED (1u << 5 | 1u << 8 | 1u << 22)

/* 2.19.6.1, 2.19.2: GPIO 0 and 1 are UART0's with function 2. */
#define IO_BANK0 0x40014000u
#define GPIO0_CTRL 0x4u
#define GPIO1_CTRL 0xcu
#define FUNCTION_UART 2u
/* 2.19.6.3 */
#define PADS_BANK0 0x4001c000u
#define PAD_GPIO1 0x8u
#define PAD_PULL_DOWN (1u << 2)
#define PAD_PULL_UP (1u << 3)

#define UART0 0x40034000u /* 4.2 */
#define BAUD 921600u

static struct pl011 uart;

static void connect_pins(void) {
    pico_put(PADS_BANK0 + PICO_CLEAR + PAD_GPIO1, PAD_PULL_DOWN);
    pico_put(PADS_BANK0 + PICO_SET + PAD_GPIO1, PAD_PULL_UP); /* an open receive pin is idle */
    pico_put(IO_BANK0 + GPIO0_CTRL, FUNCTION_UART);
    pico_put(IO_BANK0 + GPIO1_CTRL, FUNCTION_UART);
}

bool board_link_init(void) {
    const struct pl011_config config = {.base = UART0, .clock_hz = PICO_CLOCK_HZ, .baud = BAUD};
    pico_reset(RESET_USED);
    if (!pl011_init(&uart, &config)) {
        return false;
    }
    connect_pins();
    return true;
}

const struct kymo_transport *board_link_transport(void) { return pl011_transport(&uart); }

bool board_link_idle(void) { return pl011_idle(&uart); }
