/* SPDX-License-Identifier: MIT */
/* The output at the end: the table of zones, and the counts of events. */
#ifndef HOSTLINK_SUMMARY_H
#define HOSTLINK_SUMMARY_H

#include <stdio.h>

#include "cli/findings.h"
#include "cli/program.h"
#include "sink/table.h"
#include "sink/zonestats.h"
#include "trace/pipeline.h"

/* Statistics kept of the events. */
struct summary {
    struct zonestats *zones;
    struct program *program;
    bool is_part; /* set by the caller: the events are a part of the capture's */
};

/* NULL: no memory. */
struct summary *summary_new(void);
/* An event callback: "summary" is a struct summary. */
int summary_event(void *summary, const struct event *event);
void summary_free(struct summary *summary);

/* After the last event, once: the table of zones; for people also the program's worst cases below it. 0 or -ENOMEM. */
int summary_print(struct summary *summary, const struct pipeline_totals *totals,
                  struct table_to *to);
/* A line above that, where there are devices. */
void summary_devices(const struct pipeline_totals *totals, FILE *out);
/* The last line, "events: emitted N delivered N lost N". */
void summary_events(const struct pipeline_totals *totals, FILE *out);
/* Usage errors of the firmware and faults of the board's clock: a line for each, with the fix. */
void summary_faults(const struct pipeline_totals *totals, FILE *out);
/* Reports each finding on standard error. */
extern const struct findings summary_says;
/* Reports on standard error losses and their cause, junk and repairs, which the numbers alone would hide. */
void summary_warn(const struct pipeline_totals *totals, unsigned line_percent);

#endif
