/* SPDX-License-Identifier: MIT */
/* UART0 on GPIO 0 and 1, the same for each link that goes over it. */
#ifndef UART0_H
#define UART0_H

#include <stdint.h>

#include "pico.h"
#include "pl011.h"

extern const struct kymo_pl011_config uart0;

/* Resets it, and the blocks whose bits of RESETS (2.14.3) are in "more". */
void uart0_reset(uint32_t more);

/* When the UART is set up: before, it would send what it is not meant to. */
void uart0_connect_pins(void);

#endif
