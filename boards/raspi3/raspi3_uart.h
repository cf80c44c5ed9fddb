/* SPDX-License-Identifier: MIT */
/* The UART of this image: the PL011, or with BOARD_MINI_UART 1 the mini UART. Both can be led to GPIO 14
 * and 15. */
#ifndef RASPI3_UART_H
#define RASPI3_UART_H

#include <stdbool.h>
#include <stdint.h>

#include "kymo/transport.h"

/* BCM 6.2, table 6-31: alternate function 0 of GPIO 14 and 15 is the PL011, 5 the mini UART; in GPFSEL that
 * is 4 and 2. */
#if BOARD_MINI_UART
#define RASPI3_UART_FUNCTION 2u
#else
#define RASPI3_UART_FUNCTION 4u
#endif

bool raspi3_uart_init(void);
const struct kymo_transport *raspi3_uart_transport(void);
bool raspi3_uart_idle(void);

#endif
