/* SPDX-License-Identifier: MIT */
/* After a live capture: reports how it ended, writes the outputs, prints the table. */
#ifndef HOSTLINK_FINISH_H
#define HOSTLINK_FINISH_H

#include "cli/cmd.h"
#include "cli/live.h"
#include "sink/output.h"

struct summary;

/* "summary" has seen the live events; "recorded" is the path of the recording. */
enum exit_code finish(const struct live *live, struct outputs *outputs, struct summary *summary,
                      const char *recorded);

#endif
