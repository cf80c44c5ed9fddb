/* SPDX-License-Identifier: MIT */
/* The table of samples by function: samples in the function, and in its callees. */
#ifndef HOSTLINK_SAMPLETABLE_H
#define HOSTLINK_SAMPLETABLE_H

#include "sink/profile.h"
#include "sink/table.h"

/* Text has the SAMPLETABLE_ROWS functions with most samples, and a line about missed samples. Returns 0 or -ENOMEM. */
#define SAMPLETABLE_ROWS 30u
int sampletable_write(const struct profile *profile, struct table_to *to);

#endif
