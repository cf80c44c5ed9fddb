/* SPDX-License-Identifier: MIT */
/* Pairs of times of the board and the host, for pipeline_callbacks.host. */
#ifndef HOSTLINK_HOST_TIMES_H
#define HOSTLINK_HOST_TIMES_H

#include "model/continuity/repeated_packets.h"

struct pipeline;

/* Call after each packet. 0, or the callback's value. */
int host_times_take(struct pipeline *pipeline, const struct wire_packet *packet);

#endif
