/* SPDX-License-Identifier: MIT */
/* Who holds a run-time object, or waits for it: a row for each object with a slice for each hold, and one for each
 * context that waits for it or shares it. */
#ifndef HOSTLINK_PERFETTO_HOLDS_H
#define HOSTLINK_PERFETTO_HOLDS_H

#include "sink/perfetto_rows.h"

/* An event that waits for an object, takes it or gives it. 0 or -errno. */
int perfetto_hold(struct perfetto_rows *rows, const struct event *event);

#endif
