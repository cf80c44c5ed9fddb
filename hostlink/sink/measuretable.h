/* SPDX-License-Identifier: MIT */
/* Tables of what was measured: frames, interrupts, locks, plots, flows. */
#ifndef HOSTLINK_MEASURETABLE_H
#define HOSTLINK_MEASURETABLE_H

#include "sink/measures.h"
#include "sink/table.h"

/* Of measures that are settled; 0 or -ENOMEM. For people also a line where there is nothing, and what stands out. */
int measuretable_frames(const struct measures *measures, struct table_to *to);
int measuretable_interrupts(const struct measures *measures, struct table_to *to);
int measuretable_locks(const struct measures *measures, struct table_to *to);
int measuretable_plots(const struct measures *measures, struct table_to *to);
/* With asynchronous zones. */
int measuretable_flows(const struct measures *measures, struct table_to *to);

#endif
