/* SPDX-License-Identifier: MIT */
/* Writes the host's clocks into the stream: after a zero byte, so that no packet of the board is cut in two, at the
 * start and then when bytes come, but not more often than every 20 ms. */
#ifndef HOSTLINK_STAMP_H
#define HOSTLINK_STAMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STAMP_PERIOD_NS (UINT64_C(20) * 1000000)
#define STAMP_NOT_HERE SIZE_MAX

/* All zero is the start of a stream. */
struct stamp {
    bool given;       /* at least one */
    bool in_packet;   /* the last byte was not zero */
    uint64_t last_ns; /* when the last one was due */
};

/* Call it once for each piece of the stream, which came at "now_ns". The offset before which a stamp
 * belongs, at most "length", or STAMP_NOT_HERE. */
size_t stamp_place(struct stamp *stamp, const uint8_t *bytes, size_t length, uint64_t now_ns);

#endif
