/* SPDX-License-Identifier: MIT */
#include "bcm2835_miniuart.h"
#include "raspi3_uart.h"

/* BCM chapter 2. The boot code holds the core clock at 250 MHz: config.txt, enable_uart=1. */
#define AUX 0x3f215000u
#define CORE_CLOCK_HZ 250000000u
#define BAUD 921600u

static struct kymo_bcm2835_miniuart uart;

bool raspi3_uart_init(void) {
    const struct kymo_bcm2835_miniuart_config config = {AUX, CORE_CLOCK_HZ, BAUD};
    return kymo_bcm2835_miniuart_init(&uart, &config);
}

const struct kymo_transport *raspi3_uart_transport(void) {
    return kymo_bcm2835_miniuart_transport(&uart);
}

bool raspi3_uart_idle(void) { return kymo_bcm2835_miniuart_idle(&uart); }
