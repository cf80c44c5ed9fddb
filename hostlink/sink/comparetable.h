/* SPDX-License-Identifier: MIT */
/* Two captures side by side: zones, frames, interrupts and locks by name, and which differ by more than chance. */
#ifndef HOSTLINK_COMPARETABLE_H
#define HOSTLINK_COMPARETABLE_H

#include "sink/measures.h"
#include "sink/table.h"

/* Student's t from which on a difference is no chance: with the 15 and more batches of a long series less than one in
 * 5000 goes so far by itself. */
#define COMPARE_T 5.0

/* Of measures that are settled and had "batches". "percent": differences of means below it are not shown to people.
 * 0 or -ENOMEM. */
int comparetable_write(const struct measures *before, const struct measures *after, double percent,
                       struct table_to *to);

#endif
