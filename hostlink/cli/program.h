/* SPDX-License-Identifier: MIT */
/* The worst cases of a program's tasks, interrupts, locks and memory, in a line each. */
#ifndef HOSTLINK_PROGRAM_H
#define HOSTLINK_PROGRAM_H

#include "cli/findings.h"

struct program;

/* NULL: no memory. */
struct program *program_new(void);
/* Takes any event. 0 or -ENOMEM. */
int program_event(struct program *program, const struct event *event);
/* Call after the last event, once: the worst first. "is_part": the events are a part of the capture's. 0 or
 * -ENOMEM. */
int program_say(struct program *program, const struct pipeline_totals *totals, bool is_part,
                const struct findings *to);
void program_free(struct program *program);

#endif
