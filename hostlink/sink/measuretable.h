/* SPDX-License-Identifier: MIT */
/* Tables of measures: frames, interrupts, locks, plots, flows. */
#ifndef HOSTLINK_MEASURETABLE_H
#define HOSTLINK_MEASURETABLE_H

#include "sink/measures.h"
#include "sink/table.h"

/* The measures must be settled. Text has also lines for empty tables and for notable rows. Returns 0 or -ENOMEM. */
int measuretable_frames(const struct measures *measures, struct table_to *to);
int measuretable_interrupts(const struct measures *measures, struct table_to *to);
int measuretable_locks(const struct measures *measures, struct table_to *to);
int measuretable_plots(const struct measures *measures, struct table_to *to);
/* With asynchronous zones. */
int measuretable_flows(const struct measures *measures, struct table_to *to);

#endif
