/* SPDX-License-Identifier: MIT */
/* The board's transport, watched: whether it is full, and how many bytes it took. And lines of text through it. One
 * core. */
#ifndef HOST_LINE_H
#define HOST_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "kymo/transport.h"
#include "text.h"

/* For kymo_init(). */
const struct kymo_transport *host_line(void);
/* Whether the last write took less than it was given. */
bool host_line_is_full(void);
/* All bytes that it took. */
uint32_t host_line_bytes(void);
/* Sends the line, and all that was recorded before it; waits. */
void host_line_print(const struct text *line);

#endif
