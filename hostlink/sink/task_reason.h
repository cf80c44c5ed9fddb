/* SPDX-License-Identifier: MIT */
/* The reason of a task's wait, as text. */
#ifndef HOSTLINK_TASK_REASON_H
#define HOSTLINK_TASK_REASON_H

#include "model/event.h"

#define TASK_REASON_BYTES 256u

/* The reason in an EVENT_TASK of a waiting task: "lock bus (held by low)", "delay"; cut to "size" bytes. */
void task_reason(const struct event *event, char *text, size_t size);

#endif
