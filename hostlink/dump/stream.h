/* SPDX-License-Identifier: MIT */
/* What a memory image holds, as the board would have sent it (runtime/WIRE.md): a stream of packets, so that
 * all that reads captures reads dumps. */
#ifndef HOSTLINK_DUMP_STREAM_H
#define HOSTLINK_DUMP_STREAM_H

#include "dump/lanes.h"

/* Takes a part of the stream. 0, or -errno, which stops. */
typedef int stream_write(void *context, const uint8_t *bytes, size_t length);

/* 0, or -errno: what "write" returned, or -ENOMEM. */
int stream_make(const struct recorder *recorder, stream_write *write, void *context,
                struct lanes_report *report);

#endif
