/* SPDX-License-Identifier: MIT */
/* Holds of run-time objects and waits for them: a row for each object with a slice for each hold, and a row for each
 * context that waits for it or shares it. */
#ifndef HOSTLINK_PERFETTO_HOLDS_H
#define HOSTLINK_PERFETTO_HOLDS_H

#include "sink/perfetto_rows.h"

/* An event that waits for an object, takes it or gives it. 0 or -errno. */
int perfetto_hold(struct perfetto_rows *rows, const struct event *event);

#endif
