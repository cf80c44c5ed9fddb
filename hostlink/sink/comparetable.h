/* SPDX-License-Identifier: MIT */
/* Two captures side by side: zones, frames, tasks, interrupts and locks by name, memory and
 * samples, and which differ by more than chance. */
#ifndef HOSTLINK_COMPARETABLE_H
#define HOSTLINK_COMPARETABLE_H

#include "sink/compared.h"
#include "sink/table.h"

/* Student's t from which on a difference is no chance: with the 15 and more batches of a long series less than one in
 * 5000 goes so far by itself. */
#define COMPARE_T 5.0

enum { COMPARE_TIMES = 1, COMPARE_MEMORY = 2, COMPARE_SAMPLES = 4, COMPARE_ALL = 7 };

/* The tables that are "wanted", of captures that are settled. "percent": smaller differences of means, and smaller ones
 * in points of shares of samples, are not shown to people. Of memory the mean is that of live bytes after each
 * allocation. 0 or -ENOMEM. */
int comparetable_write(const struct compared *before, const struct compared *after, double percent,
                       unsigned wanted, struct table_to *to);

#endif
