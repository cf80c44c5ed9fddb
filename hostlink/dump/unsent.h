/* SPDX-License-Identifier: MIT */
/* The packets that had left the rings of a recorder, and not, or not wholly, the board
 * (runtime/MEMORY.md, "The buffer of packets"). */
#ifndef HOSTLINK_DUMP_UNSENT_H
#define HOSTLINK_DUMP_UNSENT_H

#include "dump/recorder.h"

/* A packet without its CRC. Non-zero stops. */
typedef int unsent_packet(void *context, const uint8_t *bytes, size_t length);

/* The packets that are whole in the buffer, oldest first, then the events of an EVENTS packet that was being built.
 * Returns the callback's value. */
int unsent_read(const struct recorder *recorder, unsent_packet *packet, void *context);

#endif
