/* SPDX-License-Identifier: MIT */
/* What is particular to a board: its UART, and how it is switched off. */
#ifndef BOARD_H
#define BOARD_H

#include "kymo/transport.h"

void board_init(void);
const struct kymo_transport *board_transport(void);
/* Ends the emulation, where it can; a chip has nothing of the kind. */
void board_off(void);

#endif
