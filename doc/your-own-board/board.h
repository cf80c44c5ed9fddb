/* What is particular to a board: its UART. */
#ifndef BOARD_H
#define BOARD_H

#include "kymo/transport.h"

void board_init(void);
const struct kymo_transport *board_transport(void);

#endif
