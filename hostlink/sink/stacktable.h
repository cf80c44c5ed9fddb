/* The tables of call stacks: who calls a zone and what runs inside it, where memory is allocated, and what was not
 * freed. */
#ifndef HOSTLINK_STACKTABLE_H
#define HOSTLINK_STACKTABLE_H

#include <stdio.h>

#include "sink/profile.h"

/* For people: the largest STACKTABLE_ROWS of each table. 0 or -ENOMEM. */
#define STACKTABLE_ROWS 30u
int stacktable_print(const struct profile *profile, FILE *out);
/* All rows as CSV. 0 or -ENOMEM. */
int stacktable_csv(const struct profile *profile, FILE *out);

#endif
