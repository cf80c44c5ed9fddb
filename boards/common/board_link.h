/* SPDX-License-Identifier: MIT */
/* The way to the host, on boards that have several: the board's file link_NAME.c that KYMO_BOARD_LINK
 * chooses. As in board.h, which calls them through the board. */
#ifndef BOARD_LINK_H
#define BOARD_LINK_H

#include <stdbool.h>

#include "kymo/transport.h"

/* False: it cannot be set up. */
bool board_link_init(void);
const struct kymo_transport *board_link_transport(void);
/* True when all that was taken has gone out. */
bool board_link_idle(void);

#endif
