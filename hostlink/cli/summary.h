/* What is printed at the end: the table of zones, and what became of the events. */
#ifndef HOSTLINK_SUMMARY_H
#define HOSTLINK_SUMMARY_H

#include <stdio.h>

#include "sink/table.h"
#include "sink/zonestats.h"
#include "trace/pipeline.h"

/* zonestats_event() as an event callback: "zones" is a struct zonestats. */
int summary_zone(void *zones, const struct event *event);

/* The table of zones; for people also what is below it. 0 or -ENOMEM. */
int summary_print(const struct zonestats *zones, const struct pipeline_totals *totals,
                  struct table_to *to);
/* The last line, "events: emitted N delivered N lost N". */
void summary_events(const struct pipeline_totals *totals, FILE *out);
/* How the firmware called the runtime wrongly, and what is wrong with the board's clock: a line for each, with its
 * cure. */
void summary_faults(const struct pipeline_totals *totals, FILE *out);
/* What to do where totals->names_in_elf. */
#define SUMMARY_GIVE_ELF "the board does not send its names: give its ELF file by --elf IMAGE"

/* Says on standard error what the numbers alone would hide: losses and their cause, junk, repairs. */
void summary_warn(const struct pipeline_totals *totals, unsigned line_percent);

#endif
