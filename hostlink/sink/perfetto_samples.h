/* SPDX-License-Identifier: MIT */
/* Samples in Perfetto's trace: the table of perf samples, of one packet sequence for all rows, so that a call stack is
 * written once; and missed samples on the row of the track. */
#ifndef HOSTLINK_PERFETTO_SAMPLES_H
#define HOSTLINK_PERFETTO_SAMPLES_H

#include "sink/perfetto_rows.h"

/* 0 or -errno. */
int perfetto_sample(struct perfetto_rows *rows, const struct perfetto_track *track,
                    const struct event *event);

#endif
