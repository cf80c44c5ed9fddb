/* SPDX-License-Identifier: MIT */
/* The tables of call stacks: the callers of a zone and its callees, the places of allocations, and memory that was not
 * freed. */
#ifndef HOSTLINK_STACKTABLE_H
#define HOSTLINK_STACKTABLE_H

#include "sink/profile.h"
#include "sink/table.h"

/* For people the largest STACKTABLE_ROWS of each table; CSV and JSON have all rows in one table. 0 or -ENOMEM. */
#define STACKTABLE_ROWS 30u
int stacktable_write(const struct profile *profile, struct table_to *to);

#endif
