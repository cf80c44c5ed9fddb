/* SPDX-License-Identifier: MIT */
/* Flows and asynchronous zones in a Perfetto trace. */
#ifndef HOSTLINK_PERFETTO_FLOWS_H
#define HOSTLINK_PERFETTO_FLOWS_H

#include "sink/perfetto_rows.h"

/* An event that carries the id of a flow. 0 or -errno. */
int perfetto_flow_event(struct perfetto_rows *rows, struct perfetto_track *track,
                        const struct event *event);

#endif
