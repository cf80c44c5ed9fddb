/* SPDX-License-Identifier: MIT */
/* Any UART of Zephyr with an interrupt-driven API as a transport: never waits. Private to the module. */
#ifndef KYMO_ZEPHYR_UART_H
#define KYMO_ZEPHYR_UART_H

#include <zephyr/drivers/uart.h>
#include <zephyr/kernel.h>

#include "fifo.h"
#include "kymo/transport.h"

/* Commands of the host are shorter than this. */
#define KYMO_ZEPHYR_RECEIVE_BYTES 128u

struct kymo_zephyr_uart {
    struct kymo_transport transport; /* for kymo_init() */
    const struct device *device;
    struct k_sem *wake;     /* given when kymo_drain() may go on */
    struct k_spinlock lock; /* for the members below; the interrupt may be served on another CPU */
    struct kymo_fifo sending, received;
    uint32_t receive_overflows; /* bytes dropped, because nobody fetched them in time */
    uint8_t sending_bytes[CONFIG_KYMO_UART_SEND_BYTES];
    uint8_t received_bytes[KYMO_ZEPHYR_RECEIVE_BYTES];
};

/* Takes the device's interrupts, which give "wake" when there is room to send or something was received. From a
 * thread. Negative errno: the driver has none, or is not ready. */
int kymo_zephyr_uart_init(struct kymo_zephyr_uart *uart, const struct device *device,
                          struct k_sem *wake);

/* True when the driver has taken all bytes. Any context. */
bool kymo_zephyr_uart_idle(struct kymo_zephyr_uart *uart);

#endif
