/* SPDX-License-Identifier: MIT */
/* The figures of a capture as OpenMetrics text 1.0, which Prometheus reads. */
#ifndef HOSTLINK_OPENMETRICS_H
#define HOSTLINK_OPENMETRICS_H

#include <stdio.h>

#include "sink/measures.h"
#include "trace/pipeline.h"

#define OPENMETRICS_TYPE "application/openmetrics-text; version=1.0.0; charset=utf-8"

/* The programs' names, by number of the board; NULL: no such board. All zero: no boards. */
struct openmetrics_images {
    const char *of[EVENT_BOARDS_MAX];
};
void openmetrics_learn(struct openmetrics_images *images, const struct event *event);

/* "measures" is settled. */
void openmetrics_write(FILE *out, const struct measures *measures,
                       const struct pipeline_totals *totals,
                       const struct openmetrics_images *images);

#endif
