/* SPDX-License-Identifier: MIT */
/* What a task waits for, as text. */
#ifndef HOSTLINK_TASK_REASON_H
#define HOSTLINK_TASK_REASON_H

#include "model/event.h"

#define TASK_REASON_BYTES 256u

/* Of an EVENT_TASK of one that waits: "lock bus (held by low)", "delay"; cut to "size" bytes. */
void task_reason(const struct event *event, char *text, size_t size);

#endif
