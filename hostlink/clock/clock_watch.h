/* SPDX-License-Identifier: MIT */
/* Watches the board's clock in the packets that contain it. */
#ifndef HOSTLINK_CLOCK_WATCH_H
#define HOSTLINK_CLOCK_WATCH_H

#include <stddef.h>

#include "clock/clockfit.h"

#define CLOCK_WATCH_TEXT 320

/* A SESSION, STATUS or PONG packet, which came when the host's clock showed "host_ns"; others have
 * no effect. From here on the fit uses the improved rate. */
void clock_watch_packet(struct clockfit *clock, const uint8_t *packet, size_t length,
                        uint64_t host_ns);

/* True: "text" is a line worth a user's attention. Do not call it again after that. */
bool clock_watch_warns(const struct clockfit *clock, char text[CLOCK_WATCH_TEXT]);

#endif
