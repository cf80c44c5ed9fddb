/* The table of samples by function: how many met it, and how many met what it called. */
#ifndef HOSTLINK_SAMPLETABLE_H
#define HOSTLINK_SAMPLETABLE_H

#include <stdio.h>

#include "sink/profile.h"

/* For people: the SAMPLETABLE_ROWS functions with most samples, and a line with what was missed. 0 or -ENOMEM. */
#define SAMPLETABLE_ROWS 30u
int sampletable_print(const struct profile *profile, FILE *out);
/* All functions as CSV. 0 or -ENOMEM. */
int sampletable_csv(const struct profile *profile, FILE *out);

#endif
