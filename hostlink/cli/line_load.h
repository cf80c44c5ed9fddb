/* SPDX-License-Identifier: MIT */
/* The load of a serial line while the board loses events: a line with room left is not the cause. */
#ifndef HOSTLINK_LINE_LOAD_H
#define HOSTLINK_LINE_LOAD_H

#include <stdint.h>

#include "trace/pipeline.h"

/* All zero is the start. */
struct line_load {
    uint64_t looked_ns, bytes, lost; /* at the last look */
    uint64_t lossy_ns, lossy_bytes;  /* in the times between two looks in which events were lost */
};

/* Call it often, with times that do not go back. */
void line_load_look(struct line_load *load, const struct pipeline_totals *totals, uint64_t now_ns);

/* The share of "baud" that was used while events were lost, 1 to 100, with ten bits a byte. 0: not known. */
unsigned line_load_percent(const struct line_load *load, uint32_t baud);

#endif
