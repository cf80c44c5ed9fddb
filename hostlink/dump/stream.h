/* SPDX-License-Identifier: MIT */
/* Converts a memory image to the stream that the board would have sent (runtime/WIRE.md), so that all readers of
 * captures read dumps. */
#ifndef HOSTLINK_DUMP_STREAM_H
#define HOSTLINK_DUMP_STREAM_H

#include "dump/lanes.h"

/* Takes a part of the stream. 0, or -errno, which stops. */
typedef int stream_write(void *context, const uint8_t *bytes, size_t length);

/* 0, or -errno: what "write" returned, or -ENOMEM. */
int stream_make(const struct recorder *recorder, stream_write *write, void *context,
                struct lanes_report *report);

#endif
