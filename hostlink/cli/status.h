/* SPDX-License-Identifier: MIT */
/* The line that shows how a live capture goes: redrawn on a terminal, else printed now and then. */
#ifndef HOSTLINK_STATUS_H
#define HOSTLINK_STATUS_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/pipeline.h"

/* All zero is the start, but "quiet" and "period_ns" set. */
struct status {
    bool quiet;
    uint64_t period_ns; /* between two lines */
    uint64_t start_ns, shown_ns;
    uint64_t bytes, delivered; /* when last shown */
};

/* Period of the line: on a terminal, and longer where the lines pile up in a log. */
uint64_t status_period_ns(void);

/* Shows a line if one is due. */
void status_update(struct status *status, const struct pipeline_totals *totals, uint64_t now_ns,
                   uint64_t silence_ns);

/* Redraws the line on a terminal, cut to its width, else prints it. */
void status_show(char *line, size_t size);

/* Values that the line shows beside the totals. */
struct status_now {
    uint64_t running_ns;
    uint64_t silence_ns; /* no data for so long; 0: the board sends */
    double bytes_per_s, events_per_s;
};

/* The line itself, at most "size" - 1 bytes. */
void status_format(char *text, size_t size, const struct pipeline_totals *totals,
                   const struct status_now *now);

/* The load of a serial line while the board loses events: a line with room left is not the cause. All zero is
 * the start. */
struct line_load {
    uint64_t looked_ns, bytes, lost; /* at the last look */
    uint64_t lossy_ns, lossy_bytes;  /* in the times between two looks in which events were lost */
};

/* Call it often, with times that do not go back. */
void line_load_look(struct line_load *load, const struct pipeline_totals *totals, uint64_t now_ns);

/* The share of "baud" that was used while events were lost, 1 to 100, with ten bits a byte. 0: not known. */
unsigned line_load_percent(const struct line_load *load, uint32_t baud);

#endif
